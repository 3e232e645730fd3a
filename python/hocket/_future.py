# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Futures: what a task will return."""

import asyncio

from ._parameters import Parameter
from .errors import TimedOut, UsageError


def _wake(loop, waiter):
    def set_result():
        if not waiter.done():
            waiter.set_result(None)

    try:
        loop.call_soon_threadsafe(set_result)
    except RuntimeError:
        pass  # The loop has ended: nothing waits any more.


class Outcome:
    """What a function of a task has returned or raised, and where it was raised."""

    __slots__ = ("value", "raised", "trace", "__weakref__")

    def __init__(self):
        self.value = self.raised = self.trace = None

    def set_raised(self, error, trace):
        """The exception that the function raised, and the frames of the function."""
        self.raised, self.trace = error, trace

    def forget_waits(self):
        """Takes the frames of waits that have raised the exception before out of its traceback."""
        if self.raised is not None:
            self.raised.__traceback__ = self.trace


class Future:
    """The end of a task, and its value: a number of an operation, or what a function returned.

    May be waited for, awaited in asyncio, and passed where a task takes a number or a value.
    """

    __slots__ = ("_task", "_outcome", "__weakref__")

    def __init__(self, task, outcome=None):
        self._task = task
        self._outcome = outcome

    def result(self, timeout=None):
        """Waits for the task and returns its value; raises what it failed with."""
        try:
            self._wait(timeout)
            if self._outcome is not None:
                self._outcome.forget_waits()
            number = self._task.result()
            return number if self._outcome is None else self._outcome.value
        finally:
            self = None  # an exception has this frame, and the future has the exception

    def exception(self, timeout=None):
        """Waits for the task and returns what it failed with, or None."""
        self._wait(timeout)
        return self._task.exception()

    def wait(self, timeout=None):
        """Waits for the task, for so many seconds at most. Returns False if it has not ended."""
        ended = self._task.wait(timeout)
        if ended and self._outcome is not None and self._outcome.raised is not None:
            # The exception was looked at: from here on the future alone keeps the exception.
            self._task.exception()
        return ended

    def done(self):
        """True if the task has ended, well or not."""
        return self._task.done()

    def cancel(self):
        """Asks for the task not to run; one that runs already goes on."""
        self._task.cancel()

    def cancelled(self):
        """True if the task was cancelled."""
        return self._task.is_cancelled()

    @property
    def label(self):
        """The name of the task in messages and traces."""
        return self._task.label

    def _wait(self, timeout):
        if not self._task.wait(timeout):
            raise TimedOut(f'Task "{self.label}" has not ended after {timeout} s of waiting.')

    def __await__(self):
        # On the virtual clock time passes only while a thread waits.
        if not self._task.done() and not self._task.simulated:
            loop = asyncio.get_running_loop()
            waiter = loop.create_future()
            if self._task.call_when_done(lambda: _wake(loop, waiter)):
                try:
                    yield from waiter
                except asyncio.CancelledError:
                    self.cancel()
                    raise
        return self.result()

    def __repr__(self):
        state = "done" if self.done() else "pending"
        return f'<hocket.Future of "{self.label}": {state}>'


class Run(Future):
    """The end of a run of a graph. What a function in it raised stays for who looks again."""

    __slots__ = ()

    def result(self, timeout=None):
        """Waits for all tasks of the run; raises what the first of them failed with."""
        try:
            failed = self.exception(timeout)
            if failed is not None:
                self._outcome.forget_waits()
                raise failed
        finally:
            self = failed = None  # as in Future.result

    def exception(self, timeout=None):
        """Waits for all tasks of the run and returns what the first failed with, or None."""
        self._wait(timeout)
        if self._outcome.raised is None:
            failed = self._task.exception()
            self._outcome.set_raised(failed, None if failed is None else failed.__traceback__)
            failed = None
        return self._outcome.raised


def _refuse(self, *arguments):
    raise UsageError(
        f'Task "{self.label}" is recorded, and runs when its graph is run: it has no end to wait '
        "for and no value of its own. Other tasks of the recording may be given its future."
    )


class Recorded(Future):
    """A task of a recording: for `after`, and for tasks that take its number."""

    __slots__ = ()

    result = exception = wait = done = cancel = cancelled = __await__ = _refuse

    def __repr__(self):
        return f'<hocket.Future of "{self.label}": recorded>'


def task_of(value):
    """The handle behind a Future or a Parameter, and other values as they are."""
    if isinstance(value, Future):
        return value._task
    return value._handle if isinstance(value, Parameter) else value


def options_of(options):
    """Options of a task, with the futures of `after` as the C++ part takes them."""
    after = options.get("after")
    if after is None:
        return options
    if isinstance(after, Future):
        after = [after]
    if not isinstance(after, (list, tuple)):
        raise TypeError(f'The option "after" is {after!r}; it has to be a list of hocket.Future.')
    return {**options, "after": [task_of(each) for each in after]}



# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Scopes: tasks that end before a block does."""

from . import _calls, _core, _expressions, _threads
from ._future import Outcome, Run
from ._targets import Block, Target, taken_options, target_of
from .errors import UsageError


class Scope(Target):
    """Tasks that end before its block does; made by Runtime.scope.

    What the thread submits in the block belongs to the scope. Other threads, and functions of its
    tasks, submit by submit() and elementwise(), or with the option into=. A scope within a scope is
    cancelled with it. In asyncio: async with rt.scope() as s.
    """

    def __init__(self, home, options):
        self._home = home
        self._options = options
        self._block = self._open = None
        self._around = ()

    def __enter__(self):
        if self._block is not None:
            raise UsageError(f"The block of {self!r} is entered twice.")
        around = target_of(self._home)
        self._open = _core.OpenScope(around._handle, self._options)
        self._around = around._scopes
        self._block = Block(self)
        return self

    def __exit__(self, kind, error, trace):
        self._block.close()
        try:
            # The exception that is under way says more than those of tasks.
            self.wait() if kind is None else self.cancel()
        except BaseException:  # a failure, and then nothing is left to cancel; or Ctrl-C
            self.cancel()
            raise
        finally:
            self._open.close()

    async def __aenter__(self):
        return self.__enter__()

    async def __aexit__(self, kind, error, trace):
        self._block.close()
        try:
            if kind is not None:
                self.cancel()
            ended = self._end()
            try:
                await ended
            except Exception:
                if kind is None:
                    raise
        except BaseException:
            self.cancel()
            raise
        finally:
            self._open.close()

    @property
    def _scopes(self):
        return (self, *self._around)

    @property
    def _handle(self):
        if self._open is None:
            raise UsageError(f"{self!r} takes tasks in its block alone: with rt.scope() as s.")
        return self._open

    def submit(self, function, *arguments, **options):
        """Submits a Python function, as Runtime.submit does, from any thread."""
        return _calls.submit(self._home, function, arguments, {**options, "into": self})

    def elementwise(self, text, /, **arguments):
        """Submits a kernel made of a text, as Runtime.elementwise does, from any thread."""
        arguments["task"] = {**taken_options(arguments), "into": self}
        return _expressions.submit(self._home, text, arguments)

    def wait(self):
        """Waits until no task is left. Raises the first failure that nothing has looked at; that
        tasks were cancelled is none."""
        if _threads.is_in_task_of(self):
            raise UsageError(f"A task waits for all tasks of {self!r}, and so for itself.")
        self._end().result()

    def cancel(self):
        """Asks all tasks to stop, those that are submitted later too: what has not started does
        not run. Functions that run may look at `cancelled`."""
        self._handle.cancel()

    @property
    def cancelled(self):
        """True if the scope was cancelled, by cancel(), its timeout or what it is in."""
        return self._handle.is_cancelled()

    def _end(self):
        return Run(self._handle.end(), Outcome())

    def __repr__(self):
        label = self._options.get("label")
        return "<hocket.Scope>" if label is None else f'<hocket.Scope "{label}">'

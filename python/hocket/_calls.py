# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Calls of Python functions by tasks."""

import inspect
import weakref

import numpy as np

from . import _core, _lent, _threads
from ._buffers import Access, Buffer, array_over, checked_label, empty_out
from ._future import Future, Outcome, Recorded, options_of
from ._parameters import Parameter
from ._targets import taken_into
from .errors import UsageError

_NUMBER = object()  # in the place of an argument that the task is given as a number


def name_of(function):
    name = getattr(function, "__name__", None)
    name = name if name and isinstance(name, str) else type(function).__name__
    return name.encode(errors="replace").decode()


class _Call:
    """What a task calls: the function with arrays in the places of accesses, and with values."""

    def __init__(self, home, function, arguments, name, outcome, scopes=()):
        self._outcome = outcome
        self._scopes = scopes
        self._home = weakref.ref(home)  # which keeps the task, and this
        self._function = function
        self._arguments = arguments
        self._name = name

    def __call__(self, views, numbers):
        """Returns the outcome if the function has failed, or else None."""
        outcome = self._outcome
        try:
            with _threads.Running(self._home(), self._scopes):
                outcome.value = self._returned(views, numbers)
            return None
        except BaseException as error:
            # The frames of this class keep buffers, and say nothing to who reads the traceback.
            trace = error.__traceback__.tb_next
            trace = trace.tb_next if trace and trace.tb_next else trace
            outcome.set_raised(error.with_traceback(trace), trace)
            return outcome
        finally:
            # The arguments let go of what they keep before the task has ended.
            self._function = self._arguments = self._outcome = self._scopes = None
            # The frame stays as long as that of the function does, which an exception has.
            self = views = outcome = trace = None

    def _returned(self, views, numbers):
        if not views:
            function, values = self._function, list(self._values((), numbers))
            self = None
            return function(*values)
        accesses = [each for each in self._arguments if isinstance(each, Access)]
        arrays = [array_over(v, each.buffer.dtype) for v, each in zip(views, accesses)]
        try:
            returned = self._function(*self._values(arrays, numbers))
        except BaseException as error:
            # The variables of the frames are arrays over memory that is soon used by others, and
            # the exception may have some.
            _lent.forget_frames(error)
            known = _lent.own_parts(error, arrays)
            number = _lent.kept_one(arrays, known)
            _lent.own_known(arrays, known)
            refused = None if number is None else self._refusal(accesses[number].buffer)
            self = views = accesses = arrays = known = None
            if refused is not None:
                raise refused from error
            raise
        number = _lent.kept_one(arrays, {})
        if number is not None:
            returned = None
            for each in arrays:
                empty_out(each)
            raise self._refusal(accesses[number].buffer)
        return returned

    def _refusal(self, buffer):
        return UsageError(
            f'The function "{self._name}" keeps or returns the array of buffer "{buffer.label}" '
            "after its end, or a part of it; it has to be a copy: array.copy()."
        )

    def _values(self, arrays, numbers):
        arrays, numbers = iter(arrays), iter(numbers)
        for each in self._arguments:
            if isinstance(each, Access):
                yield next(arrays)
            elif each is _NUMBER:
                yield next(numbers)
            elif isinstance(each, Future):
                yield each.result()
            else:
                yield each


class RecordedCall:
    """What tasks of a graph call, once in each run."""

    def __init__(self, home, function, arguments, name):
        self._home = weakref.ref(home)
        self._function = function
        self._arguments = arguments
        self._name = name
        self._last = None  # failure, which a future of the run need not have

    def __call__(self, views, numbers):
        made, failed = self._call(views, numbers)
        return made if failed else None

    def _call(self, views, numbers):
        outcome = Outcome()
        call = _Call(self._home(), self._function, self._arguments, self._name, outcome)
        failed = call(views, numbers) is not None
        if failed:
            self._last = outcome
        return outcome, failed


class Condition(RecordedCall):
    """What a graph asks while it runs."""

    def __call__(self, views, numbers):
        made, failed = self._call(views, numbers)
        if failed:
            return made
        if isinstance(made.value, (bool, int, np.bool_, np.integer)):
            answer = int(made.value)
            if -(2**63) <= answer < 2**63:
                return answer
        made.raised = TypeError(
            f'The condition "{self._name}" returns {made.value!r}; it has to return True, False or '
            "an integer of 64 bits."
        )
        self._last = made
        return made


def accesses_of(arguments):
    """The accesses among the arguments, as the C++ part takes them."""
    return [(each.mode, each.buffer._handle) for each in arguments if isinstance(each, Access)]


def check_function(function, what):
    if not callable(function):
        raise TypeError(f"{what} is a function, not {function!r}.")
    if inspect.iscoroutinefunction(function):
        raise TypeError(
            f'The function "{name_of(function)}" is one of asyncio (async def), which a task '
            "does not run; let it await the futures of tasks."
        )


def check_arguments(arguments):
    for each in arguments:
        if isinstance(each, Buffer):
            raise TypeError(
                f'Buffer "{each.label}" is passed as it is; pass hocket.reads(b), writes(b) '
                "or updates(b), so that the order of tasks is known."
            )


def _as_number(argument, name):
    """The number that a recorded task takes for the argument; None for other arguments."""
    if isinstance(argument, Parameter):
        return argument._handle
    if not isinstance(argument, Future):
        return None
    if argument._task.number_dtype is not None:
        return argument._task
    if isinstance(argument, Recorded):
        raise TypeError(
            f'The function "{name}" is recorded with the future of "{argument.label}", which '
            "returns no number; in a recording other values go from task to task in buffers."
        )
    return None


def submit(home, function, arguments, options):
    """Submits a Python function."""
    check_function(function, "A task")
    check_arguments(arguments)
    target, options = taken_into(home, options)
    label = options.get("label")
    name = checked_label(label) if label and isinstance(label, str) else name_of(function)
    numbers = []
    if target._records:
        numbers = [_as_number(each, name) for each in arguments]
        arguments = [a if n is None else _NUMBER for a, n in zip(arguments, numbers)]
        numbers = [each for each in numbers if each is not None]
    else:
        arguments = [a.initial if isinstance(a, Parameter) else a for a in arguments]
    before = [each for each in arguments if isinstance(each, Future)]
    if before:
        after = options.get("after") or []
        after = [after] if isinstance(after, Future) else list(after)
        options = {**options, "after": after + before}
    accesses, options = accesses_of(arguments), options_of(options)
    if target._records:
        kept = RecordedCall(home, function, arguments, name)
        given = weakref.ref(kept)
        task = _core.submit_function(target._handle, given, name, accesses, numbers, options)
        return target._submitted(task, kept=kept)
    outcome = Outcome()
    call = _Call(home, function, arguments, name, outcome, target._scopes)
    task = _core.submit_function(target._handle, call, name, accesses, numbers, options)
    return target._submitted(task, outcome)

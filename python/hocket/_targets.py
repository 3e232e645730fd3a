# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Where tasks go: to a runtime, or to what is open in a block of `with`."""

import contextvars

from ._future import Future
from .errors import UsageError

_open = contextvars.ContextVar("hocket_targets", default=())


class Target:
    """What tasks may be submitted to. Subclasses set _home, and _handle, by which the C++ part
    knows the target."""

    _records = False
    _scopes = ()  # that its tasks belong to, innermost first

    def _submitted(self, task, outcome=None, kept=None, kind=Future):
        """The future of a task. kept: what the task calls, where C++ has a weak reference to it."""
        if kept is not None:
            task.keep(kept)
        return kind(task, outcome)


class _Direct(Target):
    """A runtime, where only its C++ part is known."""

    def __init__(self, home):
        self._home = self._handle = home


class Block:
    """Until close(), tasks of this thread, or of this task of asyncio, go to the target."""

    def __init__(self, target):
        self._token = _open.set((*_open.get(), target))

    def close(self):
        _open.reset(self._token)


def target_of(home, into=None):
    """Where a task of a runtime goes that has the option into=."""
    if into is None:
        for each in reversed(_open.get()):
            if each._home is home:
                return each
        return _Direct(home)
    if not isinstance(into, Target):
        raise TypeError(
            f'The option "into" is {into!r}; it has to be a hocket.Runtime, a hocket.Scope, or a '
            "hocket.Graph that is being recorded."
        )
    if into._home is not home:
        raise UsageError(f'The option "into" is {into!r}, which belongs to another runtime.')
    return into


def taken_into(home, options):
    """The target, and the options without the one that names it."""
    if "into" not in options:
        return target_of(home), options
    others = dict(options)
    return target_of(home, others.pop("into")), others


def taken_options(arguments):
    """Takes the options of the task out of the arguments of a text."""
    options = arguments.pop("task", {})
    if not isinstance(options, dict):
        raise TypeError(
            f'The argument "task" is {options!r}; it has to be a dict of the options of the task, '
            "and in texts other names stand for buffers and numbers."
        )
    return options

# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""The exceptions of Hocket. What a Python function of a task raises is raised as it is."""


class HocketError(Exception):
    """The base of all exceptions that Hocket makes."""


class UsageError(HocketError, ValueError):
    """A call that the program should not have made; the message names the object and the value."""


class TaskFailed(HocketError):
    """A kernel or a function failed."""


class DependencyFailed(HocketError):
    """A task did not run, because one before it failed. The message names that one."""


class Cancelled(HocketError):
    """A task was cancelled before it ran."""


class TimedOut(HocketError, TimeoutError):
    """A time was over: that of a task, or that of a wait."""


class DeviceLost(HocketError):
    """A device does not answer any more."""


class DataLost(HocketError):
    """The only copy of a content was on a device that is lost."""


class DataCorrupted(HocketError):
    """A check found that a content had changed."""


class OutOfMemory(HocketError, MemoryError):
    """No device has enough memory for a task."""


class CompileFailed(HocketError):
    """The compiler of a device refused a kernel."""


class NoDevice(HocketError):
    """No device can run a task, or none has the name."""


class Overloaded(HocketError):
    """Too many tasks are pending, and the runtime refuses more (overload="refuse")."""


class FileError(HocketError, OSError):
    """A file could not be read or written."""


class InternalError(HocketError):
    """An error of Hocket itself."""

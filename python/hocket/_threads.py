# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""The threads that call Python functions of tasks, and the order in which all ends at exit."""

import atexit
import os
import signal
import sys
import threading
import weakref

from . import _core
from .errors import UsageError

pool = _core.Threads(max(2, os.cpu_count() or 1))
runtimes = weakref.WeakSet()
_here = threading.local()
_guard = threading.Lock()
_threads = []
_LIMIT = 5  # seconds


def _loop():
    is_new = True
    while pool.run_next(_start_thread, is_new):
        is_new = False


def _start_thread():
    thread = threading.Thread(target=_loop, name=f"hocket-{len(_threads) + 1}", daemon=True)
    pool.expect(True)
    try:
        thread.start()
    except BaseException:
        pool.expect(False)
        raise
    _threads.append(thread)


def start():
    """Makes the first thread; further ones are made when all others are busy."""
    with _guard:
        if not _threads:
            _start_thread()


class Running:
    """While a function of a task runs, its thread does not wait for all tasks of the runtime, nor
    for those of scopes that the task belongs to."""

    def __init__(self, home, scopes):
        self._around = (home, *scopes)

    def __enter__(self):
        self._before = getattr(_here, "around", ())
        _here.around = (*self._before, *self._around)

    def __exit__(self, *raised):
        _here.around = self._before


def is_in_task_of(around):
    """True in a function of a task that belongs to the runtime or scope."""
    return any(each is around for each in getattr(_here, "around", ()))


def refuse_in_task(home):
    """Raises UsageError in a function of a task of the runtime."""
    if is_in_task_of(home):
        raise UsageError("A task waits for all tasks of its runtime, and so for itself.")


def _close(home):
    if home.closed:
        return
    try:
        # A view that a variable keeps may hold up tasks that nobody else waits for any more.
        if not home.wait(_LIMIT if home.has_views() else None):
            _say("Python ends, and tasks have not: a view or a tensor of a buffer is open")
            home.stop()
            home.abandon()
    except Exception as error:
        _say(f"a runtime was open at the end of Python, and has failed: {error}")
    home.close()


def _say(text):
    print(f"hocket: {text}", file=sys.stderr)


def _end():
    homes = list(runtimes)
    try:
        _end_after(homes)
    except KeyboardInterrupt:
        _say("interrupted at the end of Python: functions that run are waited for, other tasks are "
             "cancelled; another Ctrl-C ends the process at once")
        try:
            for home in homes:
                if not home.closed:
                    home.stop()
            _end_after(homes)
        except KeyboardInterrupt:
            # The interpreter cannot end beside threads that run.
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
            os._exit(128 + signal.SIGINT)


def _end_after(homes):
    # Threads of Python that Hocket has are daemons: runtimes have to end while these still run.
    for home in homes:
        _close(home)
    pool.stop()
    # A daemon that is in C++ when the interpreter goes would end the process with an error.
    for thread in _threads:
        thread.join()
    _core.keep_gil_for_the_end()


atexit.register(_end)

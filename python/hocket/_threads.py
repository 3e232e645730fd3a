# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""The threads that call Python functions of tasks, and the order in which all ends at exit."""

import atexit
import os
import threading
import weakref

from . import _core

pool = _core.Threads(max(2, os.cpu_count() or 1))
runtimes = weakref.WeakSet()
_guard = threading.Lock()
_threads = []


def _loop():
    while pool.run_next(_start_thread):
        pass


def _start_thread():
    thread = threading.Thread(target=_loop, name=f"hocket-{len(_threads) + 1}", daemon=True)
    try:
        thread.start()
        _threads.append(thread)
    except RuntimeError:
        pass  # Python ends, and makes no more threads: those that there are do the rest.


def start():
    """Makes the first thread; further ones are made when all others are busy."""
    with _guard:
        if not _threads:
            _start_thread()


def _end():
    # Threads of Python that Hocket has are daemons: runtimes have to end while these still run.
    for runtime in list(runtimes):
        try:
            runtime.close()
        except Exception as error:
            print(f"hocket: a runtime that was open at the end of Python: {error}")
    pool.stop()
    # A daemon that is in C++ when the interpreter goes would end the process with an error.
    for thread in _threads:
        thread.join()


atexit.register(_end)

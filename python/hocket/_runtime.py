# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Runtimes: what runs tasks."""

import json

import numpy as np

from . import _calls, _checkpoints, _core, _expressions, _graphs, _reductions, _scopes, _threads
from . import ops
from ._buffers import Buffer, dtype_named, label_of
from ._future import Future
from ._targets import Target


def _extents(shape):
    """The shape as a tuple of int."""
    given = (shape,) if np.ndim(shape) == 0 else shape
    if all(isinstance(each, (int, np.integer)) and each >= 0 for each in given):
        return tuple(int(each) for each in given)
    raise ValueError(f"The shape of a buffer is {shape!r}; it has to be integers that are 0 or more.")


class Runtime(Target):
    """Runs tasks on the devices of this machine.

    with hocket.Runtime() as rt: ... waits for all tasks at the end of the block. The options are
    those of runtime_options in C++: devices, backends, clock, trace, max_pending, resilience, ...;
    times are in seconds.
    """

    def __init__(self, **options):
        _threads.start()
        self._home = self._handle = _core.OpenRuntime(_threads.pool, options)
        _threads.runtimes.add(self._home)

    def submit(self, function, *arguments, **options):
        """Submits a Python function, which is called by a thread of the process.

        In the place of reads(buffer), writes(buffer) and updates(buffer) it is given numpy arrays,
        which end with the call; in the place of a Future, its value. Options: label, after,
        priority, on, in_order, timeout, and into, a Runtime, a Scope or a Graph that is
        being recorded.
        """
        return _calls.submit(self._home, function, arguments, options)

    def elementwise(self, text, /, **arguments):
        """Submits a kernel that computes `text` for each element: elementwise("2*x + y", x=a, y=b,
        out=c). See the guide for what a text may have. Options of a task are given in task={...}.
        """
        return _expressions.submit(self._home, text, arguments)

    def reduce(self, combine, start, text=None, /, **arguments):
        """Combines all elements of a buffer to a number, or what `text` gives for those at one
        place of several: reduce("a * b", 1, x=p), reduce("a + b", 0, "abs(x - y)", x=p, y=q).

        combine(a, b) has to be associative and commutative up to rounding, and start its neutral
        number, which an empty buffer gives. Options of a task are given in task={...}.
        """
        return _reductions.submit(self._home, combine, start, text, arguments)

    def record(self, function=None, *, label=None, **options):
        """Records tasks without running them, for a Graph: those that the block submits, or those
        that function() submits. Options: fuse and batch, which make fewer and larger tasks, and
        tasks, about how many there will be.

            with rt.record() as step:
                ops.axpy(2.0, a, b)
            step.run()
        """
        made = _graphs.Graph(self._home, label, options)
        if function is None:
            return made
        if not callable(function):
            raise TypeError(f"What is recorded is a function without arguments, not {function!r}.")
        with made:
            function()
        return made

    def run_one_of(self, choice, graphs, **options):
        """Runs the graph of that number, which choice() or when(...) returns when it is asked."""
        graphs = list(graphs)
        return _graphs.choose(self._home, "one of", choice, graphs, options)

    def scope(self, **options):
        """A Scope: what its block submits has ended when the block has. Options: label, timeout,
        after which its tasks are asked to stop, and cancel_on_failure.

            with rt.scope() as s:
                ops.axpy(2.0, a, b)
        """
        return _scopes.Scope(self._home, options)

    def checkpoints(self, folder, keep=2):
        """Checkpoints in a folder, which is made if there is none, and of which the newest stay."""
        return _checkpoints.Checkpoints(self._home, folder, keep)

    def buffer(self, array, label=None, copy=False):
        """A buffer over the memory of a numpy array, or of a tensor that has __dlpack__.

        Nothing is copied (unless copy=True): tasks write into the array itself, which only views
        and tasks of the buffer may use until the buffer and the tasks on it are gone, or the
        runtime is closed. The buffer keeps the array.
        """
        label = label_of(label)
        if not isinstance(array, np.ndarray):
            if hasattr(array, "__dlpack__") and not copy:
                return self._over_tensor(array, label)
            array, copy = np.array(array, order="C", ndmin=1), False
        if copy:
            native = array.dtype if array.dtype.isnative else array.dtype.newbyteorder("=")
            array = np.array(array, native, order="C", copy=True)
        handle = _core.BufferHandle.over_array(
            self._home,
            array,
            array.__array_interface__["data"][0],
            array.dtype,
            array.shape,
            array.strides,
            not array.flags.writeable,
            label,
        )
        return Buffer(self._home, handle, array.dtype)

    def from_dlpack(self, tensor, label=None):
        """A buffer over the memory of a tensor of another library, without a copy."""
        return self._over_tensor(tensor, label_of(label))

    def _over_tensor(self, tensor, label):
        handle = _core.BufferHandle.over_tensor(self._home, tensor, False, label)
        return Buffer(self._home, handle, dtype_named(handle.dtype_name))

    def empty(self, shape, dtype=np.float32, label=None):
        """A buffer without content: a task that reads it before one writes it fails."""
        shape = _extents(shape)
        dtype = np.dtype(dtype)
        handle = _core.BufferHandle.empty(self._home, shape, dtype, label_of(label))
        return Buffer(self._home, handle, dtype)

    def full(self, shape, value, dtype=np.float32, label=None):
        """A buffer that has one number everywhere."""
        made = self.empty(shape, dtype, label)
        if made.dtype.kind in "cV":
            try:
                made.assign(value)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f'Buffer "{made.label}" of {made.dtype} is filled with {value!r}: {error}.'
                ) from None
        else:
            ops.fill(value, made, into=self)
        return made

    def zeros(self, shape, dtype=np.float32, label=None):
        """A buffer of zeros."""
        dtype = np.dtype(dtype)
        return self.full(shape, np.zeros((), dtype) if dtype.kind in "cV" else 0, dtype, label)

    def wait(self):
        """Waits for all tasks. Raises the first failure that nothing has looked at."""
        _threads.refuse_in_task(self._home)
        self._home.wait()

    def stop(self):
        """Cancels what has not started; what runs, ends."""
        self._home.stop()

    def close(self):
        """Waits for all tasks as wait() does, and ends the runtime. May be called twice."""
        if self._home.closed:
            return
        _threads.refuse_in_task(self._home)
        try:
            self._home.wait()
        except KeyboardInterrupt:
            self._home.stop()
            raise
        finally:
            self._home.close()

    @property
    def closed(self):
        """True after close()."""
        return self._home.closed

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()
            return
        # The exception that is under way says more than those of tasks.
        self._home.stop()
        try:
            self.close()
        except Exception:
            pass

    @property
    def devices(self):
        """The devices in use, in a list of Device."""
        return self._home.devices()

    def now(self):
        """Seconds since the runtime began, on its clock."""
        return self._home.now()

    def drain(self, device):
        """Takes a device out of use, as in drain("OpenCL0"); the Future ends when it is empty."""
        return Future(self._home.drain(device))

    def resume(self, device):
        """Takes a drained device into use again."""
        self._home.resume(device)

    def remove(self, device):
        """Lets go of the driver of a drained or lost device."""
        self._home.remove(device)

    def reopen(self, device):
        """Connects a lost or removed device again."""
        self._home.reopen(device)

    def report(self):
        """What the devices have done; print() shows it as a table."""
        return _core.report(self._home)

    def trace(self):
        """What ran where and when: the events of the Chrome trace format. Needs trace=True."""
        return json.loads(_core.trace_json(self._home))["traceEvents"]

    def write_trace(self, path):
        """Writes the trace to a file that chrome://tracing and Perfetto open. Needs trace=True."""
        _core.write_trace(self._home, str(path))

    def __repr__(self):
        if self.closed:
            return "<hocket.Runtime, closed>"
        return f"<hocket.Runtime with {', '.join(each.name for each in self.devices)}>"

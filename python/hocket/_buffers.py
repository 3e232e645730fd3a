# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Buffers, and the numpy arrays over their memory."""

import itertools

import numpy as np

from . import _core
from .errors import UsageError

_numbers = itertools.count(1)


def label_of(label):
    """The label that was given, or one that no other buffer has."""
    return f"buffer {next(_numbers)}" if label is None else checked_label(str(label))


def checked_label(label):
    """The label, which may have halves of characters that C++ does not."""
    try:
        label.encode()
    except UnicodeEncodeError:
        raise ValueError(f"The label is {label!r}; it has to be of whole characters.") from None
    return label


def dtype_named(name):
    """The dtype of numpy for an element type of the C++ part."""
    if name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)


def array_over(view, dtype):
    """A numpy array over the memory of an ArrayView, which it keeps."""
    array = np.asarray(view)
    return array if array.dtype == dtype else array.view(dtype)


def empty_out(array):
    """Makes an array one without elements, so that it leads no longer to memory of a buffer."""
    while array is not None:
        under = array.base
        array.__setstate__((1, (0,), array.dtype, False, b""))
        array = under if isinstance(under, np.ndarray) else None


class View:
    """A numpy array over a buffer, for as long as the view is open.

    As a context manager it gives the array, which is empty after the block.
    """

    def __init__(self, buffer, mode):
        self._buffer = buffer
        self._view = buffer._handle.open(mode)
        self._array = array_over(self._view, buffer.dtype)

    @property
    def array(self):
        """The array. What is made of it without a copy (array[1:]) ends with the view as well."""
        if self._array is None:
            raise UsageError(f'The view of buffer "{self._buffer.label}" is closed.')
        return self._array

    def close(self):
        """Ends the view: later tasks on the buffer may run. The array is empty from here on."""
        if self._array is not None:
            empty_out(self._array)
            self._array = None
            self._view.close()

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """Hands the view over to a tensor: it is open until the tensor is gone, on any thread."""
        label = self._buffer.label
        if stream is not None or copy or (dl_device and tuple(dl_device) != (1, 0)):
            raise BufferError(
                f'Buffer "{label}" is handed out in memory of the host, without a copy or a stream.'
            )
        if not self.array.flags.writeable and (max_version is None or max_version[0] < 1):
            raise BufferError(
                f'The view of buffer "{label}" is read-only, which DLPack can say since version '
                "1.0; a library that asks for an older one is given buffer.update()."
            )
        tensor = _core.ArrayView.tensor(self._view).__dlpack__(max_version=max_version)
        self._view.detach()
        empty_out(self._array)
        # The tensor alone keeps the view: it ends if the consumer cannot do with the tensor.
        self._array = self._view = None
        return tensor

    def __enter__(self):
        return self.array

    def __exit__(self, *raised):
        self.close()

    def __del__(self):
        # Who has the array itself keeps what is under it.
        self._array = None


class Buffer:
    """Logical data of a runtime, with a shape and a dtype of numpy but without an address.

    Made by Runtime.buffer, empty, zeros and full. buffer[2:5] is a part, on which tasks may work
    beside those on other parts.
    """

    __slots__ = ("_handle", "_home", "dtype", "__weakref__")

    def __init__(self, home, handle, dtype):
        self._home = home
        self._handle = handle
        self.dtype = dtype

    @property
    def shape(self):
        """The extents, as of an array."""
        return self._handle.shape

    @property
    def ndim(self):
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self):
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self):
        """The bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def label(self):
        """The name in messages and traces."""
        return self._handle.label

    @property
    def read_only(self):
        """True if it lies over memory that is not to be written."""
        return self._handle.read_only

    def read(self):
        """A View for reading: waits for the tasks that write the buffer; writers after it wait."""
        return View(self, "read")

    def update(self):
        """A View for reading and writing: waits for all tasks on the buffer; later ones wait."""
        return View(self, "update")

    def write(self):
        """A View that replaces the whole content, and does not show the old one."""
        return View(self, "write")

    def numpy(self):
        """A copy of the content, as an array."""
        with self.read() as array:
            return array.copy()

    def assign(self, array):
        """Copies an array, or one number, into the buffer."""
        given = self._assignable(array)
        with self.write() as mine:
            mine[...] = given

    def _assignable(self, array):
        """The array as one whose assignment cannot fail: it would leave half of a content."""
        given = array if isinstance(array, np.ndarray) else np.asarray(array, self.dtype)
        if not np.can_cast(given.dtype, self.dtype, "safe"):
            given = given.astype(self.dtype)
        while given.ndim > self.ndim and given.shape[0] == 1:
            given = given[0]
        try:
            return np.broadcast_to(given, self.shape)
        except ValueError:
            raise ValueError(
                f'Buffer "{self.label}" of shape {self.shape} is assigned an array of shape '
                f"{given.shape}; it has to be one that numpy broadcasts to it."
            ) from None

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError(
                f'numpy asks for the memory of buffer "{self.label}" without a copy, for no '
                "certain time; buffer.read() gives an array over it, or numpy.from_dlpack(buffer)."
            )
        return self.numpy() if dtype is None else self.numpy().astype(dtype, copy=False)

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """The content as a tensor to read; a view is open until the tensor is gone.

        buffer.update() and buffer.write() give tensors to write.
        """
        if copy:
            return self.numpy().__dlpack__(max_version=max_version)
        view = self.read()
        try:
            return view.__dlpack__(
                stream=stream, max_version=max_version, dl_device=dl_device, copy=copy
            )
        finally:
            view.close()  # if it was not handed over; an exception would keep it

    def __getitem__(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        shape = self.shape
        if len(keys) > len(shape):
            raise IndexError(
                f'Buffer "{self.label}" has {len(shape)} dimensions, and {len(keys)} are given.'
            )
        first, last = [0] * len(shape), list(shape)
        for d, part in enumerate(keys):
            if not isinstance(part, slice):
                hint = f"; {part}:{part + 1} is one" if isinstance(part, int) else ""
                raise TypeError(
                    f'A part of buffer "{self.label}" is chosen by slices, not by {part!r}{hint}.'
                )
            first[d], last[d], step = part.indices(shape[d])
            if step != 1:
                raise ValueError(
                    f'A part of buffer "{self.label}" has the step {step}; it has to be 1.'
                )
            last[d] = max(first[d], last[d])
        return Buffer(self._home, self._handle.part(first, last), self.dtype)

    def __len__(self):
        return self.shape[0]

    def __iter__(self):
        raise TypeError(
            f'Buffer "{self.label}" has no elements at hand; buffer.read() gives an array of them.'
        )

    def __bool__(self):
        return True

    def __repr__(self):
        shape = ", ".join(str(each) for each in self.shape)
        return f'<hocket.Buffer "{self.label}": {self.dtype} ({shape})>'


class Access:
    """What a task does with a buffer; made by reads, writes and updates."""

    __slots__ = ("buffer", "mode")

    def __init__(self, buffer, mode):
        if not isinstance(buffer, Buffer):
            raise TypeError(f"A task {mode}s a hocket.Buffer, not {type(buffer).__name__}.")
        self.buffer = buffer
        self.mode = mode

    def __repr__(self):
        return f"<{self.mode}s {self.buffer!r}>"


def reads(buffer):
    """The function is given an array that it only reads."""
    return Access(buffer, "read")


def writes(buffer):
    """The function is given an array whose content it replaces, and does not see."""
    return Access(buffer, "write")


def updates(buffer):
    """The function is given an array that it reads and writes."""
    return Access(buffer, "update")

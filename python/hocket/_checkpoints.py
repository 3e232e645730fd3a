# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Checkpoints: buffers, and where a program is, saved in files."""

import os

from . import _core
from ._buffers import Buffer
from ._future import Future
from ._targets import target_of
from .errors import UsageError


def _named(home, buffers):
    """The buffers by name, as the C++ part takes them."""
    if not isinstance(buffers, dict):
        raise TypeError(f"The buffers of a checkpoint are {buffers!r}; they have to be a dict.")
    for name, each in buffers.items():
        if not isinstance(name, str) or not isinstance(each, Buffer):
            raise TypeError(
                f"A checkpoint is given {each!r} for {name!r}; it has to be a hocket.Buffer for a "
                "name."
            )
        if each._home is not home:
            raise UsageError(
                f'Buffer "{each.label}", for "{name}" of a checkpoint, belongs to another runtime.'
            )
    return [(name, each._handle) for name, each in buffers.items()]


def _text(name, value):
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise TypeError(
            f'The position "{name}" of a checkpoint is {value!r}; it has to be a text or a number, '
            "which is saved as a text."
        )
    return str(value)


class Checkpoint:
    """What a file has; from Checkpoints.newest().

    number: counted in its folder; file: its path; position: texts by name; arrays: (dtype, shape)
    by the names of buffers; newer: (path, why) of newer files that could not be used.
    """

    __slots__ = ("_home", "_handle", "number", "file", "position", "arrays", "newer")

    def __init__(self, home, handle):
        self._home = home
        self._handle = handle
        for name in ("number", "file", "position", "arrays", "newer"):
            setattr(self, name, getattr(handle, name))

    def restore(self, buffers):
        """Fills the buffers, {name: buffer}, in the order of tasks. Other arrays are left out. If
        one does not fit, none is changed."""
        self._handle.restore(self._home, _named(self._home, buffers))

    def __repr__(self):
        return f"<hocket.Checkpoint {self.number}: {', '.join(self.arrays)}>"


class Checkpoints:
    """Checkpoints in a folder; made by Runtime.checkpoints. One thread at a time.

    A file is there as a whole or not at all, whenever the process ends. As a context manager it
    ends with its block; else with its runtime.
    """

    def __init__(self, home, folder, keep):
        if isinstance(keep, bool) or not isinstance(keep, int) or keep < 1:
            raise ValueError(
                f"The number of checkpoints to keep is {keep!r}; it has to be 1 or more."
            )
        self.folder = os.fspath(folder)
        self._home = home
        self._open = _core.OpenCheckpoints(home, self.folder, keep)
        self._last = None

    def save(self, buffers, **position):
        """Saves what the buffers, {name: buffer}, hold once all tasks before have ended, and where
        the program is, as texts: save({"state": x}, step=7).

        Later tasks that write a buffer wait until it is copied, not until it is on the disk. The
        Future holds the number of the checkpoint, and fails if it cannot be written. Waits for the
        checkpoint before.
        """
        target = target_of(self._home)
        if target._records:
            raise UsageError(
                f'A checkpoint in "{self.folder}" is saved while graph "{target.label}" is '
                "recorded, of which nothing has run."
            )
        named = _named(self._home, buffers)
        texts = {name: _text(name, value) for name, value in position.items()}
        self._wait()
        self._last = Future(self._open.save(texts, named))
        return self._last

    def newest(self):
        """The newest Checkpoint that is whole, or None. Raises FileError if there are files and
        none is whole."""
        self._wait()
        found = self._open.newest()
        return None if found is None else Checkpoint(self._home, found)

    def close(self):
        """Waits for the last checkpoint. May be called twice."""
        self._wait()
        self._open.close()

    def _wait(self):
        # Here, where Ctrl-C ends it; the C++ part would wait for the same.
        if self._last is not None:
            self._last.wait()

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.close()

    def __repr__(self):
        return f'<hocket.Checkpoints in "{self.folder}">'

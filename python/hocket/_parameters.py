# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Numbers that differ from run to run of a graph."""

import itertools

import numpy as np

from . import _core
from ._buffers import checked_label

_numbers = itertools.count(1)


class Parameter:
    """A number that may be another one in each run of a graph: g.run({rate: 0.05}).

    Tasks take it for a number. A task that runs at once, and a run that does not say otherwise,
    gets the number that the parameter was made with.
    """

    __slots__ = ("_handle", "label", "dtype")

    def __init__(self, initial, label=None, dtype=None):
        self.label = f"parameter {next(_numbers)}" if label is None else checked_label(str(label))
        self.dtype = np.asarray(initial).dtype if dtype is None else np.dtype(dtype)
        self._handle = _core.ParameterHandle(initial, self.dtype, self.label)

    @property
    def initial(self):
        """The number that it was made with."""
        return self._handle.initial

    def __repr__(self):
        return f'<hocket.Parameter "{self.label}": {self.dtype}, {self.initial}>'

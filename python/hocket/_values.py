# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""The values that texts of kernels are made of, and their types."""

import fractions
import functools
import math

import numpy as np

FLOATS = {"float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float32", "float64"}
INTEGERS = {
    name: np.dtype(name).itemsize
    for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
}


class Value:
    """A value of the kernel: a node of the C++ part, or what has no type yet. That is a number of
    the text, or what is made of such numbers for each element, as in where(x > 0, 0.1, 0.3): then
    build(dtype) makes the node in the type that the value meets, of those computed with."""

    def __init__(self, node=None, number=None, build=None, is_whole=None, is_wide=None, depth=0):
        self.node = node
        self.number = number
        if number is not None:
            is_whole = isinstance(number, int)
            is_wide = is_whole and not -(2**31) <= number < 2**31
        #: How many values without a type there are between this one and the numbers, at most.
        self.depth = depth
        #: Without a type: whether it has no fraction, and whether it needs 64 bits then.
        self.is_whole = is_whole
        self.is_wide = is_wide
        self._build = build
        self._built = {}

    def built(self, dtype):
        """The node in that type, the same one each time."""
        if dtype not in self._built:
            self._built[dtype] = self._build(dtype)
        return self._built[dtype]

    @property
    def is_number(self):
        return self.number is not None

    @property
    def is_untyped(self):
        return self.node is None

    @property
    def dtype(self):
        """Of a node; None for a truth value."""
        return self.node.dtype

    @property
    def is_truth(self):
        return not self.is_untyped and self.node.dtype is None


def computed_type(dtype):
    """The type that operators compute with."""
    if dtype in FLOATS:
        return "float64" if dtype == "float64" else "float32"
    return "int32" if INTEGERS[dtype] < 4 else dtype


def common_of(values):
    """The type of an operation on values, of which some have a type."""
    dtype = functools.reduce(
        common_type, [computed_type(each.dtype) for each in values if not each.is_untyped]
    )
    has_fraction = any(each.is_untyped and not each.is_whole for each in values)
    return "float64" if has_fraction and dtype not in FLOATS else dtype


def common_type(first, second):
    """The type of an operation on values of these."""
    first, second = computed_type(first), computed_type(second)
    if (first in FLOATS) != (second in FLOATS):
        return first if first in FLOATS else second
    if first in FLOATS:
        return "float64" if "float64" in (first, second) else "float32"
    for name in ("uint64", "int64", "uint32"):
        if name in (first, second):
            return name
    return "int32"


def element_of(parameters):
    """The type beside which numbers stand, of parameters (name, dtype, use): the widest of the
    buffers that are read."""
    buffers = [(dtype, use) for _, dtype, use in parameters if use != "number"]
    return widest([d for d, use in buffers if use != "write"] or [d for d, _ in buffers])


def widest(dtypes):
    """The type of an operation on buffers of all these; bool counts where nothing else is."""
    kinds = set(dtypes)
    if len(kinds) > 1:
        kinds.discard("bool")
    return functools.reduce(common_type, sorted(kinds)) if len(kinds) > 1 else kinds.pop()


def computed(operation, numbers):
    """What a function gives for numbers of the text: what numpy gives in float64."""
    if operation == "fma":
        if all(math.isfinite(each) for each in numbers):
            a, b, c = (fractions.Fraction(each) for each in numbers)
            try:
                return float(a * b + c)
            except OverflowError:
                return math.inf if a * b + c > 0 else -math.inf
        a, b, c = (float(each) for each in numbers)
        return a * b + c
    name = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(operation, operation)
    with np.errstate(all="ignore"):
        try:
            return float(getattr(np, name)(np.float64(numbers[0])))
        except OverflowError:  # of an integer that is no float64
            return float(getattr(np, name)(math.copysign(math.inf, numbers[0])))

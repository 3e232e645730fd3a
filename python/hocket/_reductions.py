# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Reductions from texts, in the language of elementwise kernels."""

import ast
import functools

import numpy as np

from . import _core
from ._buffers import Buffer
from ._expressions import (
    Text,
    computed_type,
    label_of_text,
    number_dtype_of,
    parsed,
    typed_result,
)
from ._future import options_of
from ._targets import taken_into, taken_options
from .errors import UsageError


class _Expression(Text):
    """One expression, without the number of the element: values that are combined have none."""

    def result(self):
        statements = parsed(self.text)
        if len(statements) != 1 or not isinstance(statements[0], ast.Expr):
            self.fail("has to be one expression, as in a + b")
        return self.content(statements[0].value)

    def _Name(self, node):
        if node.id == "index" and node.id not in self.values:
            self.fail("has the name 'index', which a reduction does not have")
        return super()._Name(node)


def _check_uses(text, names):
    used = {node.id for node in ast.walk(ast.parse(text.strip())) if isinstance(node, ast.Name)}
    for name in names:
        if name not in used:
            raise UsageError(f"The expression {text!r} does not use {name!r}.")


@functools.lru_cache(maxsize=4096, typed=True)
def _kernel(combine, start, text, inputs):
    """The kernel. Inputs: (name, dtype)."""
    names = [name for name, _ in inputs]
    map_ = _Expression(names[0] if text is None else text, [(*each, "read") for each in inputs])
    value = map_.settled(map_.whole(map_.result()))
    if text is not None:
        _check_uses(text, names)
    dtype = computed_type(value.dtype)
    mapped = map_.typed(value, dtype)
    if text is None and dtype == inputs[0][1]:
        mapped = None
    both = _Expression(combine, [("a", dtype, "read"), ("b", dtype, "read")])
    combined = typed_result(both, both.whole(both.result()), dtype, "a and b")
    _check_uses(combine, "ab")
    label = label_of_text(combine if text is None else f"{combine} of {text}")
    return _core.reduction_kernel(label, [d for _, d in inputs], start, dtype, combined, mapped)


def _start_of(start):
    if isinstance(start, np.generic):
        start = start.item()
    if not isinstance(start, (bool, int, float)):
        raise TypeError(f"A reduction starts with {start!r}; it has to be a number.")
    return start


def submit(home, combine, start, text, arguments):
    """Submits a launch of the kernel of a reduction."""
    target, options = taken_into(home, taken_options(arguments))
    if not arguments or (text is None and len(arguments) != 1):
        raise TypeError(
            f"The reduction {combine!r} is passed {len(arguments)} buffers; it takes one, and with "
            "a map one or more."
        )
    for name, each in arguments.items():
        if not isinstance(each, Buffer):
            raise TypeError(
                f"The reduction {combine!r} is passed {each!r} for {name!r}; it has to be a "
                "hocket.Buffer. A number is written in the text."
            )
    inputs = tuple((name, number_dtype_of(each)) for name, each in arguments.items())
    kernel = _kernel(combine, _start_of(start), text, inputs)
    given = [each._handle for each in arguments.values()]
    task = _core.submit_kernel(target._handle, kernel, given, options_of(options))
    return target._submitted(task)

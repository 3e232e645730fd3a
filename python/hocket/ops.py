# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""The built-in operations. Each submits one task and returns its Future.

Arguments are buffers and numbers (or futures or parameters of numbers) in the order of the
signature; options of a task are given by name: label, after, priority, on, in_order, timeout, into.
Matrices are row-major.
"""

import numbers

from . import _core
from ._buffers import Buffer
from ._future import options_of, task_of
from ._targets import taken_into


def _submit(name, arguments, options):
    first = next((each for each in arguments if isinstance(each, Buffer)), None)
    if first is None:
        raise TypeError(f'The operation "{name}" is given no hocket.Buffer.')
    given = [each._handle if isinstance(each, Buffer) else task_of(each) for each in arguments]
    target, options = taken_into(first._home, options)
    task = _core.submit_operation(
        target._handle, name, first._handle.dtype_name, given, options_of(options)
    )
    return target._submitted(task)


def _operation(name, parameters, text):
    count = len(parameters.split())

    def operation(*arguments, **options):
        if len(arguments) != count:
            raise TypeError(
                f"{name}({', '.join(parameters.split())}) is given {len(arguments)} arguments."
            )
        return _submit(name, arguments, options)

    operation.__name__ = operation.__qualname__ = name
    operation.__doc__ = f"{name}({', '.join(parameters.split())}): {text}"
    return operation


_TABLE = {
    "fill": ("value x", "x = value."),
    "copy": ("x y", "y = x."),
    "axpy": ("a x y", "y += a * x."),
    "add": ("x y z", "z = x + y."),
    "mul": ("x y z", "z = x * y, element by element."),
    "sum": ("x", "the sum of all elements."),
    "max": ("x", "the largest element."),
    "min": ("x", "the least element."),
    "dot": ("x y", "the sum of x * y."),
    "sum_of_squares": ("x", "the sum of x * x."),
    "max_magnitude": ("x", "the largest magnitude."),
    "mean": ("x", "the mean of all elements."),
    "norm": ("x", "the Euclidean norm."),
    "argmax": ("x", "the place of the largest element."),
    "argmin": ("x", "the place of the least element."),
    "inclusive_scan": ("x y", "y[i] = x[0] + ... + x[i]."),
    "exclusive_scan": ("x y", "y[i] = x[0] + ... + x[i-1]."),
    "sort": ("x", "sorts x, every NaN last."),
    "transpose": ("a b", "b = a transposed."),
    "syrk_lower": ("alpha a beta c", "the lower triangle of c = alpha a a^T + beta c."),
    "trsm_lower": ("l b", "solves l x = b for x, which replaces b; l is a lower triangle."),
    "trsm_lower_transposed": ("l b", "solves l^T x = b."),
    "trsm_right_lower_transposed": ("l b", "solves x l^T = b."),
    "potrf_lower": ("a", "the Cholesky factor, which replaces the lower triangle of a."),
    "getrf": ("a pivots", "the LU factors with pivots."),
    "random_uniform": ("seed stream x", "numbers from 0 to 1."),
    "random_normal": ("seed stream x", "normally distributed numbers."),
    "bias_forward": ("x bias y", "y = x + bias, for each row."),
    "bias_relu_forward": ("x bias y", "y = max(x + bias, 0)."),
    "bias_backward": ("dy dbias", "dbias = the sums of the columns of dy."),
    "bias_relu_backward": ("y dy dx dbias", "the gradients of bias_relu_forward."),
    "softmax_cross_entropy_forward": ("logits labels loss", "the loss of each row."),
    "softmax_cross_entropy_backward": ("scale logits labels dlogits", "its gradient."),
    "count_correct": ("logits labels", "how many rows have their maximum at the label."),
    "sgd_momentum": ("rate momentum gradient velocity weight", "one step of training."),
}

for _name, (_parameters, _text) in _TABLE.items():
    globals()[_name] = _operation(_name, _parameters, _text)


def _is_narrow(a):
    return isinstance(a, Buffer) and a.dtype.name in ("float16", "bfloat16")


def gemm(a, b, c, alpha=1, beta=0, transpose_a=False, transpose_b=False, **options):
    """c = alpha a b + beta c, the product of matrices; a or b may be taken transposed.

    Of buffers with three dimensions there are several products, c[i] of a[i] and b[i]. Where a and
    b have numbers in 16 bits, c may have the same or float32.
    """
    if transpose_a and transpose_b:
        raise ValueError("gemm takes a or b transposed, not both; transpose() makes the other one.")
    name = "gemms" if isinstance(c, Buffer) and c.ndim == 3 else "gemm"
    if _is_narrow(a) and getattr(c, "dtype", None) == "float32":
        name = "widened_" + name
    form = ("t" if transpose_a else "n") + ("t" if transpose_b else "n")
    if not isinstance(beta, numbers.Real) or beta != 0:
        return _submit(f"scaled_{name}_{form}", (alpha, a, b, beta, c), options)
    if isinstance(alpha, numbers.Real) and alpha == 1:
        return _submit(f"{name}_{form}", (a, b, c), options)
    return _submit(f"replacing_{name}_{form}", (alpha, a, b, 0, c), options)


__all__ = [*_TABLE, "gemm"]

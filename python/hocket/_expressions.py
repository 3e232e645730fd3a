# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Elementwise kernels from texts in the syntax of Python.

A text is parsed by Python's own parser, and never run: of its tree a kernel is made that runs on
all devices. The types are those of numpy, where C++ and devices have them: float16,
bfloat16 and numbers in 8 bits are computed with as float32, small integers as int32, and numbers
in the text take the type of what stands beside them. What is made of such numbers alone has no type
either, until it meets one.
"""

import ast
import functools
import math

import numpy as np

from . import _core
from ._buffers import Buffer
from ._future import Future, options_of, task_of
from ._parameters import Parameter
from ._targets import taken_into, taken_options
from ._values import (
    FLOATS,
    INTEGERS,
    Value,
    common_of,
    computed,
    computed_type,
    element_of,
    widest,
)
from .errors import UsageError

_FUNCTIONS = {
    name: name
    for name in "exp exp2 log log2 sqrt sin cos tan sinh cosh tanh floor ceil trunc rint".split()
} | {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "asin": "asin", "acos": "acos",
     "atan": "atan"}
_ARITHMETIC = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply"}
_COMPARISONS = {ast.Eq: "equal", ast.NotEq: "not_equal", ast.Lt: "less", ast.LtE: "less_equal"}
_SWAPPED = {ast.Gt: "less", ast.GtE: "less_equal"}
# To multiply without an error: the digits of half a number, from where on numbers are scaled down
# for that, and by how much.
_EXACT = {"float32": (12, 2.0**100, 2.0**24), "float64": (27, 2.0**960, 2.0**54)}
_CONSTANTS = {"pi": np.pi, "e": np.e, "inf": np.inf, "nan": np.nan}


_MOST_BITS = 1100  # of a number in a text; all that a type can hold have fewer
_MOST_UNTYPED = 50  # values without a type of which each is made of the one before
_NESTED = "is nested too deeply; give names to parts of it, as in t = x + 1; t * t"


def _shown(text):
    """The text in a message."""
    return repr(text if len(text) <= 200 else text[:197] + "...")


class Text:
    """Builds the values of one text."""

    def __init__(self, text, parameters):
        self.text = text
        self.parameters = {name: number for number, (name, *_) in enumerate(parameters)}
        self.values = {}
        for number, (name, dtype, _) in enumerate(parameters):
            self.values[name] = Value(_core.Value.parameter(dtype, number))
        self.element = element_of(parameters)

    def fail(self, what, node=None):
        place = ast.get_source_segment(self.text, node) if node is not None else None
        where = f", at {place!r}" if place else ""
        raise UsageError(f"The expression {_shown(self.text)} {what}{where}.")

    def run(self, statements):
        for statement in statements:
            if isinstance(statement, ast.Expr) and len(statements) == 1:
                self.values["out"] = self.content(statement.value)
                return
            if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
                self.fail("has a statement that is no assignment, as in y = 2*x", statement)
            target = statement.targets[0]
            if not isinstance(target, ast.Name):
                self.fail("assigns to what is no name", target)
            self.values[target.id] = self.content(statement.value)

    def content(self, node):
        """The value of a whole expression."""
        try:
            return self.value(node)
        except RecursionError:
            pass  # its frames are of no interest
        self.fail(_NESTED)

    def value(self, node):
        method = getattr(self, "_" + type(node).__name__, None)
        if method is None:
            self.fail("has what kernels cannot compute", node)
        return method(node)

    def typed(self, value, dtype):
        """The value as that type, a node of the C++ part."""
        if value.is_number:
            try:
                return _core.Value.literal(value.number, dtype)
            except (TypeError, ValueError) as error:
                self.fail(f"has a number that is none of its type: {error}")
        if not value.is_untyped:
            return value.node.converted(dtype)
        return value.built(computed_type(dtype)).converted(dtype)

    def settled(self, value):
        """The value in a type of its own, if it has met none: integers have 32 bits where these
        are enough, and fractions the type of the buffers."""
        return Value(self.typed(value, self.type_of(value))) if value.is_untyped else value

    def type_of(self, *values):
        """The type that an operation on the values has, and they are settled in."""
        if not all(each.is_untyped for each in values):
            return common_of(values)
        if all(each.is_whole for each in values):
            has_64_bits = self.element in ("int64", "uint64")
            if not has_64_bits and not any(each.is_wide for each in values):
                return "int32"
            return self.element if has_64_bits else "int64"
        return computed_type(self.element) if self.element in FLOATS else "float64"

    def truth(self, value):
        if value.is_number:
            return _core.Value.truth(bool(value.number))
        value = self.settled(value)
        return value.node if value.is_truth else value.node.converted("bool")

    def numbers(self, *values):
        values = [self.whole(each) for each in values]
        dtype = self.type_of(*values)
        return dtype, [self.typed(each, dtype) for each in values]

    def combined(self, values, build, is_whole=None):
        """What build(dtype, operands) gives, in the type of the values or without one."""
        values = [self.whole(each) for each in values]
        depth = 1 + max(each.depth for each in values)
        if depth > _MOST_UNTYPED:
            values = [self.settled(each) for each in values]
        if not all(each.is_untyped for each in values):
            dtype = common_of(values)
            return Value(build(dtype, [self.typed(each, dtype) for each in values]))
        return Value(
            build=lambda dtype: build(dtype, [self.typed(each, dtype) for each in values]),
            is_whole=all(each.is_whole for each in values) if is_whole is None else is_whole,
            is_wide=any(each.is_wide for each in values),
            depth=depth,
        )

    def whole(self, value):
        """A truth value as the number 0 or 1."""
        return Value(value.node.converted("int32")) if value.is_truth else value

    def apply(self, operation, dtype, operands):
        return Value(_core.Value.apply(operation, dtype, operands))

    def node(self, operation, dtype, operands):
        return _core.Value.apply(operation, dtype, operands)

    def _Constant(self, node):
        if isinstance(node.value, bool):
            return Value(_core.Value.truth(node.value))
        if isinstance(node.value, (int, float)):
            return Value(number=node.value)
        self.fail("has what is no number", node)

    def _Name(self, node):
        if node.id in self.values:
            return self.values[node.id]
        if node.id == "index":
            return Value(_core.Value.index())
        if node.id in _CONSTANTS:
            return Value(number=float(_CONSTANTS[node.id]))
        self.fail(f"has the name {node.id!r}, which is passed no buffer and no number")

    def _UnaryOp(self, node):
        value = self.value(node.operand)
        if isinstance(node.op, (ast.Not, ast.Invert)):
            if isinstance(node.op, ast.Invert) and not value.is_truth:
                self.fail("inverts the bits of a number", node)
            return self.apply("invert", None, [self.truth(value)])
        if value.is_number:
            return Value(number=-value.number if isinstance(node.op, ast.USub) else value.number)
        if isinstance(node.op, ast.UAdd):
            return self.combined([value], lambda dtype, operands: operands[0])
        return self.combined([value], lambda dtype, operands: self.node("negate", dtype, operands))

    def _BinOp(self, node):
        a, b = self.value(node.left), self.value(node.right)
        if a.is_number and b.is_number:
            return self.constant(node, a.number, b.number)
        if isinstance(node.op, (ast.BitAnd, ast.BitOr)):
            if not a.is_truth or not b.is_truth:
                self.fail("combines the bits of numbers", node)
            name = "both" if isinstance(node.op, ast.BitAnd) else "either"
            return self.apply(name, None, [a.node, b.node])
        if isinstance(node.op, ast.Pow):
            return self.power(a, b)
        if type(node.op) in _ARITHMETIC:
            name = _ARITHMETIC[type(node.op)]
            return self.combined([a, b], lambda dtype, operands: self.node(name, dtype, operands))
        if isinstance(node.op, ast.Div):
            return self.combined([a, b], self.fraction, is_whole=False)
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            quotient, rest = self.divided(*self.numbers(a, b))
            return quotient if isinstance(node.op, ast.FloorDiv) else rest
        self.fail("has an operator that kernels do not have", node)

    def constant(self, node, a, b):
        """Numbers of the text are computed with by Python."""
        too_large = "has a number that no type can hold"
        if isinstance(node.op, (ast.Pow, ast.LShift)) and isinstance(a, int) and isinstance(b, int):
            # About so many bits the result has: not all can be computed first.
            if (a.bit_length() - 1 if isinstance(node.op, ast.Pow) else 1) * b > _MOST_BITS:
                self.fail(too_large, node)
        try:
            tree = ast.Expression(ast.BinOp(ast.Constant(a), node.op, ast.Constant(b)))
            number = eval(compile(ast.fix_missing_locations(tree), "<numbers>", "eval"))
        except (ArithmeticError, TypeError, ValueError) as error:
            self.fail(f"cannot be computed: {error}", node)
        if not isinstance(number, (int, float)):
            self.fail("has a number that is not real", node)
        if isinstance(number, int) and number.bit_length() > _MOST_BITS:
            self.fail(too_large, node)
        return Value(number=number)

    def fraction(self, dtype, operands):
        if dtype not in FLOATS:
            operands, dtype = [each.converted("float64") for each in operands], "float64"
        return self.node("divide", dtype, operands)

    def divided(self, dtype, operands):
        """Floor and rest of a division, of which the rest has the sign of the divisor."""
        a, b = operands
        if dtype in FLOATS:
            return self.divided_with_fraction(dtype, a, b)
        quotient = self.apply("divide", dtype, operands)
        rest = self.apply("remainder", dtype, operands)
        if dtype.startswith("uint"):
            return quotient, rest
        zero = _core.Value.literal(0, dtype)
        signs = self.signs_differ(dtype, rest.node, b)
        some = self.apply("not_equal", None, [rest.node, zero]).node
        one = self.apply("both", None, [some, signs]).node.converted(dtype)
        more = self.apply("multiply", dtype, [one, b]).node
        return (
            self.apply("subtract", dtype, [quotient.node, one]),
            self.apply("add", dtype, [rest.node, more]),
        )

    def signs_differ(self, dtype, a, b):
        zero = _core.Value.literal(0, dtype)
        below = [self.apply("less", None, [each, zero]).node.converted("int32") for each in (a, b)]
        return self.apply("not_equal", None, below).node

    def divided_with_fraction(self, dtype, a, b):
        """The same for numbers with a fraction, from the exact rest of their magnitudes: a quotient
        that is rounded may be the next whole number."""
        apply, compare = self.operations(dtype), self.operations(None)
        zero, one = (_core.Value.literal(number, dtype) for number in (0, 1))
        size, step = apply("absolute", a), apply("absolute", b)
        count = apply("floor", apply("divide", size, step))
        # Less than an infinite step is all left.
        some_left = self.left_of(dtype, size, count, step)
        left = apply("select", compare("equal", count, zero), size, some_left)
        # The division of some devices is off by more than its last bit, in either direction.
        is_over, is_under = compare("less", left, zero), compare("less_equal", step, left)
        below, above = apply("subtract", count, one), apply("add", count, one)
        count = apply("select", is_over, below, apply("select", is_under, above, count))
        less, more = apply("subtract", left, step), apply("add", left, step)
        left = apply("select", is_over, more, apply("select", is_under, less, left))
        # Infinitely often any step fits, and what is left then is no number.
        is_finite = compare("less", size, _core.Value.literal(np.inf, dtype))
        count = apply("select", is_finite, count, left)
        # From here on with signs: the quotient is rounded down, and the rest has the sign of b.
        opposite = self.signs_differ(dtype, a, b)
        goes_down = compare("both", opposite, compare("not_equal", left, zero))
        count = apply("select", opposite, apply("negate", count), count)
        left = apply("select", compare("less", a, zero), apply("negate", left), left)
        return (
            Value(apply("select", goes_down, apply("subtract", count, one), count)),
            Value(apply("select", goes_down, apply("add", left, b), left)),
        )

    def operations(self, dtype):
        return lambda operation, *operands: self.apply(operation, dtype, list(operands)).node

    def left_of(self, dtype, size, count, step):
        """size - count * step, without an error: fma rounds twice on some devices."""
        apply, compare = self.operations(dtype), self.operations(None)
        digits, largest, scale = _EXACT[dtype]
        largest, scale_down, scale_up, splitter, one = (
            _core.Value.literal(number, dtype)
            for number in (largest, 1 / scale, scale, 2**digits + 1, 1)
        )
        # Halves of very large numbers would be infinite.
        is_large = compare("less", largest, step)
        factor = apply("select", is_large, scale_down, one)
        size, step = apply("multiply", size, factor), apply("multiply", step, factor)

        def halves(number):
            far = apply("multiply", splitter, number)
            high = apply("subtract", far, apply("subtract", far, number))
            return high, apply("subtract", number, high)

        def less_product(number, p, q):
            return apply("subtract", number, apply("multiply", p, q))

        (count_high, count_low), (step_high, step_low) = halves(count), halves(step)
        product = apply("multiply", count, step)
        error = less_product(product, count_high, step_high)
        error = less_product(error, count_low, step_high)
        error = less_product(error, count_high, step_low)
        error = less_product(error, count_low, step_low)
        left = apply("add", apply("subtract", size, product), error)
        return apply("multiply", left, apply("select", is_large, scale_up, one))

    def power(self, a, b):
        if b.is_number and isinstance(b.number, int) and 1 <= b.number <= 8:
            def product(dtype, operands):
                made = operands[0]
                for _ in range(b.number - 1):
                    made = self.node("multiply", dtype, [made, *operands])
                return made

            return self.combined([a], product)
        if a.is_untyped and b.is_untyped and not (a.is_whole and b.is_whole):
            return self.combined([a, b], lambda *both: self.node("pow", *both))
        dtype, operands = self.numbers(a, b)
        if dtype not in FLOATS:
            self.fail("has an integer with an exponent other than 1 to 8; write float32(x) ** y")
        return self.apply("pow", dtype, operands)

    def _Compare(self, node):
        made, left = None, self.value(node.left)
        for operator, right in zip(node.ops, node.comparators):
            right = self.value(right)
            swapped = type(operator) in _SWAPPED
            name = (_SWAPPED if swapped else _COMPARISONS).get(type(operator))
            if name is None:
                self.fail("has a comparison that kernels do not have", node)
            _, operands = self.numbers(left, right)
            one = self.apply(name, None, operands[::-1] if swapped else operands)
            made = one if made is None else self.apply("both", None, [made.node, one.node])
            left = right
        return made

    def _BoolOp(self, node):
        name = "both" if isinstance(node.op, ast.And) else "either"
        values = [self.value(each) for each in node.values]
        if not all(each.is_truth for each in values):
            self.fail("joins numbers by 'and' or 'or', which join conditions, as in x != 0", node)
        return Value(functools.reduce(lambda *both: self.node(name, None, [*both]),
                                      [each.node for each in values]))

    def _IfExp(self, node):
        return self.select(*(self.value(each) for each in (node.test, node.body, node.orelse)))

    def select(self, test, a, b):
        test = self.truth(test)
        if a.is_truth and b.is_truth:
            return self.apply("select", None, [test, a.node, b.node])
        return self.combined([a, b], lambda dtype, both: self.node("select", dtype, [test, *both]))

    def _Call(self, node):
        if not isinstance(node.func, ast.Name) or node.keywords:
            self.fail("calls what is no function of kernels", node)
        name, values = node.func.id, [self.value(each) for each in node.args]
        wanted = 3 if name in ("where", "select", "fma") else 1
        if name in ("minimum", "maximum", "min", "max", "pow"):
            wanted = 2
        if len(values) != wanted:
            self.fail(f"passes {len(values)} values to {name}, which takes {wanted}", node)
        if name in ("where", "select"):
            return self.select(*values)
        if name in ("minimum", "min", "maximum", "max"):
            return self.extreme(name.startswith("min"), *values)
        if name == "pow":
            if all(each.is_number for each in values):
                return self.constant(ast.BinOp(op=ast.Pow()), *(each.number for each in values))
            return self.power(*values)
        if name in ("abs", "fabs"):
            return self.magnitude(values[0])
        if name == "bool":
            return Value(self.truth(values[0]))
        if name in FLOATS or name in INTEGERS:
            return self.cast(values[0], name)
        return self.function(name, values, node)

    def extreme(self, is_least, a, b):
        if a.is_number and b.is_number:
            least, largest = sorted((a.number, b.number))
            number = least if is_least else largest
            return Value(number=number if a.number == a.number and b.number == b.number else np.nan)

        def chosen(dtype, operands):
            a, b = operands
            is_b = self.node("less", None, [b, a] if is_least else [a, b])
            if dtype in FLOATS:  # of which one may be no number, and then the result is none
                is_none = self.node("not_equal", None, [b, b])
                is_b = self.node("either", None, [is_b, is_none])
            return self.node("select", dtype, [is_b, b, a])

        return self.combined([a, b], chosen)

    def cast(self, value, dtype):
        """The value as that type; what follows the point is cut off for integers."""
        if value.is_number and dtype in INTEGERS and math.isfinite(value.number):
            value = Value(number=int(value.number))
        elif value.is_untyped and not value.is_number and not value.is_whole:
            value = self.settled(value) if dtype in INTEGERS else value
        return Value(self.typed(self.whole(value), dtype))

    def function(self, name, values, node):
        if name != "fma" and name not in _FUNCTIONS:
            others = {"abs", "bool", "fma", "maximum", "minimum", "pow", "where"}
            known = sorted({*_FUNCTIONS, *others})
            self.fail(f"calls {name!r}; kernels have {', '.join(known)}, and the types as float32")
        operation = _FUNCTIONS.get(name, "fma")
        if all(each.is_number for each in values):
            try:
                return Value(number=computed(operation, [each.number for each in values]))
            except OverflowError:
                self.fail("has a number that no type can hold", node)

        def called(dtype, operands):
            # As in numpy, functions of integers are computed as numbers with a fraction.
            if dtype not in FLOATS:
                operands, dtype = [each.converted("float64") for each in operands], "float64"
            return self.node(operation, dtype, operands)

        return self.combined(values, called, is_whole=False)

    def magnitude(self, value):
        if value.is_number:
            return Value(number=abs(value.number))

        def positive(dtype, operands):
            if dtype in FLOATS:
                return self.node("absolute", dtype, operands)
            (node,) = operands
            if dtype.startswith("uint"):
                return node
            is_below = self.node("less", None, [node, _core.Value.literal(0, dtype)])
            return self.node("select", dtype, [is_below, self.node("negate", dtype, [node]), node])

        return self.combined([value], positive)


def parsed(text):
    try:
        return ast.parse(text.strip(), mode="exec").body
    except SyntaxError as error:
        raise UsageError(f"The expression {_shown(text)} cannot be read: {error.msg}.") from None
    except ValueError as error:  # of bytes that are no text
        raise UsageError(f"The expression {_shown(text)} cannot be read: {error}.") from None
    except (RecursionError, MemoryError):  # as Python's parser says it
        raise UsageError(f"The expression {_shown(text)} {_NESTED}.") from None


def label_of_text(text):
    """What a kernel of the text is called."""
    label = " ".join(text.split())
    return label if len(label) <= 48 else label[:45] + "..."


def typed_result(made, value, dtype, what):
    """A value of the text as that type, which is that of `what`."""
    has_fraction = not value.is_whole if value.is_untyped else value.dtype in FLOATS
    if has_fraction and dtype in INTEGERS:
        made.fail(
            f"gives numbers with a fraction, {made.settled(value).dtype}, for {what} of {dtype}; "
            f"{dtype}(...) cuts the fraction off"
        )
    return made.typed(value, dtype) if dtype != "bool" else made.truth(value)


def _reads_before_writes(statements):
    """The names that are read before they are assigned, and those that are assigned."""
    read, written = set(), set()
    for statement in statements:
        is_assignment = isinstance(statement, ast.Assign)
        for node in ast.walk(statement.value if is_assignment else statement):
            if isinstance(node, ast.Name) and node.id not in written:
                read.add(node.id)
        if is_assignment and isinstance(statement.targets[0], ast.Name):
            written.add(statement.targets[0].id)
    if len(statements) == 1 and isinstance(statements[0], ast.Expr):
        written.add("out")
    return read, written


@functools.lru_cache(maxsize=4096)
def _parts(text):
    """The statements, the names that are read before they are assigned, and the assigned ones."""
    statements = parsed(text)
    if not statements:
        raise UsageError("The expression is empty.")
    return statements, *_reads_before_writes(statements)


@functools.lru_cache(maxsize=4096)
def _kernel(text, arguments):
    """The kernel, and the names of its arguments in order. Arguments: (name, dtype, is_buffer)."""
    statements, read, written = _parts(text)
    parameters = []
    for name, dtype, is_buffer in arguments:
        if not is_buffer and name in written:
            raise UsageError(
                f"The expression {text!r} assigns to {name!r}, which is passed as a number; "
                "it has to be a hocket.Buffer."
            )
        if name not in read and name not in written:
            raise UsageError(f"The expression {text!r} does not use {name!r}, which is passed.")
        use = "number"
        if is_buffer:
            use = "read" if name not in written else "update" if name in read else "write"
        parameters.append((name, dtype, use))
    outputs = [(n, dtype) for n, dtype, use in parameters if use in ("write", "update")]
    if not outputs:
        raise UsageError(f"The expression {text!r} is passed no buffer for its result; pass out=.")
    made = Text(text.strip(), parameters)
    made.run(statements)
    results = []
    for name, dtype in outputs:
        value = made.values[name]
        results.append((made.parameters[name], typed_result(made, value, dtype, repr(name))))
    described = [(dtype, use) for _, dtype, use in parameters]
    return _core.elementwise_kernel(label_of_text(text), described, results)


def number_dtype_of(buffer):
    """The name of the dtype of a buffer that expressions compute with."""
    if buffer.dtype.kind in "cV" and buffer._handle.dtype_name not in FLOATS:
        raise TypeError(
            f'Buffer "{buffer.label}" has elements of {buffer.dtype}; expressions compute with '
            "real numbers and bool."
        )
    return buffer._handle.dtype_name


def _element_type(text, dtypes):
    """The type beside which numbers stand: the widest of the buffers that are read. Dtypes: by the
    names of the buffers."""
    read = _parts(text)[1]
    return widest([dtype for name, dtype in dtypes.items() if name in read] or dtypes.values())


def _number_type(value, element):
    """The type in which a kernel is given a number, beside buffers of that type."""
    if isinstance(value, Future):
        given = value._task.number_dtype
        if given is None:
            raise TypeError(f'The future of "{value.label}" is passed, which returns no number.')
    elif isinstance(value, Parameter):
        given = value.dtype.name
    elif isinstance(value, (bool, np.bool_)):
        given = "int32"
    elif isinstance(value, (int, np.integer)):
        given = "int32" if -(2**31) <= int(value) < 2**31 else "int64"
    elif isinstance(value, (float, np.floating)):
        given = "float64"
    else:
        raise TypeError(f"A kernel is given a hocket.Buffer, a number or a Future, not {value!r}.")
    if element in FLOATS:
        return computed_type(element)
    if element == "bool" or (given in FLOATS and element not in FLOATS):
        return given
    return element


def submit(home, text, arguments):
    """Submits a launch of the kernel of a text."""
    target, options = taken_into(home, taken_options(arguments))
    dtypes = {n: number_dtype_of(each) for n, each in arguments.items() if isinstance(each, Buffer)}
    if not dtypes:
        raise TypeError(f"The expression {text!r} is passed no hocket.Buffer.")
    element = _element_type(text, dtypes)
    described, given = [], []
    for name, each in arguments.items():
        if name in dtypes:
            described.append((name, dtypes[name], True))
            given.append(each._handle)
        else:
            described.append((name, _number_type(each, element), False))
            given.append(task_of(each))
    kernel = _kernel(text, tuple(described))
    task = _core.submit_kernel(target._handle, kernel, given, options_of(options))
    return target._submitted(task)

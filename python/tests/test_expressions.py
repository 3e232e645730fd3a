# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Elementwise kernels from texts give what numpy gives, on the host and on devices."""

import re
import unittest
import warnings

import hocket
import numpy as np

#: What numpy computes, and kernels as well: with x, y floats and n, m integers.
FLOATS = """2*x + y; x - y*y; x / (y + 3); -x; +x; abs(x); exp(x); log(abs(x) + 1); sqrt(abs(y))
sin(x) * cos(y); tanh(x); floor(x); ceil(y); trunc(x*3); rint(x*3); where(x > y, x, y)
minimum(x, y); maximum(x, 0.5); where((x > 0) & (y > 0), 1.0, -1.0); x**2; x**3 - y**5
where((x > 0) | ~(y > 0), x, 2); abs(x)**1.5; abs(x)**abs(y); x // 0.3; x % 0.7; x*1e-3 + pi
exp(-(x*x)) / 2; (x < y) * x; arctan(x); exp2(x); log2(abs(x) + 2); where(x == y, 0.0, x)
where(x != y, 1.0, 0.0); (x >= y) * 2.0 + (x <= y); sinh(x) + cosh(y); tan(x / 3)
arcsin(x / 10) + arccos(y / 10); 3 - x; 1 / (x*x + 1)"""
INTEGERS = """n + 2*m; n - m; n * m; n // 3; n % 3; n // m; n % m; -n; abs(n); n**2; 7 - n; n / m
where(n > m, n, m); minimum(n, m); maximum(n, -1); (n < m) * n; n * 0.5"""


def texts(of):
    return [each.strip() for each in of.replace("\n", ";").split(";")]


NUMPY = {name: getattr(np, name) for name in dir(np) if not name.startswith("_")}


class Expressions(unittest.TestCase):
    def setUp(self):
        self.rt = hocket.Runtime()
        self.addCleanup(self.rt.close)

    def compare(self, text, arrays, dtype, bound, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = eval(text, {**NUMPY, "abs": abs}, arrays)
        buffers = {name: self.rt.buffer(array, copy=True) for name, array in arrays.items()}
        used = {name: buffer for name, buffer in buffers.items() if re.search(rf"\b{name}\b", text)}
        out = self.rt.empty(1000, dtype)
        self.rt.elementwise(text, out=out, **used, **options)
        np.testing.assert_allclose(
            out.numpy(), np.asarray(wanted).astype(dtype), rtol=bound, atol=bound, err_msg=text
        )

    def arrays(self, dtype, names):
        random = np.random.default_rng(3)
        if np.dtype(dtype).kind == "f":
            return {name: random.uniform(-3, 3, 1000).astype(dtype) for name in names}
        first, second = (random.integers(-9, 9, 1000).astype(dtype) for _ in names)
        second[second == 0] = 2
        return dict(zip(names, (first, second)))

    def test_floats(self):
        for dtype, bound in ((np.float32, 2e-5), (np.float64, 1e-12)):
            for text in texts(FLOATS):
                self.compare(text, self.arrays(dtype, "xy"), dtype, bound)

    def test_integers(self):
        for dtype in (np.int32, np.int64):
            for text in texts(INTEGERS):
                fraction = " / " in text or "0.5" in text
                self.compare(text, self.arrays(dtype, "nm"), np.float64 if fraction else dtype, 0)

    def test_numbers_alone_take_the_type_that_they_meet(self):
        random = np.random.default_rng(4)
        arrays = {"x": random.uniform(-3, 3, 1000)}
        for text in texts("""where(x > 0, 1e200, 1e100); where(x > 0, 0.1, 0.3); x * sqrt(0.1)
            1 + where(x > 0, 0.1, 0.3); where(x > 0, 0.1, 0.3) / where(x > 1, 3, 7); log(10) + x
            x + exp(-100.0)*1e50; abs(-0.1) * x; minimum(0.1, 0.2) + x; sin(pi / 6) * x
            maximum(where(x > 0, 0.1, 0.3), 0.2); -where(x > 0, 0.1, 0.3)
            where(x > 0, 0.1, 2)**3; x * (where(x > 0, 0.1, 0.3) > 0.2); abs(where(x > 0, -0.1, 3))
            sqrt(where(x > 0, 0.1, 2)); x*0 + where(x > 0, 7, 9)//2; where(0.1 < 0.2, x, 0)"""):
            self.compare(text, arrays, np.float64, 4e-15)
        whole = {"n": random.integers(-9, 9, 1000)}
        for text in texts("""where(n > 5, 10000000000, 0); minimum(3000000000, n)
            where(n > 5, 10000000000, 0) + where(n > 0, 1, -1); where(n > 0, 7, -7) % 3 + n
            abs(-3000000000) + n"""):
            self.compare(text, whole, np.int64, 0)
        out, n = self.rt.empty(4, np.int32), self.rt.buffer(np.arange(4, dtype=np.int32))
        self.rt.elementwise("int32(2.9) + int32(floor(-0.5)) + int32(where(n > 1, 1.5, 3.5))",
                            n=n, out=out)
        self.assertEqual(out.numpy().tolist(), [4, 4, 2, 2])
        with self.assertRaisesRegex(hocket.UsageError, "numbers with a fraction"):
            self.rt.elementwise("where(n > 1, 1.5, 3.5)", n=n, out=out)

    def test_many_statements_of_numbers_alone(self):
        x, out = self.rt.buffer(np.array([1.0, -1.0])), self.rt.empty(2, np.float64)
        text = "; ".join(["t = where(x > 0, 0.1, 0.3)"] + ["t = t + where(x > 0, 0.1, 0.3)"] * 999)
        self.rt.elementwise(text + "; out = t", x=x, out=out)
        np.testing.assert_allclose(out.numpy(), [100, 300], rtol=1e-12)

    def test_names_of_arguments_are_free(self):
        text, out = self.rt.full(4, 2.0), self.rt.empty(4)
        self.rt.elementwise("text + self", text=text, self=text, out=out)
        with self.rt.scope() as scope:
            scope.elementwise("out = out + text", text=text, out=out)
        self.assertEqual(out.numpy().tolist(), [6.0] * 4)
        for submit in (self.rt.elementwise, lambda *a, **k: self.rt.reduce("a + b", 0, *a, **k)):
            with self.assertRaisesRegex(TypeError, 'argument "task".*dict of the options'):
                submit("task * 2", task=text)

    def test_and_and_or_join_conditions_alone(self):
        x, out = self.rt.full(4, 2.0), self.rt.empty(4)
        for text in ("x or 5", "where(x and x < 3, 1, 2)"):
            with self.assertRaisesRegex(hocket.UsageError, "joins numbers by 'and' or 'or'"):
                self.rt.elementwise(text, x=x, out=out)
        flags = self.rt.full(4, True, bool)
        self.rt.elementwise("x + (f and x < 3 or not f)", x=x, f=flags, out=out)
        self.assertEqual(out.numpy().tolist(), [3.0] * 4)

    def test_on_each_device(self):
        for device in self.rt.devices:
            for text in ("2*x + y", "where(x > y, x*y, exp(-abs(x)))", "x // 0.5 + y**2"):
                arrays = self.arrays(np.float32, "xy")
                self.compare(text, arrays, np.float32, 2e-5, task={"on": device.name})
            self.compare("n % m + n // m", self.arrays(np.int32, "nm"), np.int32, 0,
                         task={"on": device.name})

    def test_fractions_are_divided_as_in_python(self):
        random = np.random.default_rng(5)
        some = [1.0, 0.1, 5.0, -5.0, 6.0, 0.3, 7.0, -7.0, 0.7, -0.1, 2e6, -1e-20, np.inf, -np.inf]
        for dtype in (np.float32, np.float64):
            largest = np.finfo(dtype).max
            x, y = np.meshgrid([*some, 0, largest], [*some, largest / 3, -largest / 1500])
            x = np.concatenate([x.ravel(), random.uniform(-100, 100, 5000), np.arange(1000) / 10])
            y = np.concatenate([y.ravel(), random.choice([0.1, -0.7, 3], 5000), np.full(1000, 0.1)])
            x, y = x.astype(dtype), y.astype(dtype)
            with np.errstate(all="ignore"):
                in_range = ~(np.abs(x / y) >= (2**22 if dtype is np.float32 else 2**51))
                x, y = x[in_range | np.isinf(x)], y[in_range | np.isinf(x)]
                wanted = (x // y, x % y)
            for device in self.rt.devices:
                if np.dtype(dtype).name in device.lacks:
                    continue
                a, b = self.rt.buffer(x, copy=True), self.rt.buffer(y, copy=True)
                floor, rest = self.rt.empty(x.shape, dtype), self.rt.empty(x.shape, dtype)
                self.rt.elementwise("f = a // b; r = a % b", a=a, b=b, f=floor, r=rest,
                                    task={"on": device.name})
                for made, each in zip((floor, rest), wanted):
                    np.testing.assert_array_equal(made.numpy(), each, err_msg=device.name)

    def test_minimum_and_maximum_of_no_number_are_none(self):
        numbers = np.array([(a, b) for a in (1, 2, np.nan) for b in (1, 2, np.nan)], np.float32)
        x, y = np.ascontiguousarray(numbers.T)
        for device in self.rt.devices:
            task, out = {"on": device.name}, self.rt.empty(9)
            a, b = self.rt.buffer(x, copy=True), self.rt.buffer(y, copy=True)
            for name in ("minimum", "maximum"):
                self.rt.elementwise(f"{name}(a, b)", a=a, b=b, out=out, task=task)
                wanted = getattr(np, name)(x, y)
                np.testing.assert_array_equal(out.numpy(), wanted, err_msg=device.name)
        self.assertTrue(np.isnan(self.rt.reduce("maximum(a, b)", 0, x=b).result()))

    def test_narrow_types_are_computed_with_as_wide_ones(self):
        x = self.rt.buffer(np.array([1, 2, 3], np.float16))
        n = self.rt.buffer(np.array([100, 200, 255], np.uint8))
        out, wide = self.rt.empty(3, np.float16), self.rt.empty(3, np.int32)
        self.rt.elementwise("x * 0.1 + 1", x=x, out=out)
        self.assertEqual(out.numpy().tolist(),
                         (np.float32([1, 2, 3]) * np.float32(0.1) + 1).astype("f2").tolist())
        self.rt.elementwise("n * n", n=n, out=wide)
        self.assertEqual(wide.numpy().tolist(), [10000, 40000, 65025])

    def test_conditions_and_conversions(self):
        x = self.rt.buffer(np.array([-1.5, 0, 2.5], np.float32))
        flags, whole = self.rt.empty(3, bool), self.rt.empty(3, np.int32)
        self.rt.elementwise("0 <= x < 3", x=x, out=flags)
        self.assertEqual(flags.numpy().tolist(), [False, True, True])
        self.rt.elementwise("x < 0 or x > 2 and not x == 9", x=x, out=flags)
        self.assertEqual(flags.numpy().tolist(), [True, False, True])
        self.rt.elementwise("int32(x) if f else -1", x=x, f=flags, out=whole)
        self.assertEqual(whole.numpy().tolist(), [-1, -1, 2])
        out = self.rt.empty(3, np.float64)
        self.rt.elementwise("n / 2 + index", n=whole, out=out)
        self.assertEqual(out.numpy().tolist(), [-0.5, 0.5, 3])

    def test_numbers_and_futures(self):
        x = self.rt.buffer(np.arange(4, dtype=np.float32))
        out = self.rt.empty(4)
        total = hocket.ops.sum(x)
        self.rt.elementwise("a*x + b + c", x=x, a=2, b=np.float64(0.5), c=total, out=out)
        self.assertEqual(out.numpy().tolist(), [6.5, 8.5, 10.5, 12.5])
        n, wide = self.rt.buffer(np.arange(4, dtype=np.int32)), self.rt.empty(4, np.float64)
        self.rt.elementwise("a*n", n=n, a=0.5, out=wide)
        self.assertEqual(wide.numpy().tolist(), [0, 0.5, 1, 1.5])

    def test_numbers_have_the_widest_type_that_is_read(self):
        a, b = self.rt.zeros(3, np.float32), self.rt.full(3, 1.0, np.float64)
        flags, n, wide = self.rt.zeros(3, bool), self.rt.zeros(3, np.int8), self.rt.empty(3, "f8")
        text = "a*0 + b*k"
        for arguments in ({"a": a, "b": b, "k": 0.1}, {"k": 0.1, "b": b, "a": a}):
            self.rt.elementwise(text, out=wide, **arguments)
            self.assertEqual(wide.numpy().tolist(), [0.1] * 3)
        for arguments in ({"out": wide, "a": a}, {"a": a, "out": wide}):
            self.rt.elementwise("a + k", k=0.1, **arguments)
            self.assertEqual(wide.numpy().tolist(), [float(np.float32(0.1))] * 3)
        for arguments in ({"n": n, "f": flags}, {"f": flags, "n": n}):
            self.rt.elementwise("n*f + k", k=100, out=n, **arguments)
            self.assertEqual(n.numpy().tolist(), [100] * 3)
            self.rt.elementwise("k", k=0, out=n)

    def test_several_results_and_names_in_between(self):
        a, b = self.rt.buffer(np.arange(3.0)), self.rt.buffer(np.ones(3))
        self.rt.elementwise("t = a; a = b; b = t", a=a, b=b)
        self.assertEqual((a.numpy().tolist(), b.numpy().tolist()), ([1, 1, 1], [0, 1, 2]))
        self.rt.elementwise("s = a + b\nd = a - b\na = s * d", a=a, b=b)
        self.assertEqual(a.numpy().tolist(), [1, 0, -3])

    def test_several_names_of_one_buffer(self):
        for device in self.rt.devices:
            task = {"on": device.name}
            a = self.rt.buffer(np.arange(1000, dtype=np.float32).reshape(20, 50))
            b = self.rt.zeros((20, 50))
            for x, y in ((a, b), (a[2:9, 3:40], b[2:9, 3:40])):
                before = x.numpy().copy()
                self.rt.elementwise("x = p + 1; y = q", p=x, q=x, x=x, y=y, task=task)
                np.testing.assert_array_equal(x.numpy(), before + 1, err_msg=device.name)
                np.testing.assert_array_equal(y.numpy(), before, err_msg=device.name)

    def test_integers_wrap_around(self):
        for dtype in ("int32", "int64"):
            limits = np.iinfo(dtype)
            x = np.array([limits.max, limits.min, limits.max // 3, -250424741, 65536, -7], dtype)
            for device in self.rt.devices:
                if dtype in device.lacks:
                    continue
                for text in ("x + x", "x * x", "-x", "abs(x)", "(x + x) // 2", "(x * x) % 5",
                             "x**3 // 5", "where(x - 1 > x, 1, 0)", "where(x * x > 0, 1, 0)"):
                    with np.errstate(over="ignore"):
                        wanted = eval(text, {**NUMPY, "abs": abs}, {"x": x})
                    out = self.rt.empty(6, dtype)
                    self.rt.elementwise(text, x=self.rt.buffer(x, copy=True), out=out,
                                        task={"on": device.name})
                    np.testing.assert_array_equal(out.numpy(), wanted,
                                                  err_msg=f"{text} on {device.name}")

    def test_parts_with_gaps_and_many_elements(self):
        x = np.arange(60, dtype=np.float32).reshape(6, 10)
        b = self.rt.buffer(x.copy())
        self.rt.elementwise("part = -part", part=b[1:4, 2:5])
        x[1:4, 2:5] *= -1
        self.assertTrue((b.numpy() == x).all())
        large = self.rt.full(1_000_003, 2.0)
        self.rt.elementwise("x = x*x + index*0", x=large)
        self.assertTrue((large.numpy() == 4).all())

    def test_long_texts(self):
        for device in self.rt.devices:
            x = self.rt.zeros(3)
            task = {"on": device.name}
            self.rt.elementwise("\n".join(["x = x + 2**0"] * 4000), x=x, task=task)
            self.assertEqual(x.numpy().tolist(), [4000] * 3, device.name)
        y = self.rt.zeros(3)
        self.rt.elementwise("y = y + 2**1023 * 0.5 ** 1022 + (1 << 3)", y=y)
        self.assertEqual(y.numpy()[0], 10)

    def test_division_by_zero_ends_nothing(self):
        n, zero = self.rt.buffer(np.array([1, -2**31], np.int32)), self.rt.zeros(2, np.int32)
        out = self.rt.empty(2, np.int32)
        self.rt.elementwise("n // z + n % z", n=n, z=zero, out=out, task={"on": "NUMA0"})
        out.numpy()
        self.rt.elementwise("n // z", n=n, z=-1, out=out, task={"on": "NUMA0"})
        self.assertEqual(out.numpy().tolist(), [-1, -2**31])

    def test_what_cannot_be_is_refused_with_its_place(self):
        x, n = self.rt.zeros(3), self.rt.zeros(3, np.int32)
        for text, message in {
            "2*": "cannot be read",
            "x + z": "'z', which is passed no buffer",
            "x.size": "has what kernels cannot compute, at 'x.size'",
            "__import__('os')": "does not use",
            "gamma(x)": "calls 'gamma'; kernels have abs",
            "where(x, 1)": "passes 2 values to where, which takes 3",
            "x @ x": "operator that kernels do not have",
            "[x for x in x]": "cannot compute",
            "x & 1": "combines the bits",
            "'text' + x": "no number",
            "x = 1": "passed no buffer for its result|does not use 'out'",
            "1 / 0 + x": "cannot be computed: division by zero",
        }.items():
            with self.assertRaisesRegex(hocket.UsageError, message, msg=text):
                self.rt.elementwise(text, x=x, out=x[0:3] if "= 1" not in text else n)
        for text, message in {
            "\n".join(["x = x + 1"] * 60_000): "more than 5000 operations",
            "\n".join(["x = x % 3"] * 5000): "more than 5000 operations",
            "x = x" + " + x" * 20_000: "nested too deeply",
            "x = " + "-" * 100_000 + "x": "nested too deeply|cannot be read",
            "x = 9**9**9**9 * x": r"no type can hold, at '9\*\*9\*\*9'",
            "x = (1 << 10**12) * x": "no type can hold",
            "x = 3**600 * 3**600 * x": "no type can hold",
        }.items():
            with self.assertRaisesRegex(hocket.UsageError, message, msg=text[:40]) as caught:
                self.rt.elementwise(text, x=x)
            self.assertLess(len(str(caught.exception)), 400)
        with self.assertRaisesRegex(hocket.UsageError, "nested too deeply"):
            self.rt.reduce("a" + " + b" * 20_000, 0, x=x)
        with self.assertRaisesRegex(hocket.UsageError, "int32\\(\\.\\.\\.\\) cuts"):
            self.rt.elementwise("x", x=x, out=n)
        with self.assertRaisesRegex(hocket.UsageError, "does not use 'y'"):
            self.rt.elementwise("x", x=x, y=n, out=n)
        with self.assertRaisesRegex(ValueError, "extents"):
            self.rt.elementwise("x", x=x, out=self.rt.zeros(4))
        with self.assertRaisesRegex(TypeError, "not 'text'"):
            self.rt.elementwise("x", x="text", out=n)
        with self.assertRaisesRegex(TypeError, "complex64"):
            self.rt.elementwise("x", x=self.rt.zeros(3, np.complex64), out=n)


if __name__ == "__main__":
    unittest.main()

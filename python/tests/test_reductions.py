# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Reductions from texts give what numpy gives, on the host and on devices."""

import functools
import math
import unittest

import hocket
import numpy as np
from hocket import ops
from support import WithRuntime


class Reductions(WithRuntime):
    def buffer(self, array):
        return self.rt.buffer(np.ascontiguousarray(array), copy=True)

    def test_combine_the_elements_of_one_buffer(self):
        values = np.random.default_rng(1).uniform(0.99, 1.01, 1000).astype(np.float32)
        x = self.buffer(values)
        self.assertAlmostEqual(self.rt.reduce("a * b", 1, x=x).result(), values.prod(), places=4)
        largest = self.rt.reduce("maximum(a, b)", -math.inf, x=x)
        self.assertEqual(largest.result(), values.max())
        self.assertEqual(largest.label, "maximum(a, b)")

    def test_of_all_lengths(self):
        for n in (1, 2, 3, 5, 511, 512, 513, 4095, 4096, 4097, 65535, 65536, 65537, 200_001):
            values = np.arange(n, dtype=np.int64) % 1000 - 300
            total = self.rt.reduce("a + b", 0, x=self.buffer(values)).result()
            self.assertEqual(total, values.sum(), n)
            squares = self.rt.reduce("a + b", 0, "x*x - 2", x=self.buffer(values)).result()
            self.assertEqual(squares, (values * values - 2).sum(), n)

    def test_an_empty_buffer_gives_the_start(self):
        self.assertEqual(self.rt.reduce("a * b", 7, x=self.rt.empty((0, 3))).result(), 7)

    def test_map_several_buffers(self):
        rng = np.random.default_rng(2)
        p, q = (rng.integers(0, 100, (300, 70)).astype(t) for t in (np.float64, np.float32))
        x, y = self.buffer(p), self.buffer(q)
        far = self.rt.reduce("maximum(a, b)", 0, "abs(x - y)", x=x, y=y)
        self.assertEqual(far.result(), np.abs(p - q).max())
        parts = self.rt.reduce("a + b", 0, "x*y", x=x[10:200, 3:50], y=y[100:290, 20:67])
        self.assertEqual(parts.result(), (p[10:200, 3:50] * q[100:290, 20:67]).sum())

    def test_numbers_alone_take_the_type_of_the_buffers(self):
        x = self.buffer(np.array([3.0, 1.0, 3.0]))
        total = self.rt.reduce("a + b", 0, "16777217.0 if x > 2 else 0.0", x=x)
        self.assertEqual(total.result(), 2 * 16777217.0)
        largest = self.rt.reduce("maximum(a, b)", 0, "1e39 if x > 2 else 0.5", x=x)
        self.assertEqual(largest.result(), 1e39)

    def test_have_types(self):
        for dtype, kind in (("uint8", int), ("int16", int), ("uint64", int), ("float16", float)):
            total = self.rt.reduce("a + b", 0, x=self.rt.full(1000, 3, dtype)).result()
            self.assertEqual((total, type(total)), (3000, kind), dtype)
        flags = self.buffer(np.arange(1000) % 3 == 0)
        self.assertEqual(self.rt.reduce("a + b", 0, x=flags).result(), 334)
        values = self.buffer(np.linspace(-1, 1, 1000))
        self.assertEqual(self.rt.reduce("a + b", 0, "x > 0.5", x=values).result(), 250)
        text = "x if x > 0.5 else 0"
        self.assertIsInstance(self.rt.reduce("a + b", 0, text, x=values).result(), float)

    def test_give_the_same_on_each_device(self):
        values = np.random.default_rng(3).integers(-9, 9, 100_000).astype(np.float32)
        with hocket.Runtime(backends={"sim": "1"}) as rt:
            x = rt.buffer(values)
            wanted = functools.reduce(max, (values * values - values).tolist())
            for device in rt.devices:
                task = {"on": device.name, "label": "peak"}
                future = rt.reduce("b if a < b else a", -1e9, "x*x - x", x=x, task=task)
                self.assertEqual((future.result(), future.label), (wanted, "peak"))

    def test_are_tasks_as_others_are(self):
        with self.rt.record() as g:
            total = self.rt.reduce("a + b", 0, x=self.x)
            ops.fill(total, self.y)
            self.rt.elementwise("x = x + 1", x=self.x)
        g.run()
        g.run().result()
        self.assertEqual(self.y0(), 20)
        with self.rt.scope():
            future = self.rt.reduce("a + b", 0, x=self.x)
        self.assertTrue(future.done())

    def test_give_the_same_bits_each_time(self):
        x = self.buffer(np.random.default_rng(4).normal(size=1 << 20).astype(np.float32))
        first = self.rt.reduce("a + b", 0, "exp(x)", x=x, task={"on": "NUMA0"}).result()
        for _ in range(5):
            again = self.rt.reduce("a + b", 0, "exp(x)", x=x, task={"on": "NUMA0"}).result()
            self.assertEqual(first, again)

    def test_wrong_use_is_named(self):
        x, n = self.x, self.rt.zeros(10, np.int32, label="n")
        c = self.rt.zeros(10, np.complex64, label="c")
        reduce = self.rt.reduce
        for kind, message, call in (
            (TypeError, "is passed 0 buffers; it takes one", lambda: reduce("a + b", 0)),
            (TypeError, "is passed 2 buffers; it takes one", lambda: reduce("a + b", 0, x=x, y=x)),
            (TypeError, "is passed 3 for 'y'", lambda: reduce("a + b", 0, "x*y", x=x, y=3)),
            (TypeError, "starts with 'x'", lambda: reduce("a + b", "x", x=x)),
            (TypeError, 'Buffer "c" has elements of complex64', lambda: reduce("a + b", 0, c=c)),
            (TypeError, 'The start of "a . b" is 0.5; it has', lambda: reduce("a + b", 0.5, n=n)),
            (hocket.UsageError, "has the name 'c'", lambda: reduce("a + c", 0, x=x)),
            (hocket.UsageError, "does not use 'b'", lambda: reduce("a + 1", 0, x=x)),
            (hocket.UsageError, "does not use 'y'", lambda: reduce("a + b", 0, "x", x=x, y=x)),
            (hocket.UsageError, "has the name 'index'", lambda: reduce("a + b", 0, "x*index", x=x)),
            (hocket.UsageError, "one expression", lambda: reduce("out = a + b", 0, x=x)),
            (hocket.UsageError, "cannot be read", lambda: reduce("a +", 0, x=x)),
            (hocket.UsageError, "fraction, float64, for a and b of int32",
             lambda: reduce("a + 0.5*b", 0, n=n)),
            (hocket.UsageError, "extents",
             lambda: reduce("a + b", 0, "x*y", x=x, y=self.rt.zeros(11))),
            (TypeError, 'no option "lbl"', lambda: reduce("a + b", 0, x=x, task={"lbl": 1})),
        ):
            with self.subTest(message=message), self.assertRaisesRegex(kind, message):
                call()


if __name__ == "__main__":
    unittest.main()

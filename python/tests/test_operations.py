# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""The built-in operations give what numpy gives."""

import unittest

import hocket
import numpy as np
from hocket import ops


class Operations(unittest.TestCase):
    def setUp(self):
        self.rt = hocket.Runtime()
        self.addCleanup(self.rt.close)
        self.random = np.random.default_rng(7)

    def made(self, *shape, dtype=np.float64):
        return self.random.standard_normal(shape).astype(dtype)

    def same(self, buffer, wanted, **bounds):
        np.testing.assert_allclose(buffer.numpy(), wanted, rtol=1e-5, atol=1e-5, **bounds)

    def test_of_elements(self):
        x, y = self.made(50, dtype=np.float32), self.made(50, dtype=np.float32)
        a, b, c = self.rt.buffer(x.copy()), self.rt.buffer(y.copy()), self.rt.empty(50)
        ops.add(a, b, c)
        self.same(c, x + y)
        ops.mul(a, b, c)
        self.same(c, x * y)
        ops.axpy(2, a, b)
        self.same(b, 2 * x + y)
        ops.copy(a, c)
        self.same(c, x)
        ops.fill(3, c)
        self.same(c, np.full(50, 3))

    def test_reductions(self):
        for dtype in (np.float32, np.float64):
            x, y = self.made(1000, dtype=dtype), self.made(1000, dtype=dtype)
            a, b = self.rt.buffer(x), self.rt.buffer(y)
            for name, wanted in {
                "sum": x.sum(),
                "max": x.max(),
                "min": x.min(),
                "mean": x.mean(),
                "norm": np.linalg.norm(x),
                "sum_of_squares": (x * x).sum(),
                "max_magnitude": np.abs(x).max(),
                "argmax": x.argmax(),
                "argmin": x.argmin(),
            }.items():
                given = getattr(ops, name)(a).result()
                self.assertAlmostEqual(given, wanted, delta=1e-2, msg=name)
            self.assertAlmostEqual(ops.dot(a, b).result(), x @ y, delta=1e-2)
        n = self.rt.buffer(np.arange(10, dtype=np.int64))
        self.assertEqual(ops.sum(n).result(), 45)
        self.assertIsInstance(ops.sum(n).result(), int)

    def test_products_of_matrices(self):
        x, y = self.made(5, 7), self.made(7, 3)
        c = self.rt.empty((5, 3), np.float64)
        a, b = self.rt.buffer(x), self.rt.buffer(y)
        at, bt = self.rt.buffer(x.T, copy=True), self.rt.buffer(y.T, copy=True)
        ops.gemm(a, b, c)
        self.same(c, x @ y)
        ops.gemm(a, bt, c, transpose_b=True)
        self.same(c, x @ y)
        ops.gemm(at, b, c, alpha=2, beta=0.5, transpose_a=True)
        self.same(c, 2.5 * (x @ y))
        several, others = self.made(3, 5, 7), self.made(3, 7, 3)
        products = self.rt.empty((3, 5, 3), np.float64)
        ops.gemm(self.rt.buffer(several), self.rt.buffer(others), products, alpha=2)
        self.same(products, 2 * (several @ others))
        half, other = x.astype(np.float16), y.astype(np.float16)
        for dtype, tolerance in ((np.float16, 1e-3), (np.float32, 1e-6)):
            sums = self.rt.empty((5, 3), dtype)
            ops.gemm(self.rt.buffer(half), self.rt.buffer(other), sums)
            exact = half.astype(np.float64) @ other.astype(np.float64)
            np.testing.assert_allclose(sums.numpy(), exact, rtol=tolerance, atol=tolerance)
        turned = self.rt.empty((7, 5), np.float64)
        ops.transpose(a, turned)
        self.same(turned, x.T)

    def test_products_replace_what_is_not_looked_at(self):
        two = self.rt.full((2, 2), 1.0)
        count = ops.sum(two)
        for alpha in (2, 2.0, np.float32(2), np.int64(2), True, count, hocket.Parameter(2.0)):
            c = self.rt.empty((2, 2))
            ops.gemm(two, two, c, alpha=alpha)
            factor = {count: 4}.get(alpha, 1 if alpha is True else 2)
            self.same(c, np.full((2, 2), 2 * factor))
        c = self.rt.full((2, 2), np.nan)
        ops.gemm(two, two, c, alpha=2, beta=np.float32(0))
        self.same(c, np.full((2, 2), 4))

    def test_refused_products_leave_what_is_there(self):
        two, c = self.rt.full((2, 2), 1.0), self.rt.full((2, 2), 7.0)
        with self.assertRaises(hocket.UsageError):
            ops.gemm(two, self.rt.full((3, 3), 1.0), c, alpha=2)
        with self.assertRaises(TypeError):
            ops.gemm(two, two, c, alpha=2, urgent=True)
        with self.assertRaises(TypeError):
            ops.gemm(two, two, c, alpha="two")
        self.same(c, np.full((2, 2), 7))

    def test_triangles(self):
        x = self.made(6, 6)
        whole = x @ x.T + 6 * np.eye(6)
        a = self.rt.buffer(whole.copy())
        ops.potrf_lower(a)
        factor = np.tril(a.numpy())
        np.testing.assert_allclose(factor @ factor.T, whole)
        right = self.made(6, 2)
        b = self.rt.buffer(right.copy())
        ops.trsm_lower(a, b)
        ops.trsm_lower_transposed(a, b)
        np.testing.assert_allclose(whole @ b.numpy(), right, atol=1e-9)
        row = self.rt.buffer(self.made(2, 6))
        before = row.numpy()
        ops.trsm_right_lower_transposed(a, row)
        np.testing.assert_allclose(row.numpy() @ factor.T, before, atol=1e-9)
        c = self.rt.zeros((6, 6), np.float64)
        ops.syrk_lower(1.0, self.rt.buffer(x), 0.0, c)
        np.testing.assert_allclose(np.tril(c.numpy()), np.tril(x @ x.T), atol=1e-9)
        lu, pivots = self.rt.buffer(whole.copy()), self.rt.empty(6, np.int32)
        ops.getrf(lu, pivots)
        both = lu.numpy()
        lower, upper = np.tril(both, -1) + np.eye(6), np.triu(both)
        turned = whole.copy()
        for i, j in enumerate(pivots.numpy()):
            turned[[i, j]] = turned[[j, i]]
        np.testing.assert_allclose(lower @ upper, turned, atol=1e-9)

    def test_orders(self):
        x = self.made(300)
        a, b = self.rt.buffer(x.copy()), self.rt.empty(300, np.float64)
        ops.inclusive_scan(a, b)
        self.same(b, np.cumsum(x))
        ops.exclusive_scan(a, b)
        self.same(b, np.cumsum(x) - x)
        ops.sort(a)
        self.same(a, np.sort(x))
        ops.random_uniform(1, 2, a)
        drawn = a.numpy()
        self.assertTrue(((0 <= drawn) & (drawn < 1)).all() and 0.4 < drawn.mean() < 0.6)
        drawn = self.rt.empty(3000)
        ops.random_normal(1, 2, drawn)
        self.assertLess(abs(drawn.numpy().mean()), 0.1)

    def test_one_step_of_training(self):
        x, w = self.made(8, 5, dtype=np.float32), self.made(5, 3, dtype=np.float32)
        bias, labels = self.made(3, dtype=np.float32), self.random.integers(0, 3, 8, np.int32)
        logits, loss = self.rt.empty((8, 3)), self.rt.empty(8)
        ops.gemm(self.rt.buffer(x), self.rt.buffer(w), logits)
        given, truth = self.rt.buffer(bias), self.rt.buffer(labels)
        ops.bias_forward(logits, given, logits)
        wanted = x @ w + bias
        self.same(logits, wanted)
        ops.softmax_cross_entropy_forward(logits, truth, loss)
        shares = np.exp(wanted) / np.exp(wanted).sum(1, keepdims=True)
        self.same(loss, -np.log(shares[np.arange(8), labels]))
        right = (wanted.argmax(1) == labels).sum()
        self.assertEqual(ops.count_correct(logits, truth).result(), right)
        ops.softmax_cross_entropy_backward(1 / 8, logits, truth, logits)
        gradient = (shares - np.eye(3)[labels]) / 8
        self.same(logits, gradient)
        dbias = self.rt.empty(3)
        ops.bias_backward(logits, dbias)
        self.same(dbias, gradient.sum(0))
        velocity, weight = self.rt.zeros(3), self.rt.zeros(3)
        ops.sgd_momentum(0.5, 0.9, dbias, velocity, weight)
        self.same(weight, -0.5 * gradient.sum(0))

    def test_activations(self):
        x, bias = self.made(4, 3), self.made(3)
        a, b = self.rt.buffer(x), self.rt.buffer(bias)
        y = self.rt.empty((4, 3), np.float64)
        ops.bias_relu_forward(a, b, y)
        forward = np.maximum(x + bias, 0)
        self.same(y, forward)
        dy = self.made(4, 3)
        dx, dbias = self.rt.empty((4, 3), np.float64), self.rt.empty(3, np.float64)
        ops.bias_relu_backward(y, self.rt.buffer(dy), dx, dbias)
        self.same(dx, np.where(forward > 0, dy, 0))
        self.same(dbias, np.where(forward > 0, dy, 0).sum(0))

    def test_numbers_may_be_futures(self):
        x = self.rt.buffer(np.arange(5, dtype=np.float32))
        y = self.rt.zeros(5)
        ops.fill(ops.max(x), y)
        self.same(y, np.full(5, 4))

    def test_wrong_arguments_are_named(self):
        x, n = self.rt.zeros(3, label="x"), self.rt.zeros(3, np.int32, label="n")
        with self.assertRaisesRegex(TypeError, 'fill\\(value, x\\) is given 1'):
            ops.fill(x)
        with self.assertRaisesRegex(hocket.UsageError, 'buffer "n".*int32|buffer "n".*i32'):
            ops.add(x, n, x)
        with self.assertRaisesRegex(TypeError, "norm.*int32.*float32, float64"):
            ops.norm(n)
        with self.assertRaisesRegex(ValueError, "extents"):
            ops.copy(x, self.rt.zeros(4))
        with self.assertRaisesRegex(TypeError, "'text'"):
            ops.fill("text", x)
        with self.assertRaisesRegex(ValueError, "-2147483648 to 2147483647"):
            ops.fill(2**40, n)
        with self.assertRaisesRegex(TypeError, "no option \"lable\"; there are after, in_order"):
            ops.fill(1, x, lable="x")
        with self.assertRaisesRegex(TypeError, "no hocket.Buffer"):
            ops.sum(np.zeros(3))
        with self.assertRaisesRegex(hocket.HocketError, "NoSuchDevice0"):
            ops.sum(x, on="NoSuchDevice0")


if __name__ == "__main__":
    unittest.main()

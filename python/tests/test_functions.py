# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Python functions as tasks, and their futures."""

import asyncio
import gc
import os
import queue
import threading
import time
import traceback
import unittest
import weakref

import hocket
import numpy as np
from hocket import errors, ops, reads, updates, writes
from support import is_collected


class Functions(unittest.TestCase):
    def setUp(self):
        self.rt = hocket.Runtime()
        self.addCleanup(self.close)

    def close(self):
        try:
            self.rt.close()
        except hocket.HocketError:
            pass  # a failure that the test made

    def test_are_given_arrays_values_and_what_futures_hold(self):
        x, y = self.rt.full(5, 2.0, label="x"), self.rt.empty(5, label="y")

        def combine(a, factor, b, more, name):
            self.assertFalse(a.flags.writeable)
            b[:] = a * factor + more
            return name

        three = self.rt.submit(lambda: 3)
        future = self.rt.submit(combine, reads(x), three, writes(y), ops.sum(x), "done")
        self.assertEqual(future.result(), "done")
        self.assertEqual(y.numpy().tolist(), [16] * 5)
        self.assertIn("combine", future.label)

    def test_run_in_the_order_of_their_accesses(self):
        x = self.rt.zeros(1)
        for k in range(50):
            def step(a, k=k):
                a *= 2
                a += k % 3
            self.rt.submit(step, updates(x))
        wanted = np.float32(0)
        for k in range(50):
            wanted = wanted * np.float32(2) + np.float32(k % 3)
        self.assertEqual(x.numpy()[0], wanted)

    def test_do_not_run_in_the_waiting_thread_and_run_side_by_side(self):
        barrier = threading.Barrier(2, timeout=20)
        futures = [self.rt.submit(lambda: (barrier.wait(), threading.get_ident())) for _ in "ab"]
        threads = {each.result()[1] for each in futures}
        self.assertEqual(len(threads), 2)
        self.assertNotIn(threading.get_ident(), threads)

    def test_may_wait_for_tasks_to_any_depth(self):
        def level(n):
            return 1 + self.rt.submit(level, n - 1).result() if n else 0

        self.assertEqual(self.rt.submit(level, 40).result(), 40)

    def test_may_submit_and_look_at_buffers(self):
        x = self.rt.zeros(3)

        def work():
            ops.fill(2.0, x)
            with x.update() as view:
                view += 1
            return ops.sum(x).result()

        self.assertEqual(self.rt.submit(work).result(), 9)

    def test_do_not_wait_for_all_tasks(self):
        for wait in (self.rt.wait, self.rt.close):
            with self.assertRaisesRegex(hocket.UsageError, "waits for all tasks of its runtime"):
                self.rt.submit(wait).result()

    def test_do_not_wait_for_what_waits_for_them(self):
        x = self.rt.full(10, 3.0, label="x")
        waits = {
            "sum": lambda: ops.sum(x).result(),
            "sum with a limit": lambda: ops.sum(x).result(20),
            "behind it": lambda: self.rt.submit(len, reads(x)).exception(),
            "numpy": x.numpy,
            "update": x.update,
            "write": x.write,
            "itself": lambda: own.get(20).wait(),
        }
        for name, wait in waits.items():
            with self.subTest(name), self.assertRaisesRegex(hocket.UsageError, "waits for it"):
                own = queue.SimpleQueue()
                future = self.rt.submit(lambda a: wait(), updates(x), label="f")
                own.put(future)
                future.result(30)
            ops.fill(3.0, x)
        own = queue.SimpleQueue()
        future = self.rt.submit(lambda: own.get().wait())
        own.put(future)
        with self.assertRaisesRegex(hocket.UsageError, "waits for itself"):
            future.result(30)

    def test_that_wait_for_each_other_are_told(self):
        given = [queue.SimpleQueue(), queue.SimpleQueue()]
        futures = [self.rt.submit(lambda q: q.get().result(), each) for each in given]
        given[0].put(futures[1])
        given[1].put(futures[0])
        for each in futures:
            with self.assertRaisesRegex(hocket.UsageError, "waits for it"):
                each.result(30)

    def test_raise_their_own_exceptions_where_one_waits(self):
        class Special(Exception):
            pass

        def fail():
            raise Special("for a reason", 7)

        x = self.rt.zeros(3, label="x")
        future = self.rt.submit(fail)
        with self.assertRaises(Special) as caught:
            future.result()
        self.assertEqual(caught.exception.args, ("for a reason", 7))
        self.assertIsInstance(future.exception(), Special)
        bad = self.rt.submit(lambda a: 1 / 0, writes(x), label="bad")
        after = ops.sum(x)
        self.assertIsInstance(bad.exception(), ZeroDivisionError)
        with self.assertRaisesRegex(errors.DependencyFailed, "bad.*division by zero"):
            after.result()

    def test_raise_exceptions_without_a_text(self):
        class Special(Exception):
            def __str__(self):
                raise RuntimeError("no text")

        x = self.rt.zeros(3, label="x")
        for error in (Special(), ValueError("\ud800")):
            def fail(a, error=error):
                raise error

            bad = self.rt.submit(fail, writes(x), label="bad")
            after = ops.sum(x)
            self.assertIs(bad.exception(), error)
            with self.assertRaisesRegex(errors.DependencyFailed, "bad"):
                after.result()
            ops.fill(0.0, x)

    def test_whose_failure_was_waited_for_are_looked_at(self):
        for timeout in (None, 10):
            failed, ended = self.rt.submit(lambda: 1 / 0), threading.Event()
            self.rt.submit(ended.set, after=self.rt.submit(time.sleep, 0.05))
            ended.wait(20)
            while not failed.done():
                time.sleep(0.01)
            self.assertTrue(failed.wait(timeout))
            self.rt.wait()

    def test_whose_failure_no_one_looks_at_fail_the_wait_for_all(self):
        self.rt.submit(lambda: [][1])
        with self.assertRaises(IndexError):
            self.rt.wait()
        self.rt.wait()

    def test_cannot_keep_arrays(self):
        x, kept = self.rt.zeros(3, label="x"), []
        for function in (lambda a: a, lambda a: a[1:], kept.append, lambda a: kept.append(a.T)):
            with self.assertRaisesRegex(hocket.UsageError, 'buffer "x" after its end'):
                self.rt.submit(function, updates(x)).result()
            self.assertIsNotNone(self.rt.submit(lambda: 1).result())
            ops.fill(0.0, x)

    def test_cannot_keep_arrays_of_types_that_numpy_does_not_have_itself(self):
        kept = []
        pair = np.dtype([("f", "f4"), ("n", "i8")])
        functions = {
            "itself": lambda a: a,
            "part": lambda a: a[1:3],
            "part of a part": lambda a: a[1:][1:],
            "shape": lambda a: kept.append(a.reshape(2, 2)),
            "bytes": lambda a: a.view(np.uint8),
            "memory": lambda a: memoryview(a.view(np.uint8)),
            "under it": lambda a: kept.append(a.base),
            "over the same": lambda a: np.asarray(a.base.base),
        }
        dtypes = [pair]
        try:
            import ml_dtypes
        except ImportError:
            pass  # then there are none of these
        else:
            dtypes += [ml_dtypes.bfloat16, ml_dtypes.float8_e5m2]
        for dtype in dtypes:
            x = self.rt.zeros(4, dtype, label="x")
            for name, function in functions.items():
                with self.subTest(name, dtype=dtype):
                    with self.assertRaisesRegex(hocket.UsageError, 'buffer "x" after its end'):
                        self.rt.submit(function, reads(x)).result()
            self.assertEqual(self.rt.submit(lambda a: a[1:3].copy(), reads(x)).result().size, 2)
            self.assertEqual(self.rt.submit(lambda a: len(a[1:3]), reads(x)).result(), 2)
        z = self.rt.zeros(4, pair, label="z")
        with self.assertRaisesRegex(hocket.UsageError, 'buffer "z" after its end'):
            self.rt.submit(lambda a: a["n"], reads(z)).result()
        y = self.rt.zeros(4, label="y")
        with self.assertRaisesRegex(hocket.UsageError, 'buffer "y" after its end'):
            self.rt.submit(lambda a: a.base, reads(y)).result()

    def test_whose_exceptions_have_arrays_leave_copies(self):
        def fail(a, how):
            part = a[2:4]
            if how == "nested":
                raise ValueError({"parts": [part, (a.T,)]}, a)
            try:
                raise KeyError(part)
            except KeyError as error:
                if how == "attribute":
                    error.part = part
                    raise
                if how == "context":
                    raise ValueError("bad")
                raise ValueError("bad") from error

        for how in ("nested", "attribute", "context", "cause"):
            x = self.rt.full(10, 7.0, label="x")
            error = self.rt.submit(fail, reads(x), how).exception()
            ops.fill(9.0, x)
            x.numpy()
            if how == "nested":
                self.assertIsInstance(error, ValueError)
                (part, (turned,)), whole = error.args[0]["parts"], error.args[1]
                self.assertEqual((turned.tolist(), whole.tolist()), ([7] * 10, [7] * 10))
            else:
                part = (error if how == "attribute" else error.__context__).args[0]
            self.assertEqual(part.tolist(), [7, 7], how)

    def test_cannot_keep_arrays_where_they_raise(self):
        kept = []

        def fail(a):
            kept.append(a[1:])
            raise KeyError("seven")

        x = self.rt.zeros(3, label="x")
        with self.assertRaisesRegex(hocket.UsageError, 'buffer "x" after its end') as caught:
            self.rt.submit(fail, reads(x)).result()
        self.assertIsInstance(caught.exception.__cause__, KeyError)

    def test_may_leave_circles_that_have_arrays(self):
        class Node:
            pass

        def walk(a):
            def rest(i):
                return a[i] + rest(i + 1) if i < len(a) else 0

            return float(rest(0))

        def keep_the_error(a):
            last = None
            try:
                1 / 0
            except ZeroDivisionError as error:
                last = error
            return float(a.sum())

        def refer_to_itself(a):
            node = Node()
            node.me, node.part = node, a[1:]
            return float(a.sum())

        x = self.rt.full(3, 2.0)
        gc.disable()
        self.addCleanup(gc.enable)
        for function in (walk, keep_the_error, refer_to_itself):
            self.assertEqual(self.rt.submit(function, reads(x)).result(), 6, function)

    def test_are_let_go_of_when_they_have_ended(self):
        class Big:
            pass

        big = Big()
        alive = weakref.ref(big)
        self.rt.submit(lambda it: None, big).result()
        del big
        self.assertTrue(is_collected(alive))

    def test_that_fail_and_are_waited_for_are_let_go_of(self):
        class Big:
            pass

        def fail(it):
            time.sleep(0.05)
            raise ValueError(it)

        big = Big()
        alive = weakref.ref(big)
        big.future = self.rt.submit(fail, big)
        big.future.wait()
        del big
        self.assertTrue(is_collected(alive))

    def test_and_their_exceptions_keep_no_memory_that_is_lent(self):
        x = np.ones(10, np.float32)

        def once(function):
            b = self.rt.buffer(x)
            try:
                return self.rt.submit(function, reads(b)).result()
            except ZeroDivisionError as error:
                return str(error)

        gc.disable()
        self.addCleanup(gc.enable)
        for function in (lambda a: float(a.sum()), lambda a: 1 / 0) * 3:
            self.assertIn(once(function), (10, "division by zero"))
            self.rt.wait()

    def test_submit_beyond_the_limit_of_pending_tasks(self):
        for overload in ("block", "refuse"):
            with hocket.Runtime(max_pending=1, overload=overload) as rt:
                x = rt.zeros(3)
                rt.wait()

                def work(*_):
                    return [rt.submit(lambda: 1).result(), ops.sum(y).result()]

                y = rt.empty(3)
                with y.write() as view:
                    view[:] = 2
                self.assertEqual(rt.submit(work).result(30), [1, 6])
                rt.wait()
                self.assertEqual(rt.submit(work, updates(x)).result(30), [1, 6])

    def test_of_several_threads(self):
        x = self.rt.zeros(1, np.int64)

        def add(a):
            a += 1

        def many():
            for _ in range(100):
                self.rt.submit(add, updates(x))
                ops.axpy(1, one, x)

        one = self.rt.full(1, 1, np.int64)
        threads = [threading.Thread(target=many) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(x.numpy()[0], 800)

    def test_wrong_calls_are_named(self):
        x = self.rt.zeros(3, label="x")
        with self.assertRaisesRegex(TypeError, "'text'"):
            self.rt.submit("text")
        with self.assertRaisesRegex(TypeError, 'Buffer "x" is passed as it is'):
            self.rt.submit(print, x)
        with self.assertRaisesRegex(TypeError, "reads a hocket.Buffer, not ndarray"):
            reads(np.zeros(3))
        async def later():
            pass

        with self.assertRaisesRegex(TypeError, '"later" is one of asyncio'):
            self.rt.submit(later)
        with self.assertRaisesRegex(TypeError, '"after" is 3'):
            self.rt.submit(print, after=3)
        with self.assertRaisesRegex(hocket.UsageError, 'buffer "x", which overlap'):
            self.rt.submit(print, reads(x), updates(x))
        with self.assertRaisesRegex(TypeError, 'no option "labl"'):
            self.rt.submit(print, labl="x")


class Futures(unittest.TestCase):
    def test_raise_one_exception_with_one_traceback(self):
        def depth(future):
            try:
                future.result()
            except ZeroDivisionError as error:
                return len(traceback.extract_tb(error.__traceback__)), error
            return None

        def fail():
            1 / 0

        graph = self.rt.record(lambda: self.rt.submit(fail))
        for future in (self.rt.submit(fail), graph.run()):
            first, error = depth(future)
            self.assertEqual([depth(future) for _ in range(3)], [(first, error)] * 3)
            self.assertEqual(traceback.extract_tb(error.__traceback__)[-1].name, "fail")

    def setUp(self):
        self.rt = hocket.Runtime()
        self.addCleanup(self.rt.close)

    def test_waits_have_limits(self):
        go = threading.Event()
        future = self.rt.submit(go.wait, label="slow")
        self.assertFalse(future.done())
        self.assertFalse(future.wait(0.05))
        with self.assertRaisesRegex(TimeoutError, '"slow" has not ended after 0.01 s'):
            future.result(0.01)
        go.set()
        self.assertTrue(future.result(20))
        self.assertTrue(future.done())
        self.assertIsNone(future.exception())

    def test_are_cancelled_before_they_run(self):
        go = threading.Event()
        first = self.rt.submit(go.wait)
        second = self.rt.submit(lambda: 1, after=[first])
        second.cancel()
        go.set()
        with self.assertRaises(errors.Cancelled):
            second.result()
        self.assertTrue(second.cancelled())

    def test_are_awaited(self):
        x = self.rt.full(4, 3.0)

        async def ask(n):
            return await self.rt.submit(lambda: (time.sleep(0.05), n)[1])

        async def all_of_them():
            total = await ops.sum(x)
            answers = await asyncio.gather(*(ask(n) for n in range(5)))
            with self.assertRaises(ZeroDivisionError):
                await self.rt.submit(lambda: 1 / 0)
            return total, answers

        self.assertEqual(asyncio.run(all_of_them()), (12, [0, 1, 2, 3, 4]))

    def test_the_loop_goes_on_while_one_is_awaited(self):
        ticks = []

        async def tick():
            while len(ticks) < 3:
                ticks.append(1)
                await asyncio.sleep(0.01)
            go.set()

        async def main():
            await asyncio.gather(tick(), wait())

        async def wait():
            await self.rt.submit(go.wait)

        go = threading.Event()
        asyncio.run(main())
        self.assertEqual(len(ticks), 3)

    def test_are_awaited_while_functions_take_all_threads(self):
        go, x = threading.Event(), self.rt.full(4, 3.0)
        busy = [self.rt.submit(go.wait, 30) for _ in range(max(2, os.cpu_count() or 1))]
        view = x.update()
        total = ops.sum(x)

        async def main():
            asyncio.get_running_loop().call_later(0.1, view.close)
            return await asyncio.wait_for(asyncio.ensure_future(wait()), 20)

        async def wait():
            return await total

        try:
            self.assertEqual(asyncio.run(main()), 12)
            self.assertFalse(any(each.done() for each in busy))
        finally:
            go.set()

    def test_a_timeout_of_asyncio_cancels_the_task(self):
        go, ran = threading.Event(), []

        async def main():
            first = self.rt.submit(go.wait)
            second = self.rt.submit(ran.append, 1, after=first)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(second, 0.05)
            go.set()
            await first
            return second

        second = asyncio.run(main())
        self.assertIsInstance(second.exception(), errors.Cancelled)
        self.assertEqual(ran, [])

    def test_ten_thousand_tasks(self):
        x = self.rt.zeros(1)
        one = self.rt.full(1, 1.0)
        futures = [self.rt.submit(int, k) for k in range(10_000)]
        for _ in range(10_000):
            ops.axpy(1.0, one, x)
        self.assertEqual(sum(each.result() for each in futures), 49_995_000)
        self.assertEqual(x.numpy()[0], 10_000)


if __name__ == "__main__":
    unittest.main()

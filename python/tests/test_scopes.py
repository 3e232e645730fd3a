# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Scopes: tasks that end before a block does."""

import asyncio
import threading
import time
import unittest

import hocket
import numpy as np
from hocket import errors, ops, reads, updates
from support import WithRuntime


class Scopes(WithRuntime):
    def test_end_after_their_tasks(self):
        seen = []

        def slow(n):
            time.sleep(0.02)
            seen.append(n)

        with self.rt.scope(label="all") as s:
            for n in range(5):
                self.rt.submit(slow, n)
            future = ops.axpy(2.0, self.x, self.y)
            self.rt.elementwise("y = y + 1", y=self.y)
            s.elementwise("y = y + 1", y=self.y)
            s.wait()
            self.assertEqual(sorted(seen), [0, 1, 2, 3, 4])
            self.assertTrue(future.done())
            last = s.submit(slow, 5)
        self.assertTrue(last.done())
        self.assertEqual(self.y.numpy()[0], 4)

    def test_wait_for_nothing_else(self):
        go = threading.Event()
        with self.rt.scope():
            self.rt.submit(lambda: 1)
            outside = self.rt.submit(go.wait, into=self.rt)
        self.assertFalse(outside.done())
        go.set()

    def test_take_tasks_of_other_threads_and_of_their_own_tasks(self):
        seen = []

        def more(s, n):
            if n:
                for _ in range(2):
                    s.submit(more, s, n - 1)
            time.sleep(0.01)
            seen.append(n)

        with self.rt.scope() as s:
            self.rt.submit(more, s, 4)
            thread = threading.Thread(target=lambda: ops.axpy(1.0, self.x, self.y, into=s))
            thread.start()
            thread.join()
        self.assertEqual(len(seen), 31)
        self.assertEqual(self.y.numpy()[0], 1)

    def test_run_graphs(self):
        go = threading.Event()
        g = self.rt.record(lambda: self.rt.submit(lambda: go.wait(20) and None))
        with self.rt.scope():
            runs = [g.run(), g.run_times(2), g.run(into=self.rt)]
            go.set()
        self.assertTrue(runs[0].done() and runs[1].done())

    def test_raise_the_first_failure_that_no_one_has_looked_at(self):
        with self.assertRaises(ZeroDivisionError):
            with self.rt.scope():
                self.rt.submit(lambda: 1 / 0)
        with self.rt.scope() as s:
            failed = self.rt.submit(lambda: 1 / 0)
            self.assertIsInstance(failed.exception(), ZeroDivisionError)
            with self.assertRaises(KeyError):
                s.submit(lambda: {}["name"])
                s.wait()
        self.rt.wait()

    def test_an_exception_in_the_block_cancels_and_comes_first(self):
        begun, go, ran = threading.Event(), threading.Event(), []

        def work():
            begun.set()
            go.wait(20)
            ran.append(s.cancelled)

        with self.assertRaisesRegex(KeyError, "first"):
            with self.rt.scope() as s:
                stuck = self.rt.submit(work)
                later = self.rt.submit(ran.append, "later", after=stuck)
                begun.wait(20)
                threading.Timer(0.05, go.set).start()
                raise KeyError("first")
        self.assertTrue(stuck.done())
        self.assertIsInstance(later.exception(), errors.Cancelled)
        self.assertEqual(ran, [True])

    def test_are_cancelled(self):
        with self.rt.scope(label="cancelled") as s:
            self.assertFalse(s.cancelled)
            s.cancel()
            self.assertTrue(s.cancelled)
            future = ops.axpy(1.0, self.x, self.y)
            self.assertIsInstance(future.exception(), errors.Cancelled)
            with self.rt.scope() as inner:
                self.assertTrue(inner.cancelled)
        self.assertEqual(self.rt.submit(lambda: 2).result(), 2)

    def test_a_failure_cancels_the_others(self):
        def until_cancelled():
            while not s.cancelled:
                time.sleep(0.01)

        with self.assertRaises(ZeroDivisionError):
            with self.rt.scope(cancel_on_failure=True) as s:
                self.rt.submit(until_cancelled)
                self.rt.submit(lambda: 1 / 0)

    def test_have_a_timeout(self):
        def until_cancelled():
            while not s.cancelled:
                time.sleep(0.01)

        with self.assertRaises(errors.TimedOut):
            with self.rt.scope(timeout=0.05) as s:
                first = self.rt.submit(until_cancelled)
                self.rt.submit(lambda: 1, after=first)

    def test_within_one_another(self):
        seen = []
        with self.rt.scope() as outer:
            with self.rt.scope() as inner:
                inner.cancel()
                self.assertFalse(outer.cancelled)
                self.rt.submit(seen.append, "inner")
            self.rt.submit(seen.append, "outer")
        self.assertEqual(seen, ["outer"])

    def test_within_tasks(self):
        def work():
            parts = []
            with self.rt.scope() as s:
                for n in range(10):
                    s.submit(parts.append, n)
            return len(parts)

        self.assertEqual([self.rt.submit(work) for _ in range(8)][-1].result(), 10)

    def test_in_asyncio(self):
        ticks = []

        async def tick():
            for _ in range(3):
                ticks.append(1)
                await asyncio.sleep(0.01)

        async def work():
            async with self.rt.scope() as s:
                self.rt.submit(time.sleep, 0.1)
                asyncio.get_running_loop().create_task(tick())
            self.assertEqual(len(ticks), 3)
            with self.assertRaises(ZeroDivisionError):
                async with self.rt.scope():
                    self.rt.submit(lambda: 1 / 0)
            with self.assertRaises(KeyError):
                async with self.rt.scope() as s:
                    raise KeyError
            async with self.rt.scope() as s:
                s.submit(lambda: None)
                with self.assertRaises(asyncio.TimeoutError):
                    await asyncio.wait_for(asyncio.sleep(10), 0.01)

        async def stopped():
            def until_cancelled():
                while not s.cancelled:
                    time.sleep(0.01)

            async with self.rt.scope() as s:
                s.submit(until_cancelled)

        async def main():
            await work()
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(stopped(), 0.1)

        begin = time.monotonic()
        asyncio.run(main())
        self.assertLess(time.monotonic() - begin, 5)

    def test_on_simulated_time(self):
        with hocket.Runtime(clock="simulated", backends={"sim": "1,flops=1G"}) as rt:
            y = rt.zeros(10)
            with rt.scope(timeout=5):
                rt.submit(lambda a: np.add(a, 1, out=a) is None, updates(y))
            self.assertEqual(y.numpy()[0], 1)

    def test_wrong_use_is_named(self):
        s = self.rt.scope(label="mine")
        with self.assertRaisesRegex(hocket.UsageError, '"mine"> takes tasks in its block'):
            s.submit(print)
        with s:
            pass
        with self.assertRaisesRegex(hocket.UsageError, "The scope has ended"):
            s.submit(print)
        with self.assertRaisesRegex(hocket.UsageError, '"mine"> is entered twice'):
            with s:
                pass
        with self.assertRaisesRegex(TypeError, 'A scope has no option "time"'):
            with self.rt.scope(time=3):
                pass
        with self.assertRaisesRegex(ValueError, '"timeout" is -1'):
            with self.rt.scope(timeout=-1):
                pass
        with self.rt.record():
            with self.assertRaisesRegex(hocket.UsageError, "A scope is made in a recorder"):
                with self.rt.scope():
                    pass
        with hocket.Runtime() as other, self.rt.scope() as s:
            with self.assertRaisesRegex(hocket.UsageError, "belongs to another runtime"):
                other.submit(print, into=s)
            self.assertEqual(other.submit(lambda: 3).result(), 3)
        with self.rt.scope(label="own") as s:
            for wait in (s.wait, self.rt.wait):
                with self.assertRaisesRegex(hocket.UsageError, "and so for itself"):
                    self.rt.submit(wait).result()
            with self.rt.scope() as inner:
                with self.assertRaisesRegex(hocket.UsageError, '"own">, and so for itself'):
                    inner.submit(s.wait).result()

    def test_are_not_waited_for_by_functions_of_graphs_in_them(self):
        scopes = []
        for arguments in ((), (updates(self.y),)):
            with self.rt.record() as graph:
                self.rt.submit(lambda *_: scopes[-1].wait(), *arguments)
            for run in (graph.run, lambda: graph.run_times(2)):
                with self.rt.scope(label="own") as s:
                    scopes.append(s)
                    with self.assertRaisesRegex(hocket.HocketError, "by a task that belongs to it"):
                        run().result(30)

    def test_of_a_closed_runtime(self):
        with self.rt.scope() as s:
            self.rt.submit(lambda: 1)
            self.rt.close()
            with self.assertRaisesRegex(hocket.UsageError, "The runtime was closed"):
                s.submit(print)
        with self.assertRaisesRegex(hocket.UsageError, "The runtime was closed"):
            with self.rt.scope():
                pass

    def test_a_view_that_holds_up_its_tasks_is_named(self):
        with self.assertRaisesRegex(hocket.UsageError, 'view of buffer "x"'):
            with self.x.read():
                with self.rt.scope():
                    self.rt.submit(lambda a: None, updates(self.x))


if __name__ == "__main__":
    unittest.main()

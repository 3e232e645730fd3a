# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Recorded graphs: runs, parameters, loops, Python functions in them, and wrong use."""

import asyncio
import gc
import threading
import time
import unittest
import weakref

import hocket
import numpy as np
from hocket import errors, ops, reads, updates, when, writes
from support import WithRuntime, is_collected


class Graphs(WithRuntime):
    def test_run_nothing_while_they_are_recorded_and_all_in_each_run(self):
        with self.rt.record() as g:
            ops.axpy(2.0, self.x, self.y)
            self.rt.elementwise("y = y + 1", y=self.y)
        self.assertEqual(self.y0(), 0)
        self.assertEqual(g.size, 2)
        futures = [g.run() for _ in range(20)]
        self.assertIsNone(futures[-1].result())
        self.assertEqual(self.y0(), 60)
        ops.axpy(1.0, self.x, self.y)  # after the block tasks run at once
        self.assertEqual(self.y0(), 61)

    def test_are_recorded_by_functions(self):
        def step():
            ops.axpy(1.0, self.x, self.y)

        g = self.rt.record(step, label="step")
        step()
        future = g.run(priority=1)
        future.result()
        self.assertEqual((self.y0(), future.label), (2, "step"))
        self.assertIn('"step": 1 tasks', repr(g))

    def test_buffers_that_are_made_in_the_block_have_content(self):
        with self.rt.record() as g:
            one = self.rt.full(10, 3.0)
            ops.axpy(1.0, one, self.y)
        g.run()
        g.run().result()
        self.assertEqual((self.y0(), g.size), (6, 1))

    def test_are_made_of_fewer_tasks(self):
        def chain():
            half = self.rt.empty(10, label="half")
            self.rt.elementwise("x / 2", x=self.x, out=half)
            self.rt.elementwise("y = y + half", y=self.y, half=half)

        g = self.rt.record(chain, fuse=True)
        self.assertEqual(g.size, 1)
        self.assertEqual(self.rt.record(chain).size, 2)
        g.run().result()
        self.assertEqual(self.y0(), 0.5)
        batch = self.rt.record(chain, batch=True, tasks=2)
        for _ in range(20):
            batch.run().result()
        self.assertEqual(self.y0(), 10.5)

    def test_call_functions_once_for_each_run(self):
        seen = []

        def note(a, text, total):
            seen.append((text, total))
            a += 1

        with self.rt.record() as g:
            self.rt.submit(note, updates(self.y), "text", ops.sum(self.y))
            first = self.rt.submit(seen.append, "bare")
            self.rt.submit(lambda: seen.append("last"), after=[first])
        for k in range(3):
            g.run().result()
            self.assertIn(("text", 10.0 * k), seen)
        self.assertEqual(len(seen), 9)
        self.assertEqual(seen.count("last"), 3)
        self.assertEqual(self.y0(), 3)

    def test_take_what_was_submitted_before(self):
        seen, text = [], self.rt.submit(lambda: "text")
        with self.rt.record() as g:
            self.rt.submit(seen.append, text)
            first = self.rt.submit(seen.append, 1, after=text)
            part = self.rt.record(lambda: self.rt.submit(seen.append, 2))
            last = part.run(after=first)
            self.rt.submit(seen.append, 3, after=[last])
        g.run().result()
        self.assertIn("text", seen)
        self.assertEqual([each for each in seen if each != "text"], [1, 2, 3])

    def test_of_nothing_but_functions(self):
        seen = []
        with self.rt.record() as g:
            first = self.rt.submit(seen.append, 1)
            self.rt.submit(lambda: seen.append(2), after=first)
        g.run().result()
        g.run(after=[self.rt.submit(time.sleep, 0.01)]).result()
        self.assertEqual(seen, [1, 2, 1, 2])

    def test_are_parts_of_others(self):
        rate = hocket.Parameter(1.0, "rate")
        with self.rt.record() as part:
            ops.axpy(rate, self.x, self.y)
            self.rt.submit(lambda: None)
        with self.rt.record() as whole:
            part.run()
            part.run({rate: 10})
        part = None
        whole.run({rate: 100}).result()
        self.assertEqual(self.y0(), 110)

    def test_take_parameters(self):
        rate, times = hocket.Parameter(0.5, "rate"), hocket.Parameter(2, dtype=np.int32)
        seen = []
        with self.rt.record() as g:
            ops.axpy(rate, self.x, self.y)
            self.rt.elementwise("y = y * n", y=self.y, n=times)
            self.rt.submit(lambda *got: seen.append(got), rate, "kept", times)
        g.run().result()
        self.assertEqual(self.y0(), 1)
        g.run({rate: 2, times: 3}).result()
        self.assertEqual(self.y0(), 9)
        self.assertEqual(seen, [(0.5, "kept", 2), (2.0, "kept", 3)])
        ops.axpy(rate, self.x, self.y)
        self.assertEqual(self.rt.submit(lambda a: a, times).result(), 2)
        self.assertEqual(self.y0(), 9.5)

    def test_are_awaited_and_run_by_several_threads(self):
        g = self.rt.record(lambda: ops.axpy(1.0, self.x, self.y))

        async def several():
            await asyncio.gather(*(g.run() for _ in range(5)))

        asyncio.run(several())

        def many():
            for _ in range(50):
                g.run()

        threads = [threading.Thread(target=many) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(self.y0(), 205)

    def test_blocks_are_of_one_thread_and_one_task_of_asyncio(self):
        def elsewhere():
            ops.axpy(1.0, self.x, self.y)

        async def beside():
            await asyncio.sleep(0)
            elsewhere()

        async def record():
            with self.rt.record() as g:
                ops.axpy(5.0, self.x, self.y)
                await asyncio.sleep(0.05)
            return g

        async def main():
            return (await asyncio.gather(record(), beside()))[0]

        with self.rt.record() as g:
            thread = threading.Thread(target=elsewhere)
            thread.start()
            thread.join()
            ops.axpy(7.0, self.x, self.y, into=self.rt)
        self.assertEqual((self.y0(), g.size), (8, 0))
        g = asyncio.run(main())
        self.assertEqual((self.y0(), g.size), (9, 1))

    def test_choose_and_repeat(self):
        below = when(lambda a, most: a[0] < most, reads(self.y), 5)
        add = self.rt.record(lambda: ops.axpy(1.0, self.x, self.y))
        add.run_while(below).result()
        self.assertEqual(self.y0(), 5)
        add.run_while(below).result()
        self.assertEqual(self.y0(), 5)
        add.run_until(lambda: True).result()
        add.run_times(4).result()
        self.assertEqual(self.y0(), 10)
        add.run_while(lambda: True, at_most=3).result()
        self.assertEqual(self.y0(), 13)
        clear = self.rt.record(lambda: ops.fill(0.0, self.y))
        add.run_if(below, otherwise=clear).result()
        self.assertEqual(self.y0(), 0)
        self.rt.run_one_of(lambda: np.int64(1), [clear, add]).result()
        add.run_if(lambda: False).result()
        self.assertEqual(self.y0(), 1)

    def test_have_loops_in_them(self):
        add = self.rt.record(lambda: ops.axpy(1.0, self.x, self.y))
        with self.rt.record() as g:
            ops.fill(0.0, self.y)
            add.run_while(when(lambda a: a[0] < 7, reads(self.y)), at_most=100)
            add.run_times(2)
            self.rt.run_one_of(lambda: 0, [add])
        for _ in range(3):
            g.run().result()
            self.assertEqual(self.y0(), 10)

    def test_fail_as_the_function_that_raised(self):
        def maybe(a):
            if a[0] > 1:
                raise KeyError("too much")
            a += 1

        with self.rt.record() as g:
            self.rt.submit(maybe, updates(self.y))
            ops.axpy(0.0, self.x, self.y)
        self.assertIsNone(g.run().exception())
        self.assertIsNone(g.run().exception())
        failed = g.run()
        for _ in range(2):
            with self.assertRaisesRegex(KeyError, "too much"):
                failed.result()
            self.assertIsInstance(failed.exception(), KeyError)
        with self.assertRaisesRegex(errors.DependencyFailed, "too much"):
            self.y.numpy()
        ops.fill(0.0, self.y)
        g.run().result()
        self.assertEqual(self.y0(), 1)

    def test_whose_failure_nobody_looks_at_fail_the_wait_for_all(self):
        g = self.rt.record(lambda: self.rt.submit(lambda: [][1]))
        failed = g.run()
        with self.assertRaises(IndexError):
            self.rt.wait()
        self.assertIsInstance(failed.exception(), IndexError)

    def test_conditions_that_fail(self):
        add = self.rt.record(lambda: ops.axpy(1.0, self.x, self.y))
        for condition, kind in ((lambda: 1 / 0, ZeroDivisionError), (lambda: "yes", TypeError)):
            with self.assertRaises(kind):
                add.run_while(condition).result()
            ops.fill(0.0, self.y)
        with self.assertRaisesRegex(TypeError, "returns 0.5; it has to return True, False or"):
            add.run_until(when(lambda a: 0.5, reads(self.y))).result()
        ops.fill(0.0, self.y)
        with self.assertRaisesRegex(errors.TaskFailed, "7"):
            self.rt.run_one_of(lambda: 7, [add]).result()

    def test_are_cancelled(self):
        go = threading.Event()
        self.rt.submit(lambda a: go.wait(20) and None, updates(self.y))
        future = self.rt.record(lambda: ops.axpy(1.0, self.x, self.y)).run()
        future.cancel()
        go.set()
        self.assertIsInstance(future.exception(), errors.Cancelled)
        self.assertTrue(future.cancelled())

    def test_and_what_their_functions_refer_to_are_let_go_of(self):
        class Solver:
            def __init__(self, rt, b):
                self.graph = rt.record(lambda: rt.submit(self.step, updates(b)))
                self.loop = rt.record(lambda: self.graph.run_until(self.asked))

            def step(self, a):
                a += 1

            def asked(self):
                return True

        alive = weakref.ref(solver := Solver(self.rt, self.y))
        solver.graph.run()
        solver.loop.run().result()
        del solver
        self.assertEqual(self.y0(), 2)
        self.assertTrue(is_collected(alive))

    def test_may_be_let_go_of_while_they_run(self):
        go, seen = threading.Event(), []
        with self.rt.record() as g:
            self.rt.submit(lambda a: go.wait(20) and None, updates(self.y))
            self.rt.submit(lambda a: seen.append(float(a[0])), reads(self.y))
        future = g.run()
        del g
        gc.collect()
        go.set()
        future.result()
        self.assertEqual(seen, [0])


class SimulatedGraphs(WithRuntime):
    options = {"clock": "simulated", "backends": {"sim": "2,flops=1G"}}

    def test_run_on_simulated_time(self):
        add = self.rt.record(lambda: ops.axpy(1.0, self.x, self.y))
        with self.rt.record() as g:
            add.run_while(when(lambda a: a[0] < 4, reads(self.y)))
            self.rt.submit(lambda a: np.add(a, 1, out=a) is None, updates(self.y))
        g.run().result()
        g.run().result()
        self.assertEqual(self.y0(), 6)


class PlacedGraphs(WithRuntime):
    options = {"backends": {"sim": "2"}, "trace": True}

    def test_run_on_devices(self):
        rate = hocket.Parameter(1.0)
        with self.rt.record(batch=True) as g:
            for _ in range(5):
                ops.axpy(rate, self.x, self.y, on="Sim1")
            self.rt.submit(lambda a: float(a[0]), reads(self.y), label="look")
        for _ in range(12):
            g.run({rate: 2.0})
        self.rt.wait()
        self.assertEqual(self.y0(), 120)
        self.assertIn("look", {each.get("name") for each in self.rt.trace()})
        g.run_until(when(lambda a: a[0] > 140, reads(self.y))).result()
        self.assertEqual(self.y0(), 145)


class WrongUse(WithRuntime):
    def test_of_recorded_futures(self):
        with self.rt.record():
            future = ops.sum(self.x)
            self.assertIn("recorded", repr(future))
            for use in (future.result, future.exception, future.wait, future.done, future.cancel):
                with self.assertRaisesRegex(hocket.UsageError, '"sum" is recorded, and runs when'):
                    use()
            value = self.rt.submit(lambda: "text", label="text")
            with self.assertRaisesRegex(TypeError, 'future of "text", which returns no number'):
                self.rt.submit(print, value)
        with self.assertRaisesRegex(hocket.UsageError, "record"):
            self.rt.submit(print, after=[future])
        with self.assertRaisesRegex(hocket.UsageError, "record"):
            ops.fill(future, self.y)
        with self.rt.record():
            with self.assertRaisesRegex(hocket.UsageError, "belongs to another recording"):
                ops.fill(future, self.y)

    def test_of_blocks(self):
        g = self.rt.record(label="g")
        with self.assertRaisesRegex(hocket.UsageError, '"g" is not recorded: its block was not'):
            g.run()
        with g:
            with self.assertRaisesRegex(hocket.UsageError, '"g" is not recorded: its block goes'):
                g.run()
        with self.assertRaisesRegex(hocket.UsageError, '"g" is entered twice'):
            with g:
                pass
        with self.assertRaisesRegex(hocket.UsageError, 'into graph "g", which takes tasks in its'):
            ops.fill(1.0, self.y, into=g)

    def test_an_exception_in_the_block_leaves_no_graph(self):
        with self.assertRaises(ZeroDivisionError):
            with self.rt.record(label="g") as g:
                self.rt.submit(lambda: None)
                ops.fill(1 / 0, self.y)
        with self.assertRaisesRegex(hocket.UsageError, '"g" is not recorded: an exception'):
            g.run()
        ops.fill(2.0, self.y)
        self.assertEqual(self.y0(), 2)

    def test_of_options(self):
        g = self.rt.record(lambda: ops.fill(1.0, self.y), label="g")
        rate = hocket.Parameter(1.0, "rate")
        for kind, message, call in (
            (TypeError, 'recording has no option "fus"', lambda: self.rt.record(print, fus=True)),
            (TypeError, '"fuse" is 1; it has to be True', lambda: self.rt.record(print, fuse=1)),
            (TypeError, "a function without arguments, not 3", lambda: self.rt.record(3)),
            (TypeError, 'A run of a graph has no option "on"', lambda: g.run(on="NUMA0")),
            (TypeError, "settings of a run are 3", lambda: g.run(3)),
            (TypeError, "A run sets 'rate'", lambda: g.run({"rate": 3})),
            (TypeError, '"rate" is', lambda: g.run({rate: "x"})),
            (hocket.UsageError, '"rate" is set .* "g", which has no', lambda: g.run({rate: 2})),
            (TypeError, 'option "into" is 3', lambda: g.run(into=3)),
            (ValueError, "number of rounds is -1", lambda: g.run_times(-1)),
            (TypeError, "A condition is a function, not 3", lambda: g.run_while(3)),
            (TypeError, "A condition is given <hocket.Par", lambda: when(print, rate)),
            (TypeError, 'Buffer "y" is passed as it is', lambda: when(print, self.y)),
            (TypeError, "is a hocket.Graph, not 3", lambda: g.run_if(print, 3)),
            (hocket.UsageError, "among no graphs", lambda: self.rt.run_one_of(lambda: 0, [])),
            (TypeError, '"p" is', lambda: hocket.Parameter("x", "p", np.float32)),
        ):
            with self.subTest(message=message), self.assertRaisesRegex(kind, message):
                call()

    def test_of_two_runtimes(self):
        g = self.rt.record(lambda: ops.axpy(1.0, self.x, self.y), label="g")
        with hocket.Runtime() as other:
            theirs = other.record(lambda: other.submit(lambda: None))
            with self.assertRaisesRegex(hocket.UsageError, "belongs to another runtime"):
                g.run(into=other)
            with self.assertRaisesRegex(hocket.UsageError, '"g" is given a graph .* another runt'):
                g.run_if(lambda: True, otherwise=theirs)
            with self.assertRaisesRegex(hocket.UsageError, "another runtime"):
                ops.axpy(1.0, self.x, other.zeros(10))
            with other.record() as others:
                g.run()  # of this runtime, which records nothing
        self.assertEqual((self.y0(), others.size), (1, 0))

    def test_after_the_runtime(self):
        g = self.rt.record(lambda: ops.axpy(1.0, self.x, self.y))
        self.rt.close()
        self.assertEqual(g.size, 1)
        for call in (g.run, lambda: g.run_times(2), lambda: self.rt.record(print)):
            with self.assertRaisesRegex(hocket.UsageError, "The runtime was closed"):
                call()

    def test_of_a_runtime_that_is_closed_in_the_block(self):
        with self.assertRaisesRegex(hocket.UsageError, "The runtime was closed"):
            with self.rt.record():
                self.rt.close()
                ops.axpy(1.0, self.x, self.y)

    def test_of_what_cannot_be_in_a_recording(self):
        with self.rt.record():
            with self.assertRaisesRegex(TypeError, '"later" is one of asyncio'):

                async def later():
                    pass

                self.rt.submit(later)
            with self.assertRaisesRegex(hocket.UsageError, 'buffer "x", which overlap'):
                self.rt.submit(print, reads(self.x), writes(self.x))


if __name__ == "__main__":
    unittest.main()

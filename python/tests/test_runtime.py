# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Runtimes: options, devices, simulated time, reports and traces."""

import json
import os
import tempfile
import unittest

import hocket
import numpy as np
from hocket import errors, ops


class Runtimes(unittest.TestCase):
    def test_know_their_devices(self):
        with hocket.Runtime() as rt:
            first = rt.devices[0]
            self.assertEqual((first.name, first.backend), ("NUMA0", "cpu"))
            self.assertTrue(first.shares_host_memory)
            self.assertGreater(first.memory_bytes, 0)
            self.assertGreaterEqual(first.lanes, 1)
            self.assertIn("NUMA0", repr(rt))
        self.assertTrue(rt.closed)
        self.assertIn("closed", repr(rt))
        rt.close()

    def test_wrong_options_are_named(self):
        for options, kind, message in (
            ({"traec": 1}, TypeError, 'no option "traec"; there are backends, clock'),
            ({"clock": "slow"}, ValueError, '"clock" is \'slow\'; it has to be one of "real"'),
            ({"max_pending": -1}, ValueError, '"max_pending" is -1'),
            ({"watchdog": "x"}, TypeError, '"watchdog" is \'x\''),
            ({"resilience": 1}, ValueError, '"none", "survive"'),
            ({"private_memory": 1}, TypeError, "True or False"),
            ({"devices": 3}, TypeError, "a list of texts"),
        ):
            with self.assertRaisesRegex(kind, message):
                hocket.Runtime(**options)

    def test_the_block_raises_what_nobody_has_looked_at(self):
        with self.assertRaises(ZeroDivisionError):
            with hocket.Runtime() as rt:
                rt.submit(lambda: 1 / 0)
        self.assertTrue(rt.closed)

    def test_an_exception_in_the_block_comes_first(self):
        with self.assertRaises(KeyError):
            with hocket.Runtime() as rt:
                rt.submit(lambda: 1 / 0)
                raise KeyError("first")
        self.assertTrue(rt.closed)

    def test_tasks_are_told_where_to_run(self):
        with hocket.Runtime(backends={"sim": "2,flops=10G"}) as rt:
            names = [each.name for each in rt.devices]
            self.assertIn("Sim1", names)
            x = rt.zeros(10)
            ops.fill(4.0, x, on="Sim1")
            self.assertEqual(ops.sum(x, on="Sim0").result(), 40)
            self.assertEqual(rt.submit(lambda a: float(a[0]), hocket.reads(x)).result(), 4)
            rt.elementwise("x = 2*x", x=x, task={"on": "Sim1"})
            self.assertEqual(x.numpy()[0], 8)
            kernels = {each.name: each.kernels for each in rt.report().devices}
            self.assertGreaterEqual(kernels["Sim1"], 2)

    def test_time_is_simulated(self):
        with hocket.Runtime(clock="simulated", backends={"sim": "2,flops=1G"}) as rt:
            a, b, c = (rt.full((512, 512), 1.0) for _ in range(3))
            future = ops.gemm(a, b, c, on="Sim0")
            self.assertEqual(rt.submit(lambda: 5).result(), 5)
            future.result()
            self.assertGreater(rt.now(), 0.2)
            with c.read() as view:
                self.assertEqual(view[0, 0], 512)
            self.assertEqual(rt.submit(lambda x: float(x[0, 0]), hocket.reads(c)).result(), 512)

            async def ask():
                return await ops.sum(a)

            import asyncio

            self.assertEqual(asyncio.run(ask()), 512 * 512)

    def test_devices_are_taken_out_of_use_and_back(self):
        with hocket.Runtime(backends={"sim": "2"}) as rt:
            rt.drain("Sim0").result()
            states = {each.name: each.state for each in rt.report().devices}
            self.assertIn("drain", states["Sim0"])
            rt.resume("Sim0")
            with self.assertRaisesRegex(hocket.HocketError, "Sim7"):
                rt.drain("Sim7")

    def test_reports_and_traces(self):
        with hocket.Runtime(trace=True) as rt:
            x = rt.zeros(1000, label="x")
            ops.axpy(1.0, x[0:500], x[500:1000], label="my task")
            rt.submit(lambda a: None, hocket.reads(x), label="my function").result()
            rt.wait()
            self.assertIn("NUMA0", str(rt.report()))
            self.assertGreaterEqual(rt.report().devices[0].kernels, 2)
            names = {each.get("name") for each in rt.trace()}
            self.assertLessEqual({"my task", "my function"}, names)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "trace.json")
                rt.write_trace(path)
                with open(path, encoding="utf-8") as file:
                    self.assertIn("traceEvents", json.load(file))
                with self.assertRaises(errors.FileError):
                    rt.write_trace(os.path.join(folder, "no folder", "trace.json"))

    def test_texts_are_of_whole_characters(self):
        half = "\ud800"
        with hocket.Runtime() as rt:
            x = rt.zeros(3)
            for use in (
                lambda: ops.fill(0, x, label=half),
                lambda: rt.submit(print, label=half),
                lambda: rt.zeros(3, label=half),
                lambda: rt.record(label=half),
                lambda: hocket.Parameter(1.0, half),
                lambda: rt.scope(label=half).__enter__(),
                lambda: ops.fill(0, x, on=half),
                lambda: ops.fill(0, x, **{half: 1}),
                lambda: hocket.Runtime(policy=half),
                lambda: hocket.Runtime(clock=half),
                lambda: hocket.Runtime(devices=half),
            ):
                with self.assertRaisesRegex(ValueError, r"'\\ud800'; it has to be of whole"):
                    use()
            for text in (half, "x + '" + half + "'", "x\0"):
                with self.assertRaisesRegex(hocket.UsageError, "cannot be read"):
                    rt.elementwise(text, x=x)

            def named():
                return 1

            named.__name__ = half
            self.assertEqual(rt.submit(named).label, "?")
            with self.assertRaisesRegex(TypeError, '"label" is 5'):
                rt.submit(print, label=5)

    def test_what_no_buffer_can_be_filled_with_is_named(self):
        with hocket.Runtime() as rt:
            for dtype in ("f4", "i2", "c8", [("a", "f4")]):
                with self.assertRaisesRegex(TypeError, "'text'"):
                    rt.full(3, "text", dtype)

    def test_pending_tasks_are_limited(self):
        import threading

        go = threading.Event()
        with hocket.Runtime(max_pending=3, overload="refuse") as rt:
            with self.assertRaises(errors.Overloaded):
                for _ in range(10):
                    rt.submit(go.wait)
            go.set()

    def test_content_survives_a_lost_device(self):
        with hocket.Runtime(
            backends={"sim": "2"}, resilience="survive", faults="lose Sim1 launch 7"
        ) as rt:
            x = rt.zeros(100)
            for _ in range(20):
                rt.elementwise("x = x + 1", x=x, task={"on": "Sim1"})
            self.assertEqual(x.numpy().tolist(), [20] * 100)
            alive = {each.name: each.alive for each in rt.report().devices}
            self.assertEqual((alive["Sim0"], alive["Sim1"]), (True, False))

    def test_bfloat16(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("ml_dtypes is not installed")
        with hocket.Runtime() as rt:
            x = rt.buffer(np.array([1, 2, 3], ml_dtypes.bfloat16))
            y = rt.empty(3, ml_dtypes.bfloat16)
            rt.elementwise("x * 2", x=x, out=y)
            self.assertEqual(y.numpy().tolist(), [2, 4, 6])
            self.assertEqual(y.dtype, ml_dtypes.bfloat16)

    def test_float8(self):
        try:
            import ml_dtypes
        except ImportError:
            self.skipTest("ml_dtypes is not installed")
        values = np.ldexp(np.arange(1, 4097, dtype=np.float32), -9)
        with hocket.Runtime() as rt:
            for dtype in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
                every = np.arange(256, dtype=np.uint8).view(dtype)
                wide, narrow = rt.empty(256, np.float32), rt.empty(values.size, dtype)
                rt.elementwise("x", x=rt.buffer(every), out=wide)
                rt.elementwise("x * scale", x=rt.buffer(values), scale=1.25, out=narrow)
                np.testing.assert_array_equal(wide.numpy(), every.astype(np.float32))
                self.assertEqual(narrow.dtype, dtype)
                expected = (values * np.float32(1.25)).astype(dtype)
                np.testing.assert_array_equal(
                    narrow.numpy().astype(np.float32), expected.astype(np.float32)
                )


if __name__ == "__main__":
    unittest.main()

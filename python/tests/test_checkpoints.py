# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Checkpoints: what is saved, restored after a killed process, and refused."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import hocket
import numpy as np
from hocket import errors, ops, updates, writes
from support import WithRuntime

SWING = """
import os, signal, sys
import hocket
from hocket import ops

folder, end = sys.argv[1], int(sys.argv[2])
rt = hocket.Runtime()
state, speed = rt.full(1 << 12, 1.0, label="state"), rt.zeros(1 << 12, label="speed")
learned = {"state": state, "speed": speed}
saved = rt.checkpoints(folder, keep=3)
found, step = saved.newest(), 0
if found:
    found.restore(learned)
    step = int(found.position["step"])
print("from", step, flush=True)
while step < 100:
    ops.axpy(-0.01, state, speed)
    ops.axpy(0.01, speed, state)
    step += 1
    if step % 10 == 0:
        last = saved.save(learned, step=step)
    if step == end:
        last.result()
        os.kill(os.getpid(), signal.SIGKILL)
last.result()
print(state.numpy().tobytes().hex()[:32], len(os.listdir(folder)))
"""


class Checkpoints(WithRuntime):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(self.close)
        self.folder = pathlib.Path(folder.name) / "saved"

    def test_have_what_buffers_held_in_the_order_of_tasks(self):
        b = self.rt.buffer(np.arange(6, dtype=np.int16).reshape(2, 3), "b")
        with self.rt.checkpoints(self.folder) as saved:
            self.assertIsNone(saved.newest())
            ops.axpy(2.0, self.x, self.y)
            future = saved.save({"y": self.y, "numbers": b}, step=7, rate=0.5, name="run")
            ops.axpy(2.0, self.x, self.y)
            self.rt.submit(lambda a: a.fill(0), updates(b))
            self.assertEqual(future.result(), 1)
            found = saved.newest()
            self.assertEqual(found.position, {"step": "7", "rate": "0.5", "name": "run"})
            self.assertEqual(found.arrays, {"y": ("float32", (10,)), "numbers": ("int16", (2, 3))})
            self.assertEqual((found.number, found.newer), (1, []))
            self.assertTrue(os.path.samefile(found.file, self.folder / "checkpoint-1"))
            self.assertEqual(self.y0(), 4)
            found.restore({"numbers": b, "y": self.y})
            ops.axpy(1.0, self.x, self.y)
        self.assertEqual(self.y0(), 3)
        self.assertEqual(b.numpy().tolist(), [[0, 1, 2], [3, 4, 5]])

    def test_of_all_types(self):
        names = ("bool", "uint8", "int64", "float16", "float64", "complex64")
        dtypes = [np.dtype(name) for name in names]
        dtypes.append(np.dtype([("a", "<i4"), ("b", "<f8")]))
        made = {str(d): self.rt.buffer(np.ones((3, 1, 2), d), str(d)) for d in dtypes}
        with self.rt.checkpoints(self.folder) as saved:
            saved.save(made)
            for each in made.values():
                each.assign(np.zeros((), each.dtype))
            saved.newest().restore(made)
        for each in made.values():
            np.testing.assert_array_equal(each.numpy(), np.ones((3, 1, 2), each.dtype))

    def test_so_many_are_kept(self):
        with self.rt.checkpoints(str(self.folder), keep=3) as saved:
            for step in range(7):
                future = saved.save({"y": self.y}, step=step)
            self.assertEqual(future.result(), 7)
        files = sorted(each.name for each in self.folder.glob("checkpoint-*"))
        self.assertEqual(files, ["checkpoint-5", "checkpoint-6", "checkpoint-7"])

    def test_that_were_changed_are_passed_over(self):
        with self.rt.checkpoints(self.folder) as saved:
            saved.save({"y": self.y}, step=1)
            saved.save({"y": self.y}, step=2).result()
            file = self.folder / "checkpoint-2"
            file.write_bytes(file.read_bytes()[:-3])
            found = saved.newest()
            self.assertEqual(found.position["step"], "1")
            self.assertIn("checkpoint-2", found.newer[0][0])
            (self.folder / "checkpoint-1").write_bytes(b"")
            with self.assertRaisesRegex(errors.FileError, "checkpoint"):
                saved.newest()

    def test_go_on_after_the_process_was_killed(self):
        def run(folder, end=0):
            program = [sys.executable, "-c", SWING, str(folder), str(end)]
            return subprocess.run(program, capture_output=True, text=True, timeout=60)

        whole = run(self.folder / "whole")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        self.assertIn("from 0\n", whole.stdout)
        for start, end in ((0, 25), (20, 64)):
            killed = run(self.folder / "killed", end)
            self.assertEqual((killed.returncode, killed.stdout), (-9, f"from {start}\n"))
        last = run(self.folder / "killed")
        self.assertEqual(last.stdout, whole.stdout.replace("from 0", "from 60"))

    def test_fail_as_the_task_that_writes_a_buffer(self):
        self.rt.submit(lambda a: 1 / 0, writes(self.y), label="bad")
        with self.rt.checkpoints(self.folder) as saved:
            with self.assertRaisesRegex(hocket.HocketError, "division by zero"):
                saved.save({"y": self.y}).result()
            self.assertIsNone(saved.newest())

    def test_end_with_the_runtime(self):
        x = np.zeros(10, np.float32)
        b = self.rt.buffer(x)
        saved = self.rt.checkpoints(self.folder)
        ops.fill(3.0, b)
        saved.save({"b": b})
        self.rt.close()
        self.assertEqual(x[0], 3)
        for use in (saved.newest, lambda: saved.save({"b": b})):
            with self.assertRaisesRegex(hocket.UsageError, 'saved" were closed, or their runtime'):
                use()
        saved.close()
        with hocket.Runtime() as other, other.checkpoints(self.folder) as again:
            again.newest().restore({"b": other.zeros(10, label="b")})

    def test_on_simulated_time(self):
        with hocket.Runtime(clock="simulated", backends={"sim": "1"}) as rt:
            y = rt.full(10, 2.0)
            with rt.checkpoints(self.folder) as saved:
                self.assertEqual(saved.save({"y": y}).result(), 1)
                ops.fill(0.0, y)
                saved.newest().restore({"y": y})
            self.assertEqual(y.numpy()[0], 2)

    def test_wrong_use_is_named(self):
        part = np.zeros((4, 4), np.float32)
        gaps = self.rt.buffer(part[:, :2], "gaps")
        with self.rt.checkpoints(self.folder) as saved:
            saved.save({"y": self.y}).result()
            found = saved.newest()
            for kind, message, call in (
                (TypeError, "are 3; they have to be a dict", lambda: saved.save(3)),
                (TypeError, "is given 3 for 'x'", lambda: saved.save({"x": 3})),
                (TypeError, 'position "step" .* is \\[1\\]', lambda: saved.save({}, step=[1])),
                (ValueError, '"y", for "p" .* a part', lambda: saved.save({"p": self.y[0:3]})),
                (ValueError, '"gaps", for "g" .* with gaps', lambda: saved.save({"g": gaps})),
                (hocket.UsageError, 'has no "x"; it has "y"', lambda: found.restore({"x": self.x})),
                (hocket.UsageError, "10 elements .* must be alike",
                 lambda: found.restore({"y": self.rt.zeros(11)})),
                (ValueError, "to keep is 0", lambda: self.rt.checkpoints(self.folder, keep=0)),
                (errors.FileError, "saved", lambda: self.rt.checkpoints(self.folder)),
            ):
                with self.subTest(message=message), self.assertRaisesRegex(kind, message):
                    call()
            with self.rt.record(label="g"):
                with self.assertRaisesRegex(hocket.UsageError, 'while graph "g" is recorded'):
                    saved.save({"y": self.y})
            with hocket.Runtime() as other:
                theirs = other.zeros(10, label="theirs")
                for call in (saved.save, found.restore):
                    with self.assertRaisesRegex(hocket.UsageError, '"theirs", for "y" of a check'):
                        call({"y": theirs})

    def test_ctrl_c_ends_a_wait(self):
        go = threading.Event()
        self.rt.submit(lambda a: go.wait(20) and None, updates(self.y))
        saved = self.rt.checkpoints(self.folder)
        future = saved.save({"y": self.y})
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            saved.newest()
        go.set()
        self.assertEqual(future.result(), 1)


if __name__ == "__main__":
    unittest.main()

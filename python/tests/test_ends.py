# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""How programs end: with runtimes that are open, by Ctrl-C, with views that variables keep."""

import os
import signal
import subprocess
import sys
import time
import unittest

BEGIN = """
import os, signal, sys, threading, time
import hocket, numpy as np
from hocket import ops, reads, updates
rt = hocket.Runtime()
x = np.ones(1000, np.float32)
b = rt.buffer(x, "b")
def slow(*arrays):
    time.sleep(0.2)
    print("ran", flush=True)
def press_ctrl_c():
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
"""


def run(program, environment=None):
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", BEGIN + program],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **(environment or {})},
    )


class Ends(unittest.TestCase):
    def expect(self, program, status=0, said="", errors=""):
        ended = run(program)
        self.assertEqual(ended.returncode, status, program + ended.stdout + ended.stderr)
        self.assertIn(said, ended.stdout, program)
        if errors is not None:
            self.assertIn(errors, ended.stderr, program)
        return ended

    def test_open_runtimes_end_after_their_tasks(self):
        self.expect("f = rt.submit(slow, updates(b))", said="ran")
        self.expect("rt.submit(slow, updates(b)); sys.exit(3)", status=3, said="ran")
        self.expect("rt.submit(slow); raise ValueError", status=1, said="ran", errors="ValueError")
        self.expect("f = rt.submit(slow, updates(b)); del rt, b, f", said="ran")
        self.expect("f = rt.submit(lambda: rt.submit(slow).result())", said="ran")
        self.expect("rt.me = rt; rt.f = rt.submit(slow, reads(b)); del rt, b", said="ran")

    def test_a_runtime_that_only_a_pending_function_has(self):
        cases = {"updates(y)": "return", "reads(y)": "1 / 0", "y.label": "run()"}
        for access, leave in cases.items():
            self.expect(
                f"""
def main():
    own = hocket.Runtime()
    y = own.zeros(10)
    def work(*_):
        slow(own.closed)
    def run():
        with own.record(label="g") as g:
            own.submit(work)
        g.run()
    own.submit(work, {access}, after=own.submit(time.sleep, 0.1))
    {leave}
try:
    main()
except ZeroDivisionError:
    pass
print("left", flush=True)
time.sleep(0.6)  # the end of Python would keep the runtime
""",
                said="left\nran",
            )

    def test_failures_that_nobody_looked_at_are_printed(self):
        self.expect("rt.submit(lambda: 1 / 0)", errors="division by zero")

    def test_views_and_tensors_that_variables_keep(self):
        self.expect("v = b.update(); a = v.array; print('ran')", said="ran")
        self.expect("t = np.from_dlpack(b); print('ran')", said="ran")
        self.expect("v = b.read(); rt.submit(slow, updates(b))", errors='view of buffer "b"')

    def test_tensors_that_hold_up_tasks(self):
        begin = time.monotonic()
        self.expect("t = np.from_dlpack(b); ops.fill(1.0, b)", errors="tensor of a buffer is open")
        self.assertLess(time.monotonic() - begin, 30)

    def test_threads(self):
        self.expect(
            "threading.Thread(target=lambda: (time.sleep(0.2), rt.submit(slow).result())).start()",
            said="ran",
        )
        self.expect(
            """
def loop():
    while True:
        ops.fill(1.0, b)
        b.numpy()
threading.Thread(target=loop, daemon=True).start()
time.sleep(0.2)
""",
            errors=None,
        )

    def test_no_further_thread_can_be_made(self):
        self.expect(
            """
def start(self):
    raise RuntimeError("there are no more threads")
def level(n):
    return rt.submit(level, n - 1).result() if n else 0
rt.submit(int).result()
threading.Thread.start = start
f = rt.submit(level, 20)
print(f.wait(20), f.exception(), rt.submit(level, 0).result())
""",
            said="True there are no more threads 0",
        )

    def test_garbage_that_waits_while_a_thread_is_made(self):
        self.expect(
            """
make = threading.Thread.__init__
def make_and_collect(self, *arguments, **options):
    threading.Thread.__init__ = make
    rt.submit(lambda: print("waited")).result()  # as __del__ of an object may
    make(self, *arguments, **options)
threading.Thread.__init__ = make_and_collect
f = rt.submit(slow)
print(f.wait(20))
if not f.done():
    os._exit(1)
""",
            said="True",
        )

    def test_the_content_is_back_in_the_array(self):
        self.expect(
            "\nwith rt: ops.fill(5.0, b)\nprint('sum', x.sum())",
            said="sum 5000",
        )

    def test_ctrl_c_ends_waits(self):
        waits = ("f.result()", "rt.wait()", "rt.close()", "f.wait()", "b.numpy()", "b.update()")
        for access in ("", ", updates(b)", ", reads(b)"):
            submit = f"rt.submit(stuck{access})"
            for wait in waits:
                if access < {"b.numpy()": ", u", "b.update()": ", "}.get(wait, ""):
                    continue
                program = f"""
go = threading.Event()
def stuck(*arrays):
    go.wait()
f = {submit}
press_ctrl_c()
try:
    {wait}
except KeyboardInterrupt:
    print("interrupted")
go.set()
"""
                if wait == "rt.close()":  # which cannot return before the function has
                    program = program.replace("go.wait()", "go.wait(1)")
                self.expect(program, said="interrupted")

    def test_ctrl_c_ends_waits_for_graphs(self):
        for submit in ("", ", updates(b)"):
            self.expect(
                f"""
go = threading.Event()
def stuck(*arrays):
    go.wait()
g = rt.record(lambda: rt.submit(stuck{submit}))
f = g.run_times(3)
press_ctrl_c()
try:
    f.result()
except KeyboardInterrupt:
    print("interrupted")
go.set()
f.result()
print("ended")
""",
                said="interrupted\nended",
            )

    def test_ctrl_c_leaves_a_recording(self):
        self.expect(
            """
press_ctrl_c()
try:
    with rt.record(label="g") as g:
        ops.fill(1.0, b)
        time.sleep(10)
except KeyboardInterrupt:
    print("interrupted")
ops.fill(3.0, b)
try:
    g.run()
except hocket.UsageError as e:
    print(e, ops.sum(b).result())
""",
            said='interrupted\nGraph "g" is not recorded: an exception has left its block. 3000',
        )

    def test_ctrl_c_cancels_a_scope(self):
        self.expect(
            """
def loop():
    while not s.cancelled:
        time.sleep(0.01)
    print("told", flush=True)
press_ctrl_c()
try:
    with rt.scope() as s:
        f = rt.submit(loop)
        late = rt.submit(slow, after=f)
except KeyboardInterrupt:
    print("interrupted", f.done(), late.cancelled())
""",
            said="told\ninterrupted True True",
        )

    def test_graphs_that_run_at_the_end(self):
        self.expect("g = rt.record(lambda: rt.submit(slow)); g.run(); g.run(); del rt", said="ran")
        self.expect("rt.g = rt.record(lambda: rt.submit(slow, reads(b))); rt.g.run()", said="ran")
        self.expect("with rt.record() as g:\n    rt.submit(slow); sys.exit(4)", status=4)

    def test_ctrl_c_leaves_a_block(self):
        ended = run("press_ctrl_c()\nwith rt: rt.submit(slow); time.sleep(10)")
        self.assertIn("KeyboardInterrupt", ended.stderr)
        self.assertNotEqual(ended.returncode, 0)

    def test_ctrl_c_in_the_wait_at_the_end(self):
        program = """
def press(after):
    timer = threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.daemon = True  # as the end of Python waits for others
    timer.start()
press(0.5)
"""
        self.expect(
            program + """
for _ in range(100):
    rt.submit(lambda a: time.sleep(0.1), updates(b))
print("left", flush=True)
""",
            said="left",
            errors="functions that run are waited for",
        )
        self.expect(
            program + """
press(1.2)
f = rt.submit(lambda: [time.sleep(0.1) for _ in range(300)])
print("left")
""",
            status=128 + signal.SIGINT,
            said="left",
            errors="another Ctrl-C ends the process",
        )

    def test_a_forked_child_ends(self):
        self.expect(
            """
rt.submit(slow).result()
child = os.fork()
if child == 0:
    os._exit(7)
print("child", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
            said="child 7",
        )


if __name__ == "__main__":
    unittest.main()

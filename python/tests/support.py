# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""What several tests have in common."""

import gc
import time
import unittest

import hocket


class WithRuntime(unittest.TestCase):
    """A runtime with two buffers of ten numbers: x is 1 everywhere, y is 0."""

    options = {}

    def setUp(self):
        self.rt = hocket.Runtime(**self.options)
        self.addCleanup(self.close)
        self.x = self.rt.full(10, 1.0, label="x")
        self.y = self.rt.zeros(10, label="y")

    def close(self):
        try:
            self.rt.close()
        except Exception:
            pass  # a failure that the test made

    def y0(self):
        return float(self.y.numpy()[0])


def is_collected(reference):
    """Waits until the object behind a weak reference has gone; False if it stays for seconds."""
    for _ in range(200):
        gc.collect()
        if reference() is None:
            return True
        time.sleep(0.02)
    return False

# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""The garbage collector, for tests."""

import gc
import time


def is_collected(reference):
    """Waits until the object behind a weak reference has gone; False if it stays for seconds."""
    for _ in range(200):
        gc.collect()
        if reference() is None:
            return True
        time.sleep(0.02)
    return False

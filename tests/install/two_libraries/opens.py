# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

"""Opens both libraries in Python, which is a program that was not built for them, and uses them."""

import ctypes
import sys
import threading

functions = []
for name, file in zip(("one", "two"), sys.argv[1:]):
    function = getattr(ctypes.CDLL(file), "sum_in_" + name)
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_int]
    functions.append(function)

wrong = []


def use():
    for n in range(1, 20):
        for function in functions:
            if function(n) != 4 * n:
                wrong.append(n)


threads = [threading.Thread(target=use) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("wrong" if wrong or len(functions) != 2 else "right")

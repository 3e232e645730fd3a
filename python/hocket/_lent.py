# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Arrays that functions of tasks are given: what still refers to their memory after the call."""

import gc
import sys
import time
import traceback
import types

import numpy as np

from ._buffers import empty_out

# Objects of these types are not looked into when an exception is searched for arrays.
_CLOSED = (type, types.ModuleType, types.FrameType, types.CodeType, types.TracebackType,
           types.FunctionType, types.BuiltinFunctionType, str, bytes)
_MOST_SEARCHED = 10_000  # objects that an exception refers to


def _levels(array):
    """The array, those that it is a view of, and the view of the buffer under them."""
    levels = [array]
    while isinstance(levels[-1], np.ndarray):
        levels.append(levels[-1].base)
    return levels


def _is_kept(arrays, number, known):
    levels = _levels(arrays[number])
    # Known are this list, what holds the level, and the call; the view is in a list of its own too.
    # A part of an array that is a view of another one refers to that other one.
    return any(
        sys.getrefcount(levels[k])
        > (3 if isinstance(levels[k], np.ndarray) else 4) + known.get(id(levels[k]), 0)
        for k in range(len(levels))
    )


def _first_kept(arrays, known):
    return next((n for n in range(len(arrays)) if _is_kept(arrays, n, known)), None)


def kept_one(arrays, known):
    """The number of an array that something else refers to, or to what is under it; None if nothing
    does. known: how many more references are right, by the id of what they refer to."""
    number = _first_kept(arrays, known)
    # A circle of objects that nothing refers to any more is no keeper. Most of these are young.
    # While another thread collects garbage, this one cannot.
    for generation, pause in ((0, 0), (1, 0), (2, 0), (2, 0.01), (2, 0.05)):
        if number is None:
            break
        time.sleep(pause)
        gc.collect(generation)
        number = _first_kept(arrays, known)
    return number


def forget_frames(error):
    """Clears the variables of the frames of an exception, and of those that it comes from."""
    found, left = set(), [error]
    while left:
        each = left.pop()
        if each is None or id(each) in found:
            continue
        found.add(id(each))
        traceback.clear_frames(each.__traceback__)
        left += [each.__cause__, each.__context__, *getattr(each, "exceptions", ())]


def _own(array):
    """Gives the array memory of its own, with what it shows now."""
    try:
        content = array.tobytes()
        np.ndarray.__setstate__(array, (1, array.shape, array.dtype, False, content))
    except MemoryError:
        empty_out(array)


def own_parts(error, arrays):
    """Makes copies of the parts of the arrays that an exception has. Returns how often it refers to
    the arrays themselves, by their ids."""
    lent = {id(level) for each in arrays for level in _levels(each)[:-1]}
    found, left, known, parts = {id(error)}, [error], {}, []
    while left and len(found) < _MOST_SEARCHED:
        for each in gc.get_referents(left.pop()):
            if id(each) in lent:
                known[id(each)] = known.get(id(each), 0) + 1
            elif id(each) not in found and not isinstance(each, _CLOSED):
                found.add(id(each))
                if isinstance(each, np.ndarray):
                    parts.append(each)
                if not isinstance(each, np.ndarray) or each.dtype.hasobject:
                    left.append(each)
    for each in parts:
        if any(id(level) in lent for level in _levels(each)[1:]):
            _own(each)
    return known


def own_known(arrays, known):
    """Makes copies of the arrays that an exception refers to, and empties out the others."""
    for array in arrays:
        is_known = any(id(level) in known for level in _levels(array))
        if is_known:
            _own(array)
        else:
            empty_out(array)

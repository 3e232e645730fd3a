# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Buffers over numpy arrays and DLPack tensors, and the views of buffers."""

import gc
import threading
import unittest
import weakref

import hocket
import numpy as np
from hocket import ops

TYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64"


class Array(np.ndarray):
    """An array that can be referred to weakly, as all can, under a name of its own."""


class BuffersOverArrays(unittest.TestCase):
    def setUp(self):
        self.rt = hocket.Runtime()
        self.addCleanup(self.rt.close)

    def address(self, array):
        return array.__array_interface__["data"][0]

    def test_tasks_write_into_the_array_itself(self):
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        b = self.rt.buffer(x, "x")
        with b.update() as view:
            self.assertEqual(self.address(view), self.address(x))
            self.assertEqual((b.shape, b.dtype, b.label), ((3, 4), np.float32, "x"))
        ops.fill(7.0, b)
        with b.read() as view:
            self.assertEqual(self.address(view), self.address(x))
            self.assertTrue((x == 7).all())

    def test_every_type_goes_there_and_back(self):
        for name in TYPES.split() + ["complex64", "complex128"]:
            x = np.array([0, 1, 1, 0, 1], dtype=name)
            there, back = self.rt.buffer(x.copy()), self.rt.empty(5, name)
            ops.copy(there, back)
            self.assertEqual(back.dtype, x.dtype)
            self.assertEqual(back.numpy().tolist(), x.tolist(), name)

    def test_structures(self):
        kind = np.dtype([("x", np.float32), ("n", np.int32)])
        x = np.zeros(3, kind)
        b = self.rt.buffer(x)
        with b.update() as view:
            view["n"] = [1, 2, 3]
        there = self.rt.zeros(3, kind)
        ops.copy(b, there)
        self.assertEqual(there.numpy()["n"].tolist(), [1, 2, 3])
        self.assertEqual(there.dtype, kind)

    def test_strides_that_fit_are_used_as_they_are(self):
        x = np.zeros((4, 6), np.float32)
        b = self.rt.buffer(x[1:3, 2:5])
        ops.fill(1.0, b)
        with b.read():
            self.assertEqual(x.sum(), 6)
        self.assertTrue((x[1:3, 2:5] == 1).all())
        y = np.zeros((2, 3), np.float32)
        parts = (y[:, None, :2], y[:, None, None, :2], y[None, :, :2], y[:, :1], y[:1, None, :2])
        for part in parts:
            y[:] = 0
            ops.fill(1.0, self.rt.buffer(part))
            self.rt.wait()
            self.assertEqual((y.sum(), part.sum()), (part.size, part.size), part.shape)

    def test_strides_that_do_not_fit_are_refused_and_can_be_copied(self):
        x = np.arange(12, dtype=np.float32).reshape(3, 4)
        for array in (x.T, x[::-1], x[:, ::2], np.broadcast_to(x[0], (3, 4))):
            with self.assertRaisesRegex(ValueError, 'buffer "odd".*copy=True'):
                self.rt.buffer(array, "odd")
            copied = self.rt.buffer(array, "odd", copy=True)
            self.assertTrue((copied.numpy() == array).all())

    def test_dtypes_that_no_buffer_has_are_refused(self):
        for array in (
            np.zeros(2, ">f4"),
            np.array(["text"]),
            np.array([None]),
            np.zeros(2, "M8[s]"),
            np.zeros(2, np.longdouble),
        ):
            with self.assertRaisesRegex(TypeError, "cannot hold elements of the dtype"):
                self.rt.buffer(array)

    def test_another_byte_order_can_be_copied(self):
        for dtype in (">f4", "<f4", ">i8", [("x", ">f4"), ("n", "<i2")]):
            array = np.array([(1, 2)] if isinstance(dtype, list) else [1, 2], dtype)
            copied = self.rt.buffer(array, copy=True)
            self.assertTrue(copied.dtype.isnative)
            self.assertEqual(copied.numpy().tolist(), array.tolist())

    def test_arrays_without_elements(self):
        for shape in (0, (3, 0), (0, 4)):
            for copy in (False, True):
                b = self.rt.buffer(np.zeros(shape, np.float32), copy=copy)
                self.assertEqual(b.numpy().shape, np.zeros(shape).shape)
                self.assertEqual(ops.sum(b).result(), 0)
                self.rt.elementwise("x = x + 1", x=b)
            self.assertEqual(self.rt.from_dlpack(np.zeros(shape)).numpy().size, 0)
        self.assertEqual(self.rt.submit(len, hocket.reads(b)).result(), 0)
        self.assertEqual(self.rt.buffer(np.zeros(8)[:0]).dtype, np.float64)

    def test_zero_dimensional_arrays_are_refused(self):
        with self.assertRaisesRegex(ValueError, "has to have a dimension"):
            self.rt.buffer(np.zeros((), np.float32))

    def test_memory_is_lent_once(self):
        x = np.zeros(10, np.float32)
        first = self.rt.buffer(x, "first")
        with self.assertRaisesRegex(hocket.UsageError, "first"):
            self.rt.buffer(x[2:4], "second")
        del first

    def test_read_only_arrays_are_never_written(self):
        x = np.ones(4, np.float32)
        x.flags.writeable = False
        b = self.rt.buffer(x, "constant")
        self.assertTrue(b.read_only)
        self.assertEqual(ops.sum(b).result(), 4)
        with self.assertRaisesRegex(hocket.UsageError, "constant"):
            ops.fill(1.0, b)
        with self.assertRaisesRegex(hocket.UsageError, "constant"):
            b.update()

    def test_the_array_is_kept_as_long_as_tasks_need_it(self):
        x = np.ones(1000, np.float32).view(Array)
        alive = weakref.ref(x)
        b = self.rt.buffer(x)
        future = self.rt.submit(lambda a: float(a.sum()), hocket.reads(b))
        del x, b
        gc.collect()
        self.assertEqual(future.result(), 1000)
        del future
        self.rt.wait()
        for _ in range(100):
            gc.collect()
            if alive() is None:
                break
            threading.Event().wait(0.02)
        self.assertIsNone(alive())

    def test_lists_become_buffers(self):
        self.assertEqual(self.rt.buffer([1.5, 2.5]).numpy().tolist(), [1.5, 2.5])


class Views(unittest.TestCase):
    def setUp(self):
        self.rt = hocket.Runtime()
        self.addCleanup(self.rt.close)
        self.x = self.rt.zeros((4, 3), label="x")

    def test_a_view_waits_for_writers_and_shows_their_content(self):
        ops.fill(2.0, self.x)
        with self.x.read() as view:
            self.assertTrue((view == 2).all())
            self.assertFalse(view.flags.writeable)

    def test_what_is_written_is_seen_by_tasks(self):
        self.x.assign(np.arange(12).reshape(4, 3))
        self.assertEqual(ops.sum(self.x).result(), 66)
        with self.x.update() as view:
            view[0, 0] = 34
        self.assertEqual(ops.sum(self.x).result(), 100)

    def test_the_array_is_empty_after_the_block(self):
        with self.x.read() as view:
            pass
        self.assertEqual(view.shape, (0,))
        with self.assertRaisesRegex(hocket.UsageError, '"x" is closed'):
            view = self.x.read()
            view.close()
            view.array

    def test_waiting_for_what_an_own_view_holds_up_is_refused(self):
        with self.x.read():
            future = ops.fill(1.0, self.x)
            with self.assertRaisesRegex(hocket.UsageError, 'view of buffer "x"'):
                self.rt.wait()
            self.assertFalse(future.done())
        future.result()

    def test_a_view_that_is_forgotten_ends(self):
        self.x.read()
        ops.fill(1.0, self.x).result()

    def test_parts(self):
        ops.fill(1.0, self.x[1:3])
        ops.fill(5.0, self.x[0:1, 2:])
        self.assertEqual(self.x.numpy().tolist(), [[0, 0, 5], [1, 1, 1], [1, 1, 1], [0, 0, 0]])
        self.assertEqual(self.x[1:].shape, (3, 3))
        with self.assertRaisesRegex(TypeError, "1:2 is one"):
            self.x[1]
        with self.assertRaisesRegex(ValueError, "step 2"):
            self.x[::2]
        with self.assertRaisesRegex(IndexError, "2 dimensions"):
            self.x[0:1, 0:1, 0:1]

    def test_a_buffer_without_content_cannot_be_read(self):
        empty = self.rt.empty(3, label="nothing there")
        with self.assertRaisesRegex(hocket.HocketError, "nothing there"):
            empty.numpy()

    def test_an_assignment_that_fails_changes_nothing(self):
        empty, full = self.rt.empty(6, np.int32, label="empty"), self.rt.full(6, 3, np.int32)
        for wrong in ([1, 2, 3], "abc", np.array(["1", "x"] * 3), np.array([1, None] * 3)):
            for each in (empty, full):
                with self.assertRaises((TypeError, ValueError)):
                    each.assign(wrong)
        with self.assertRaisesRegex(hocket.HocketError, "empty"):
            empty.numpy()
        self.assertEqual(full.numpy().tolist(), [3] * 6)
        for right in (7, np.float64(7.5), [[7] * 6], np.full((1, 6), "7"), np.full(6, 7.5), full):
            full.assign(right)
            empty.assign(right)
            self.assertEqual((full.numpy().tolist(), empty.numpy().tolist()), ([7] * 6, [7] * 6))
        pair = self.rt.zeros(2, [("f", "f4"), ("n", "i8")])
        pair.assign((1.5, 2))
        self.assertEqual(pair.numpy().tolist(), [(1.5, 2)] * 2)

    def test_wrong_shapes_are_named(self):
        for shape in (-3, 2.5, (2, -1), "ab"):
            with self.assertRaisesRegex(ValueError, "shape of a buffer is"):
                self.rt.empty(shape)
        with self.assertRaisesRegex(ValueError, "at least one dimension"):
            self.rt.empty(())

    def test_numpy_takes_copies_alone(self):
        self.assertEqual(np.asarray(self.x).shape, (4, 3))
        self.assertEqual(np.array(self.x, dtype=np.int64).dtype, np.int64)
        with self.assertRaises(TypeError):
            list(self.x)

    def test_a_buffer_is_refused_after_its_runtime(self):
        rt = hocket.Runtime()
        b = rt.zeros(3)
        rt.close()
        for use in (b.numpy, b.update, lambda: ops.sum(b), lambda: rt.zeros(3), rt.wait):
            with self.assertRaisesRegex(hocket.UsageError, "closed"):
                use()

    def test_the_array_of_a_view_outlives_the_runtime(self):
        rt = hocket.Runtime()
        b = rt.full(1000, 3.0)
        view = b.read()
        array = view.array
        del view
        rt.close()
        self.assertEqual(array.sum(), 3000)


class Tensors(unittest.TestCase):
    def setUp(self):
        self.rt = hocket.Runtime()
        self.addCleanup(self.rt.close)

    def test_buffers_give_tensors_to_read(self):
        b = self.rt.full((2, 3), 4.0)
        self.assertEqual(b.__dlpack_device__(), (1, 0))
        tensor = np.from_dlpack(b)
        self.assertEqual(tensor.tolist(), [[4, 4, 4], [4, 4, 4]])
        self.assertFalse(tensor.flags.writeable)
        self.assertEqual(ops.sum(b).result(), 24)  # readers go on

    def test_views_give_tensors_to_write(self):
        b = self.rt.zeros(4)
        tensor = np.from_dlpack(b.update())
        after = ops.axpy(1.0, self.rt.full(4, 1.0), b)
        tensor[:] = 2
        self.assertFalse(after.done())
        del tensor
        after.result()
        self.assertEqual(b.numpy().tolist(), [3, 3, 3, 3])

    def test_a_tensor_may_end_on_another_thread_and_after_the_runtime(self):
        rt = hocket.Runtime()
        tensors = [np.from_dlpack(rt.full(1000, 1.0))]
        rt.close()
        self.assertEqual(tensors[0].sum(), 1000)
        thread = threading.Thread(target=tensors.clear)
        thread.start()
        thread.join()

    def test_tensors_that_fail_leave_views_as_they_were(self):
        s = self.rt.buffer(np.zeros(4, [("a", "f4"), ("b", "i4")]), "s")
        view = s.update()
        with self.assertRaisesRegex(TypeError, "DLPack has no type"):
            np.from_dlpack(view)
        self.assertEqual(view.array.shape, (4,))
        view.close()
        try:
            s.__dlpack__(max_version=(1, 0))
        except TypeError:  # which has the frame of the view
            written = self.rt.submit(len, hocket.updates(s))
            self.assertEqual(written.result(20), 4)

    def test_tensors_that_no_consumer_takes_end(self):
        class Consumer:
            def take(self, tensor):
                tensor.__dlpack__(max_version=(1, 0))
                raise BufferError("not this one")

        b = self.rt.full(4, 1.0)
        view = b.update()
        with self.assertRaises(BufferError):
            Consumer().take(view)
        ops.fill(2.0, b).result(20)
        view.close()

    def test_buffers_lie_over_tensors(self):
        class Tensor:
            """A tensor of another library."""

            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **options):
                return self.array.__dlpack__(**options)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        x = np.zeros((2, 2), np.float64)
        b = self.rt.buffer(Tensor(x))
        ops.fill(1.5, b)
        with b.read():
            self.assertEqual(x.tolist(), [[1.5, 1.5], [1.5, 1.5]])
        self.assertEqual(b.dtype, np.float64)
        constant = np.ones(3)
        constant.flags.writeable = False
        self.assertTrue(self.rt.from_dlpack(Tensor(constant)).read_only)
        with self.assertRaisesRegex(TypeError, "no tensor"):
            self.rt.from_dlpack(object())

    def test_libraries_that_know_no_read_only_tensors_are_told(self):
        b = self.rt.zeros(3)
        with self.assertRaisesRegex(BufferError, "buffer.update"):
            b.__dlpack__()
        b.update().__dlpack__()
        ops.fill(1.0, b).result()


if __name__ == "__main__":
    unittest.main()

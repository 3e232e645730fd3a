// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "copy.hpp"

#include <algorithm>
#include <array>

#include "errors.hpp"

namespace hocket::opencl {

namespace {

using triple = std::array<std::size_t, 3>;

/// A box as what OpenCL copies at once, rows of slices of bytes, and how many dimensions of the box
/// are left to count those.
struct slab {
  std::size_t outer = 0;
  triple origin{0, 0, 0};
  triple region{1, 1, 1};
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;
};

slab slab_of(const copy_command& what) {
  const box& region = what.region;
  slab made;
  made.outer = region.rank();
  std::size_t offset = 0, bytes = what.element_size, stride = what.element_size;
  // As long as all dimensions further in are whole, one makes the row longer.
  while (made.outer > 0 && bytes == stride) {
    const std::size_t d = --made.outer;
    bytes = stride * (region.end[d] - region.begin[d]);
    offset = stride * region.begin[d];
    stride *= what.extents[d];
  }
  made.origin[0] = offset;
  made.region[0] = bytes;
  made.row_pitch = made.slice_pitch = stride;
  for (std::size_t axis = 1; axis < made.region.size() && made.outer > 0; ++axis) {
    const std::size_t d = --made.outer;
    made.origin[axis] = region.begin[d];
    made.region[axis] = region.end[d] - region.begin[d];
    if (axis == 1) made.slice_pitch = stride * what.extents[d];
  }
  return made;
}

/// Slices of the whole array that lie before the one with this index in the outer dimensions.
std::size_t slices_before(const copy_command& what, const slab& part, const index_list& index) {
  std::size_t before = 0;
  for (std::size_t d = 0; d < part.outer; ++d) before = before * what.extents[d] + index[d];
  return part.outer == 0 ? 0 : before * what.extents[part.outer];
}

bool advance(const box& region, std::size_t outer, index_list& index) {
  for (std::size_t d = outer; d-- > 0;) {
    if (++index[d] < region.end[d]) return true;
    index[d] = region.begin[d];
  }
  return false;
}

class copier {
 public:
  copier(const api& cl, cl_command_queue queue, const copy_end& from, const copy_end& to)
      : cl_(cl), queue_(queue), from_(from), to_(to) {}

  cl_int plain(std::size_t offset, std::size_t bytes, std::span<const cl_event> waits,
               cl_event& made) const {
    const auto count = static_cast<cl_uint>(waits.size());
    const cl_event* const events = waits.empty() ? nullptr : waits.data();
    if (from_.object == nullptr) {
      return cl_.clEnqueueWriteBuffer(queue_, to_.object, CL_FALSE, offset, bytes,
                                      from_.address + offset, count, events, &made);
    }
    if (to_.object == nullptr) {
      return cl_.clEnqueueReadBuffer(queue_, from_.object, CL_FALSE, offset, bytes,
                                     to_.address + offset, count, events, &made);
    }
    return cl_.clEnqueueCopyBuffer(queue_, from_.object, to_.object, offset, offset, bytes, count,
                                   events, &made);
  }

  cl_int rect(const slab& s, std::span<const cl_event> waits, cl_event& made) const {
    const auto count = static_cast<cl_uint>(waits.size());
    const cl_event* const events = waits.empty() ? nullptr : waits.data();
    const std::size_t* const at = s.origin.data();
    if (from_.object == nullptr) {
      return cl_.clEnqueueWriteBufferRect(queue_, to_.object, CL_FALSE, at, at, s.region.data(),
                                          s.row_pitch, s.slice_pitch, s.row_pitch, s.slice_pitch,
                                          from_.address, count, events, &made);
    }
    if (to_.object == nullptr) {
      return cl_.clEnqueueReadBufferRect(queue_, from_.object, CL_FALSE, at, at, s.region.data(),
                                         s.row_pitch, s.slice_pitch, s.row_pitch, s.slice_pitch,
                                         to_.address, count, events, &made);
    }
    return cl_.clEnqueueCopyBufferRect(queue_, from_.object, to_.object, at, at, s.region.data(),
                                       s.row_pitch, s.slice_pitch, s.row_pitch, s.slice_pitch,
                                       count, events, &made);
  }

 private:
  const api& cl_;
  cl_command_queue queue_;
  const copy_end& from_;
  const copy_end& to_;
};

}  // namespace

enqueued enqueue_copy(const api& cl, cl_command_queue queue, const copy_command& what,
                      const copy_end& from, const copy_end& to, std::span<const cl_event> waits,
                      const std::string& device) {
  const copier copies(cl, queue, from, to);
  slab part = slab_of(what);
  const std::size_t first_slice = part.origin[2];
  const bool plain = part.region[1] == 1 && part.region[2] == 1;
  index_list index = what.region.begin;
  enqueued made;
  do {
    part.origin[2] = first_slice + slices_before(what, part, index);
    cl_event event = nullptr;
    const cl_int code = plain ? copies.plain(part.origin[0] + part.origin[1] * part.row_pitch +
                                                 part.origin[2] * part.slice_pitch,
                                             part.region[0], waits, event)
                              : copies.rect(part, waits, event);
    if (code != CL_SUCCESS) {
      made.why = failure_of(code, device, "to copy " + std::to_string(what.bytes) + " bytes");
      return made;
    }
    waits = {};  // what follows in the queue waits with the first piece
    if (made.last && !made.first) made.first = std::move(made.last);
    made.last = handle<cl_event>(cl, event);
  } while (advance(what.region, part.outer, index));
  return made;
}

}  // namespace hocket::opencl

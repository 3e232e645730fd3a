// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "copy.hpp"

#include <hocket/devices/copy_slab.hpp>

#include "errors.hpp"

namespace hocket::opencl {

namespace {

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

  cl_int rect(const copy_slab& s, std::span<const cl_event> waits, cl_event& made) const {
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
  enqueued made;
  for_each_slab(what, [&](const copy_slab& part) {
    cl_event event = nullptr;
    const cl_int code = part.is_run() ? copies.plain(part.offset(), part.region[0], waits, event)
                                      : copies.rect(part, waits, event);
    if (code != CL_SUCCESS) {
      made.why = failure_of(code, device, "to copy " + std::to_string(what.bytes) + " bytes");
      return false;
    }
    waits = {};  // what follows in the queue waits with the first piece
    if (made.last && !made.first) made.first = std::move(made.last);
    made.last = handle<cl_event>(cl, event);
    return true;
  });
  return made;
}

}  // namespace hocket::opencl

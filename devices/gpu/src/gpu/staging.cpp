// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/staging.hpp"

#include <utility>

#include "gpu/errors.hpp"

namespace hocket::gpu {

namespace {

std::size_t bytes_of(const copy_slab& what) {
  return what.region[0] * what.region[1] * what.region[2];
}

}  // namespace

result<std::unique_ptr<staging>> staging::make(const std::shared_ptr<context>& in,
                                               const std::string& device) {
  std::unique_ptr<staging> made(new staging(in));
  const api& driver = in->driver();
  stream_handle second = nullptr;
  code answer = driver.stream_create(&second, stream_non_blocking);
  if (answer != success) return failure_of(driver, answer, device, "to make a stream");
  made->second_ = handle<stream_handle>(driver, second);
  for (buffer& each : made->buffers_) {
    void* memory = nullptr;
    answer = driver.pinned_allocate(&memory, chunk_bytes, host_memory_portable);
    if (answer != success) {
      return allocation_failure(driver, answer, device, chunk_bytes, "for a staging buffer");
    }
    each.memory = handle<std::byte*>(driver, static_cast<std::byte*>(memory));
    each.host_done = in->events().take(answer);
    if (answer == success) each.device_done = in->events().take(answer);
    if (answer != success) return failure_of(driver, answer, device, "to make an event");
  }
  void* memory = nullptr;
  answer = driver.pinned_allocate(&memory, small_bytes * small_count, host_memory_portable);
  if (answer != success) {
    return allocation_failure(driver, answer, device, small_bytes * small_count,
                              "for staging buffers");
  }
  made->small_memory_ = handle<std::byte*>(driver, static_cast<std::byte*>(memory));
  for (std::size_t i = 0; i < small_count; ++i) {
    made->small_[i].memory = made->small_memory_.get() + i * small_bytes;
    made->small_[i].done = in->events().take(answer);
    if (answer != success) return failure_of(driver, answer, device, "to make an event");
  }
  return made;
}

staging::~staging() {
  if (in_->driver().gone) return;
  // Functions of the host use the buffers.
  const current in(*in_);
  (void)in_->driver().stream_synchronize(second_.get());
  second_ = {};
  for (buffer& each : buffers_) each.memory = {};
  small_memory_ = {};
}

code staging::enqueue(const request& what, std::shared_ptr<host_moves>& used) {
  if (what.is_ready && !what.to_host && what.chunks.size() == 1 &&
      bytes_of(what.chunks.front()) <= small_bytes && is_free(small_[next_small_])) {
    return enqueue_small(what, small_[std::exchange(next_small_, (next_small_ + 1) % small_count)]);
  }
  used = std::make_shared<host_moves>();
  for (std::size_t i = 0; i < what.chunks.size(); ++i) {
    used->add(what.chunks[i], what.host, buffers_[i % buffer_count].memory.get(), what.to_host);
  }
  const code answer = enqueue_all(what, *used);
  if (answer != success) {
    // Blocks, because functions of the host may still use the memory.
    (void)in_->driver().stream_synchronize(what.stream);
    (void)in_->driver().stream_synchronize(second_.get());
    in_->cancel(used);
  }
  return answer;
}

bool staging::is_free(const small_buffer& of) const {
  return !of.used || in_->driver().event_query(of.done.get()) == success;
}

code staging::enqueue_small(const request& what, small_buffer& through) const {
  const copy_slab& only = what.chunks.front();
  host_moves at_once;
  at_once.add(only, what.host, through.memory, false);
  host_moves::run(at_once.at(0));
  const slab_end host{0, nullptr, through.memory, true}, device{what.device, in_->get()};
  const code answer = copy_in_stream(in_->driver(), what.stream, only, host, device);
  if (answer != success) return answer;
  through.used = true;
  return in_->driver().event_record(through.done.get(), what.stream);
}

code staging::enqueue_all(const request& what, host_moves& moves) {
  const api& driver = in_->driver();
  if (what.chunks.size() == 1) {
    // In one stream the two steps need no event.
    const copy_slab& only = what.chunks.front();
    const slab_end device{what.device, in_->get()};
    host_moves::part* const all = moves.at(0);
    const slab_end host{0, nullptr, all->buffer, true};
    code answer = success;
    if (!what.to_host) answer = driver.launch_host_function(what.stream, host_moves::run, all);
    if (answer != success) return answer;
    answer = what.to_host ? copy_in_stream(driver, what.stream, only, device, host)
                          : copy_in_stream(driver, what.stream, only, host, device);
    if (answer != success || !what.to_host) return answer;
    return driver.launch_host_function(what.stream, host_moves::run, all);
  }
  code answer = driver.stream_wait(second_.get(), what.begin.get(), 0);
  for (std::size_t i = 0; i < what.chunks.size() && answer == success; ++i) {
    answer = enqueue_one(what, i, moves.at(i));
  }
  if (answer != success || !what.to_host) return answer;
  const buffer& last = buffers_[(what.chunks.size() - 1) % buffer_count];
  return driver.stream_wait(what.stream, last.host_done.get(), 0);
}

/// The device's part of a chunk is in the stream, the host's in the second one. Each waits for the
/// other's part of the same chunk, or of the one that had the buffer before.
code staging::enqueue_one(const request& what, std::size_t which, void* move) {
  const api& driver = in_->driver();
  const buffer& through = buffers_[which % buffer_count];
  const bool reused = which >= buffer_count;
  const slab_end device{what.device, in_->get()};
  const slab_end host{0, nullptr, through.memory.get(), true};
  const auto host_part = [&](bool waits) {
    code answer = waits ? driver.stream_wait(second_.get(), through.device_done.get(), 0) : success;
    if (answer == success)
      answer = driver.launch_host_function(second_.get(), host_moves::run, move);
    return answer != success ? answer : driver.event_record(through.host_done.get(), second_.get());
  };
  const auto device_part = [&](bool waits) {
    code answer = waits ? driver.stream_wait(what.stream, through.host_done.get(), 0) : success;
    if (answer != success) return answer;
    answer = what.to_host ? copy_in_stream(driver, what.stream, what.chunks[which], device, host)
                          : copy_in_stream(driver, what.stream, what.chunks[which], host, device);
    return answer != success ? answer : driver.event_record(through.device_done.get(), what.stream);
  };
  const code first = what.to_host ? device_part(reused) : host_part(reused);
  if (first != success) return first;
  return what.to_host ? host_part(true) : device_part(true);
}

}  // namespace hocket::gpu

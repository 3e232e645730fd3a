// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/staged_copy_stream.hpp>

#include <algorithm>
#include <thread>

namespace hocket {

namespace {

// Copies of many short runs end a chunk earlier, so that preparing one stays short.
constexpr std::size_t max_runs = 4096;

// A chunk is mostly about to end when it is waited for, and while this thread is woken the device
// runs out of chunks.
constexpr int looks_before_sleep = 100;

}  // namespace

bool staged_copy_stream::prepared(const command& what) {
  return next_ != nullptr && next_->value == what.value;
}

failure staged_copy_stream::prepare(const command& what) {
  const auto& copy = std::get<copy_command>(what.what);
  auto made = std::make_shared<plan>();
  made->value = what.value;
  made->first = chunks_;
  made->chunks = cut_into_chunks(copy, staging_bytes, max_runs);
  next_ = made;
  if (made->chunks.empty()) return {};
  const bool in = how_.way == copy_direction::inbound;
  made->host = static_cast<std::byte*>((in ? copy.from : copy.to).address());
  auto copier = how_.prepare(copy, made->chunks, made->first);
  if (!copier) return copier.error();
  made->copy = std::move(copier).value();
  return {};
}

failure staged_copy_stream::enqueue(const command& what, std::span<const device_wait> waits) {
  chunks_ += next_->chunks.size();
  do_later(what.value, waits, [this, todo = std::move(next_)] {
    return how_.way == copy_direction::inbound ? bring_in(*todo) : take_out(*todo);
  });
  return {};
}

failure staged_copy_stream::bring_in(const plan& todo) const {
  const std::size_t count = todo.chunks.size(), ahead = how_.buffers.size();
  failure why;
  for (std::size_t c = 0; c < count && !why; ++c) {
    if (c >= ahead) why = await_chunk(todo, c - ahead);
    if (why) break;
    move(todo, c);
    why = todo.copy(c);
  }
  return count > 0 && !why ? await_chunk(todo, count - 1) : why;
}

failure staged_copy_stream::take_out(const plan& todo) const {
  const std::size_t count = todo.chunks.size(), ahead = how_.buffers.size();
  failure why;
  for (std::size_t c = 0; c < std::min(ahead, count) && !why; ++c) why = todo.copy(c);
  for (std::size_t c = 0; c < count && !why; ++c) {
    why = await_chunk(todo, c);
    if (why) break;
    move(todo, c);
    if (c + ahead < count) why = todo.copy(c + ahead);
  }
  return why;
}

failure staged_copy_stream::await_chunk(const plan& todo, std::size_t which) const {
  const std::uint64_t count = todo.first + which + 1;
  for (int i = 0; i < looks_before_sleep; ++i) {
    if (how_.has_copied(count)) return {};
    std::this_thread::yield();
  }
  return how_.await(count);
}

void staged_copy_stream::move(const plan& todo, std::size_t which) const {
  std::byte* const buffer = how_.buffers[(todo.first + which) % how_.buffers.size()];
  move_chunk(todo.chunks[which], how_.way, todo.host, buffer);
}

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "staging.hpp"

#include <algorithm>
#include <cstring>

#include <hocket/streams/perform.hpp>

namespace hocket::vulkan {

namespace {

// Long enough that what each chunk costs besides does not matter.
constexpr std::uint64_t chunk_bytes = std::uint64_t{4} << 20U;
// Copies of many short runs end a chunk earlier, so that recording one stays short.
constexpr std::size_t most_runs = 4096;

}  // namespace

staged_copy_stream::staged_copy_stream(const parts& given, stream_id id, direction way)
    : timeline_stream(given, id),
      way_(way),
      pump_(given.of.name() + (way == direction::inbound ? " in" : " out")) {}

result<std::unique_ptr<timeline_stream>> staged_copy_stream::make(const parts& given, stream_id id,
                                                                  direction way) {
  std::unique_ptr<staged_copy_stream> made(new staged_copy_stream(given, id, way));
  if (failure why = made->start()) return why;
  return std::unique_ptr<timeline_stream>(std::move(made));
}

failure staged_copy_stream::start() {
  if (failure why = make_timeline()) return why;
  for (buffer& b : staging_) {
    auto made = make_buffer(of(), chunk_bytes, host_access, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    if (!made) return made.why();
    b = std::move(made).value();
  }
  for (owned_semaphore* s : {&go_, &done_}) {
    auto made = of().make_timeline();
    if (!made) return made.why();
    *s = std::move(made).value();
  }
  return {};
}

staged_copy_stream::~staged_copy_stream() { close(); }

std::vector<staged_copy_stream::chunk> staged_copy_stream::cut(const copy_command& what) {
  std::vector<chunk> chunks;
  std::uint64_t used = chunk_bytes;  // of the last one
  for_each_piece(what, [&](std::uint64_t offset, std::uint64_t bytes) {
    while (bytes > 0) {
      if (used == chunk_bytes || chunks.back().size() == most_runs) {
        chunks.emplace_back();
        used = 0;
      }
      const std::uint64_t part = std::min(bytes, chunk_bytes - used);
      chunks.back().push_back({offset, used, part});
      used += part;
      offset += part;
      bytes -= part;
    }
  });
  return chunks;
}

const buffer& staged_copy_stream::staging(std::uint64_t number) const {
  return staging_[number % staging_.size()];
}

bool staged_copy_stream::prepared(const command& what) {
  return next_ != nullptr && next_->value == what.value;
}

failure staged_copy_stream::prepare(const command& what) {
  const auto& copy = std::get<copy_command>(what.what);
  auto made = std::make_shared<plan>();
  made->value = what.value;
  made->chunks = cut(copy);
  next_ = made;
  if (made->chunks.empty()) return {};
  const bool in = way_ == direction::inbound;
  made->host = static_cast<std::byte*>((in ? copy.from : copy.to).address());
  auto commands = make_command_buffers(of(), of().transfer().family,
                                       static_cast<std::uint32_t>(made->chunks.size()));
  if (!commands) return commands.why();
  made->commands = std::move(commands).value();
  const allocation& theirs = in ? copy.to : copy.from;
  for (std::size_t c = 0; c < made->chunks.size(); ++c) {
    const VkResult code = record(*made, c, device_memory::chunk(theirs), theirs.offset);
    if (code != VK_SUCCESS) return of().failed("cannot record a copy", code);
  }
  return {};
}

VkResult staged_copy_stream::record(const plan& made, std::size_t which, const buffer& theirs,
                                    std::uint64_t offset) const {
  const VkCommandBuffer commands = made.commands.buffers[which];
  const VkBuffer own = staging(chunks_ + which).handle.get();
  const bool in = way_ == direction::inbound;
  std::vector<VkBufferCopy> regions;
  for (const run& r : made.chunks[which]) {
    const std::uint64_t place = offset + r.in_array;
    regions.push_back({in ? r.staged : place, in ? place : r.staged, r.bytes});
  }
  const VkResult code = begin(of(), commands);
  if (code != VK_SUCCESS) return code;
  of().api().vkCmdCopyBuffer(commands, in ? own : theirs.handle.get(),
                             in ? theirs.handle.get() : own,
                             static_cast<std::uint32_t>(regions.size()), regions.data());
  return end(of(), commands);
}

failure staged_copy_stream::enqueue(const command&, std::span<const device_wait> waits) {
  const std::shared_ptr<const plan> todo = std::move(next_);
  const std::size_t count = todo->chunks.size();
  const VkSemaphore go = go_.get();
  std::vector<std::uint64_t> numbers(count);
  std::vector<submission> all;
  for (std::size_t c = 0; c < count; ++c) {
    numbers[c] = chunks_ + c + 1;
    all.push_back({todo->commands.buffers[c], {&go, 1}, {&numbers[c], 1}, done_.get(), numbers[c]});
  }
  if (count > 0) {
    const VkResult code = of().submit(of().transfer(), all);
    if (code != VK_SUCCESS) return of().failed("cannot begin a copy", code);
  }
  pump_.post(
      [this, todo, first = chunks_, points = points_of(waits)] { perform(*todo, first, points); });
  chunks_ += count;
  return {};
}

void staged_copy_stream::perform(const plan& todo, std::uint64_t first,
                                 const std::vector<wait_point>& points) {
  VkResult code = await(points);
  command_result how;
  how.begin = where().now();
  if (code == VK_SUCCESS) code = move_all(todo, first);
  // Whatever happened, what was submitted must not wait for this for ever.
  if (code != VK_SUCCESS) let_go(first + todo.chunks.size());
  how.end = where().now();
  of().signal(timeline(), todo.value);
  conclude(todo.value, how, code);
}

VkResult staged_copy_stream::move_all(const plan& todo, std::uint64_t first) {
  const std::size_t count = todo.chunks.size(), ahead = staging_.size();
  const auto done = [&](std::size_t c) { return of().wait(done_.get(), first + c + 1); };
  VkResult code = VK_SUCCESS;
  if (way_ == direction::inbound) {
    for (std::size_t c = 0; c < count && code == VK_SUCCESS; ++c) {
      if (c >= ahead) code = done(c - ahead);
      if (code == VK_SUCCESS) move(todo, c, first + c);
      let_go(first + c + 1);
    }
    return code == VK_SUCCESS && count > 0 ? done(count - 1) : code;
  }
  if (count > 0) let_go(first + std::min(ahead, count));
  for (std::size_t c = 0; c < count && code == VK_SUCCESS; ++c) {
    code = done(c);
    if (code == VK_SUCCESS) move(todo, c, first + c);
    if (c + ahead < count) let_go(first + c + ahead + 1);
  }
  return code;
}

void staged_copy_stream::move(const plan& todo, std::size_t which, std::uint64_t number) const {
  auto* const own = static_cast<std::byte*>(staging(number).mapped);
  for (const run& r : todo.chunks[which]) {
    if (way_ == direction::inbound) {
      std::memcpy(own + r.staged, todo.host + r.in_array, r.bytes);
    } else {
      std::memcpy(todo.host + r.in_array, own + r.staged, r.bytes);
    }
  }
}

void staged_copy_stream::let_go(std::uint64_t number) {
  if (number > gone_) of().signal(go_.get(), number);
  gone_ = std::max(gone_, number);
}

}  // namespace hocket::vulkan

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "staging.hpp"

#include <algorithm>
#include <thread>

namespace hocket::vulkan {

namespace {

// Long enough that what each chunk costs besides matters little, short enough that all staging
// buffers stay in a cache of the host.
constexpr std::uint64_t chunk_bytes = std::uint64_t{512} << 10U;
// Copies of many short runs end a chunk earlier, so that recording one stays short.
constexpr std::size_t max_runs = 4096;
// A chunk is mostly about to end when it is waited for, and while this thread is woken the device
// runs out of chunks.
constexpr int looks_before_sleep = 100;

}  // namespace

staged_copy_stream::staged_copy_stream(const parts& given, stream_id id, copy_direction way,
                                       const std::string& thread, launch_stream& kernels)
    : device_stream(given, id), way_(way), kernels_(kernels), pump_(thread) {}

result<std::unique_ptr<host_ordered_stream>> staged_copy_stream::make(const parts& given,
                                                                      stream_id id,
                                                                      copy_direction way,
                                                                      const std::string& thread,
                                                                      launch_stream& kernels) {
  std::unique_ptr<staged_copy_stream> made(new staged_copy_stream(given, id, way, thread, kernels));
  if (failure why = made->start()) return why;
  return std::unique_ptr<host_ordered_stream>(std::move(made));
}

failure staged_copy_stream::start() {
  for (buffer& b : staging_) {
    auto made = make_buffer(of(), chunk_bytes, host_access, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    if (!made) return made.error();
    b = std::move(made).value();
  }
  auto done = of().make_timeline();
  if (!done) return done.error();
  done_ = std::move(done).value();
  return {};
}

staged_copy_stream::~staged_copy_stream() { close(); }

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
  made->first = chunks_;
  made->chunks = cut_into_chunks(copy, chunk_bytes, max_runs);
  next_ = made;
  if (made->chunks.empty()) return {};
  const bool in = way_ == copy_direction::inbound;
  made->host = static_cast<std::byte*>((in ? copy.from : copy.to).address());
  auto commands = make_command_buffers(of(), of().transfer().family,
                                       static_cast<std::uint32_t>(made->chunks.size()));
  if (!commands) return commands.error();
  made->commands = std::move(commands).value();
  const allocation& theirs = in ? copy.to : copy.from;
  for (std::size_t c = 0; c < made->chunks.size(); ++c) {
    const VkResult code = record(*made, c, device_memory::chunk(theirs));
    if (code != VK_SUCCESS) return of().failed("cannot record a copy", code);
  }
  return {};
}

VkResult staged_copy_stream::record(const plan& made, std::size_t which,
                                    const buffer& theirs) const {
  const VkCommandBuffer commands = made.commands.buffers[which];
  const VkBuffer own = staging(made.first + which).handle.get();
  const bool in = way_ == copy_direction::inbound;
  std::vector<VkBufferCopy> regions;
  for (const staged_chunk::run& r : made.chunks[which].runs) {
    regions.push_back({in ? r.staged : r.in_array, in ? r.in_array : r.staged, r.bytes});
  }
  const VkResult code = begin(of(), commands);
  if (code != VK_SUCCESS) return code;
  of().api().vkCmdCopyBuffer(commands, in ? own : theirs.handle.get(),
                             in ? theirs.handle.get() : own,
                             static_cast<std::uint32_t>(regions.size()), regions.data());
  return end(of(), commands);
}

failure staged_copy_stream::enqueue(const command&, std::span<const device_wait> waits) {
  chunks_ += next_->chunks.size();
  pump_.post(
      [this, todo = std::move(next_), points = points_of(waits)] { perform(*todo, points); });
  return {};
}

void staged_copy_stream::perform(const plan& todo, const std::vector<wait_point>& points) {
  await(points);
  command_result how;
  how.begin = where().now();
  const VkResult code = way_ == copy_direction::inbound ? bring_in(todo) : take_out(todo);
  how.end = where().now();
  conclude(todo.value, how, code);
}

VkResult staged_copy_stream::bring_in(const plan& todo) {
  const std::size_t count = todo.chunks.size(), ahead = staging_.size();
  VkResult code = VK_SUCCESS;
  for (std::size_t c = 0; c < count && code == VK_SUCCESS; ++c) {
    if (c >= ahead) code = await_chunk(todo, c - ahead);
    if (code != VK_SUCCESS) break;
    move(todo, c);
    code = submit_chunk(todo, c);
  }
  return count > 0 && code == VK_SUCCESS ? await_chunk(todo, count - 1) : code;
}

VkResult staged_copy_stream::take_out(const plan& todo) {
  const std::size_t count = todo.chunks.size(), ahead = staging_.size();
  VkResult code = VK_SUCCESS;
  for (std::size_t c = 0; c < std::min(ahead, count) && code == VK_SUCCESS; ++c) {
    code = submit_chunk(todo, c);
  }
  for (std::size_t c = 0; c < count && code == VK_SUCCESS; ++c) {
    code = await_chunk(todo, c);
    if (code != VK_SUCCESS) break;
    move(todo, c);
    if (c + ahead < count) code = submit_chunk(todo, c + ahead);
  }
  return code;
}

void staged_copy_stream::move(const plan& todo, std::size_t which) const {
  move_chunk(todo.chunks[which], way_, todo.host,
             static_cast<std::byte*>(staging(todo.first + which).mapped));
}

VkResult staged_copy_stream::submit_chunk(const plan& todo, std::size_t which) {
  return of().submit(of().transfer(),
                     {{&todo.commands.buffers[which], 1}, done_.get(), todo.first + which + 1});
}

VkResult staged_copy_stream::await_chunk(const plan& todo, std::size_t which) const {
  const std::uint64_t wanted = todo.first + which + 1;
  for (int i = 0; i < looks_before_sleep; ++i) {
    if (of().has_reached(done_.get(), wanted)) return VK_SUCCESS;
    std::this_thread::yield();
  }
  return of().wait(done_.get(), wanted);
}

}  // namespace hocket::vulkan

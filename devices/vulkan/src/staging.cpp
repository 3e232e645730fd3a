// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "staging.hpp"

#include <array>
#include <memory>
#include <thread>

#include "memory.hpp"

namespace hocket::vulkan {

namespace {

// A chunk is mostly about to end when it is waited for, and while this thread is woken the device
// runs out of chunks.
constexpr int looks_before_sleep = 100;

/// The device's side of the copies of one stream.
class staging {
 public:
  staging(context& of, copy_direction way) : of_(of), inbound_(way == copy_direction::inbound) {}

  [[nodiscard]] failure start();
  [[nodiscard]] const std::array<buffer, 4>& buffers() const noexcept { return buffers_; }
  /// One command buffer for each chunk.
  [[nodiscard]] result<command_buffers> record(const copy_command& what,
                                               std::span<const staged_chunk> chunks,
                                               std::uint64_t first) const;
  [[nodiscard]] failure submit(VkCommandBuffer commands, std::uint64_t number);
  [[nodiscard]] failure await(std::uint64_t count) const;

 private:
  [[nodiscard]] VkResult record_chunk(VkCommandBuffer commands, const staged_chunk& chunk,
                                      VkBuffer own, VkBuffer theirs) const;

  context& of_;
  const bool inbound_;
  std::array<buffer, 4> buffers_;
  owned_semaphore done_;  // how many chunks were copied by the device
};

failure staging::start() {
  for (buffer& b : buffers_) {
    auto made = make_buffer(of_, staging_bytes, host_access, VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    if (!made) return made.error();
    b = std::move(made).value();
  }
  auto done = of_.make_timeline();
  if (!done) return done.error();
  done_ = std::move(done).value();
  return {};
}

result<command_buffers> staging::record(const copy_command& what,
                                        std::span<const staged_chunk> chunks,
                                        std::uint64_t first) const {
  auto made =
      make_command_buffers(of_, of_.transfer().family, static_cast<std::uint32_t>(chunks.size()));
  if (!made) return made;
  const buffer& theirs = device_memory::chunk(inbound_ ? what.to : what.from);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const buffer& own = buffers_[(first + c) % buffers_.size()];
    const VkResult code =
        record_chunk(made.value().buffers[c], chunks[c], own.handle.get(), theirs.handle.get());
    if (code != VK_SUCCESS) return of_.failed("cannot record a copy", code);
  }
  return made;
}

VkResult staging::record_chunk(VkCommandBuffer commands, const staged_chunk& chunk, VkBuffer own,
                               VkBuffer theirs) const {
  std::vector<VkBufferCopy> regions;
  for (const staged_chunk::run& r : chunk.runs) {
    regions.push_back(
        {inbound_ ? r.staged : r.in_array, inbound_ ? r.in_array : r.staged, r.bytes});
  }
  const VkResult code = begin(of_, commands);
  if (code != VK_SUCCESS) return code;
  of_.api().vkCmdCopyBuffer(commands, inbound_ ? own : theirs, inbound_ ? theirs : own,
                            static_cast<std::uint32_t>(regions.size()), regions.data());
  return end(of_, commands);
}

failure staging::submit(VkCommandBuffer commands, std::uint64_t number) {
  return of_.lost(of_.submit(of_.transfer(), {{&commands, 1}, done_.get(), number + 1}));
}

failure staging::await(std::uint64_t count) const {
  for (int i = 0; i < looks_before_sleep; ++i) {
    if (of_.has_reached(done_.get(), count)) return {};
    std::this_thread::yield();
  }
  return of_.lost(of_.wait(done_.get(), count));
}

}  // namespace

result<staged_copies> make_staging(context& of, copy_direction way) {
  const auto device = std::make_shared<staging>(of, way);
  if (failure why = device->start()) return why;
  staged_copies made;
  made.way = way;
  for (const buffer& b : device->buffers()) {
    made.buffers.push_back(static_cast<std::byte*>(b.mapped));
  }
  made.prepare = [device](const copy_command& what, std::span<const staged_chunk> chunks,
                          std::uint64_t first) -> result<staged_copies::copier> {
    auto recorded = device->record(what, chunks, first);
    if (!recorded) return recorded.error();
    return staged_copies::copier(
        [device, first,
         commands = std::make_shared<const command_buffers>(std::move(recorded).value())](
            std::size_t which) { return device->submit(commands->buffers[which], first + which); });
  };
  made.await = [device](std::uint64_t count) { return device->await(count); };
  return made;
}

}  // namespace hocket::vulkan

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "staging.hpp"

#include <array>
#include <functional>
#include <memory>

#include "memory.hpp"

namespace hocket::vulkan {

namespace {

/// The device's side of the copies of one stream.
class staging {
 public:
  staging(context& of, copy_direction way) : of_(of), inbound_(way == copy_direction::inbound) {}

  [[nodiscard]] failure start();
  [[nodiscard]] const std::array<buffer, 4>& buffers() const noexcept { return buffers_; }
  // As those of staged_copies.
  [[nodiscard]] result<staged_copies::copier> prepare(const copy_command& what,
                                                      std::span<const staged_chunk> chunks,
                                                      std::uint64_t first) const;
  [[nodiscard]] bool has_copied(std::uint64_t count) const {
    return of_.has_reached(done_.get(), count);
  }
  [[nodiscard]] failure await(std::uint64_t count) const {
    return of_.lost(of_.wait(done_.get(), count));
  }

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

result<staged_copies::copier> staging::prepare(const copy_command& what,
                                               std::span<const staged_chunk> chunks,
                                               std::uint64_t first) const {
  auto made =
      make_command_buffers(of_, of_.transfer().family, static_cast<std::uint32_t>(chunks.size()));
  if (!made) return made.error();
  const buffer& theirs = device_memory::chunk(inbound_ ? what.to : what.from);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const buffer& own = buffers_[(first + c) % buffers_.size()];
    const VkResult code =
        record_chunk(made.value().buffers[c], chunks[c], own.handle.get(), theirs.handle.get());
    if (code != VK_SUCCESS) return of_.failed("cannot record a copy", code);
  }
  const auto recorded = std::make_shared<const command_buffers>(std::move(made).value());
  return staged_copies::copier([this, first, recorded](std::size_t which) {
    const VkCommandBuffer& commands = recorded->buffers[which];
    return of_.lost(of_.submit(of_.transfer(), {{&commands, 1}, done_.get(), first + which + 1}));
  });
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

}  // namespace

result<staged_copies> make_staging(context& of, copy_direction way) {
  const auto device = std::make_shared<staging>(of, way);
  if (failure why = device->start()) return why;
  staged_copies made;
  made.way = way;
  for (const buffer& b : device->buffers()) {
    made.buffers.push_back(static_cast<std::byte*>(b.mapped));
  }
  made.prepare = std::bind_front(&staging::prepare, device);
  made.has_copied = std::bind_front(&staging::has_copied, device);
  made.await = std::bind_front(&staging::await, device);
  return made;
}

}  // namespace hocket::vulkan

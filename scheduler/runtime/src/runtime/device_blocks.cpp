// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/device_blocks.hpp"

#include <algorithm>
#include <limits>

#include <hocket/memory/host_resource.hpp>

namespace hocket::detail {

device_blocks::~device_blocks() {
  blocks_.each([this](block_id, const block& b) {
    if (!b.why && b.memory.valid()) give_back(b);
  });
}

void device_blocks::give_back(const block& gone) noexcept {
  if (gone.lent == nullptr) return memories_[gone.memory.value]->deallocate(gone.where);
  memories_.front()->forget(gone.where);
  gone.lent->give_back();
}

void device_blocks::lend(const placement::lend_block& what) {
  const allocation where{what.memory->address(), what.memory->bytes()};
  memories_.front()->remember(where);
  blocks_.insert(what.block, block{where, placement::host_memory, {}, what.memory});
}

void device_blocks::add_memory(device& of) {
  memories_.push_back(std::make_unique<pooled_memory>(of.memory(), of.info()));
  alignments_.push_back(of.info().alignment);
  if (of.info().pins_host_memory) pinning_.push_back(&of);
}

void device_blocks::add_importing(device& of) {
  importing_.push_back(&of);
  align_host_memory(of.info());
}

void device_blocks::align_host_memory(const device_info& for_device) noexcept {
  alignments_.front() = std::max(alignments_.front(), for_device.alignment);
}

void device_blocks::close(const device& gone, std::optional<memory_id> own) {
  memories_.front()->remove_user(gone);
  if (own) memories_[own->value].reset();
}

void device_blocks::reopen(device& made, std::optional<memory_id> own) {
  if (own) {
    memories_[own->value] = std::make_unique<pooled_memory>(made.memory(), made.info());
  }
  if (!own || made.info().pins_host_memory) memories_.front()->add_user(made);
}

void device_blocks::open_host_memory(device* of) {
  device_info of_process;
  of_process.name = "host memory";
  of_process.shares_host_memory = of_process.keeps_freed_blocks = true;
  if (of == nullptr) host_resource_ = std::make_unique<host_resource>();
  memories_.front() =
      std::make_unique<pooled_memory>(of == nullptr ? *host_resource_ : of->memory(),
                                      of == nullptr ? of_process : of->info(), importing_);
  for (device* each : pinning_) memories_.front()->add_user(*each);
}

failure device_blocks::allocate(const placement::allocate_block& what) {
  const std::size_t alignment = alignments_[what.memory.value];
  // A device that imports host memory takes whole units of its alignment.
  const bool in_units = what.memory == placement::host_memory && !importing_.empty() &&
                        what.bytes <= std::numeric_limits<std::uint64_t>::max() - alignment;
  const std::uint64_t bytes =
      in_units ? (what.bytes + alignment - 1) / alignment * alignment : what.bytes;
  result<allocation> got = memories_[what.memory.value]->allocate(bytes, alignment);
  const failure why = got ? failure() : got.error();
  blocks_.insert(what.block,
                 block{got ? got.value() : allocation{}, what.memory, why, {}, what.band});
  return why;
}

void device_blocks::free(block_id id) {
  const block b = *blocks_.find(id);
  blocks_.erase(id);
  if (!b.why) give_back(b);
}

}  // namespace hocket::detail

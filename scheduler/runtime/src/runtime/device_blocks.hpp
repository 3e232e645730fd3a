// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <hocket/core/id_map.hpp>
#include <hocket/devices/device.hpp>
#include <hocket/devices/pooled_memory.hpp>

#include "placement/action.hpp"

namespace hocket::detail {

/// The memories of the connected devices, and the blocks in them that the placement engine has
/// asked for. One caller at a time.
class device_blocks {
 public:
  struct block {
    allocation where;
    memory_id memory;
    failure why;                           ///< it has no memory; empty if it has
    lent_memory_ptr lent = {};             ///< the memory of the program that it is
    std::shared_ptr<const box> band = {};  ///< that it has room for; null: all of its buffer
  };

  device_blocks() = default;
  device_blocks(const device_blocks&) = delete;
  device_blocks& operator=(const device_blocks&) = delete;
  /// Frees the blocks that are left. Before the devices go.
  ~device_blocks();

  /// The memory of a device, which is the next one of the machine.
  void add_memory(device& of);
  /// The device imports blocks of host memory.
  void add_importing(device& of);
  /// The device goes, and no block is in its memory any more; null: it has none of its own.
  void close(const device& gone, std::optional<memory_id> own);
  /// The device is there again.
  void reopen(device& made, std::optional<memory_id> own);
  /// Host memory is aligned for this device too.
  void align_host_memory(const device_info& for_device) noexcept;
  /// Once all devices are known that use host memory: that of the device, or of the process if the
  /// device is null.
  void open_host_memory(device* of);

  /// The memory that views use.
  [[nodiscard]] memory_resource& host_memory() noexcept { return *memories_.front(); }
  [[nodiscard]] std::size_t host_alignment() const noexcept { return alignments_.front(); }

  /// Returns why where the memory has no room; the block exists all the same, until it is freed.
  [[nodiscard]] failure allocate(const placement::allocate_block& what);
  /// The block is memory of the program, for the host and the devices that import its memory.
  void lend(const placement::lend_block& what);
  void free(block_id id);

  /// Null if there is none.
  [[nodiscard]] const block* find(block_id id) const noexcept { return blocks_.find(id); }

 private:
  void give_back(const block& gone) noexcept;

  std::unique_ptr<memory_resource> host_resource_;  ///< where no device has the host's memory
  std::vector<device*> importing_;                  ///< devices that use the host's memory
  std::vector<device*> pinning_;                    ///< devices that pin it
  std::vector<std::unique_ptr<pooled_memory>> memories_{1};  ///< the first one is the host's
  std::vector<std::size_t> alignments_{64};                  ///< of each memory
  id_map<block_id, block> blocks_;
};

}  // namespace hocket::detail

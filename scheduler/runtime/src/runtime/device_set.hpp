// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <hocket/core/id_map.hpp>
#include <hocket/devices/pooled_memory.hpp>
#include <hocket/devices/registry.hpp>

#include "placement/action.hpp"
#include "placement/machine.hpp"

namespace hocket::detail {

/// The connected devices and their memories, and what the placement engine is told of them. Carries
/// out the actions that concern drivers; that is done by one caller at a time.
class device_set {
 public:
  /// Throws error if there is no device, or one that was named does not connect; usage_error for
  /// wrong names or configurations. Others that cannot be used are left out, which is said on
  /// standard error.
  /// source says where names come from, for messages.
  device_set(const std::string& names, std::string_view source,
             const backend_configurations& configurations, bool private_memory, executor& where,
             completion_sink& sink);
  ~device_set();

  [[nodiscard]] const placement::machine& description() const noexcept { return description_; }
  [[nodiscard]] const std::vector<device_info>& infos() const noexcept { return infos_; }
  [[nodiscard]] std::string stream_name(stream_id stream) const;

  /// The memory that views use.
  [[nodiscard]] memory_resource& host_memory() noexcept { return *memories_.front(); }
  [[nodiscard]] std::size_t host_alignment() const noexcept { return alignments_.front(); }

  /// Says why where the memory has no room; the block exists all the same, until it is freed.
  [[nodiscard]] failure allocate(const placement::allocate_block& what);
  void free(const placement::free_block& what);
  void issue(const placement::issue_copy& what);
  void issue(const placement::issue_launch& what);
  [[nodiscard]] stream& at(stream_id stream) const { return *streams_[stream.value]; }
  /// What is issued until end_batch() need not start before that, which comes at once.
  void begin_batch() noexcept { is_batching_ = true; }
  void end_batch();
  /// Called before a thread blocks on something else: see stream.
  void stop_polling() const noexcept;

  [[nodiscard]] bool have_drivers() const noexcept;
  /// Has every device leave its driver, see device::leave_driver().
  void leave_drivers() noexcept;

  /// Where the block is in host memory; null for none.
  [[nodiscard]] void* address(block_id block) const;
  [[nodiscard]] failure problem(block_id block) const;

  /// The device itself, for tests that make it fail.
  [[nodiscard]] device& at(device_id device) const { return *devices_[device.value]; }

 private:
  struct block {
    allocation where;
    memory_id memory;
    failure why;
  };

  /// Says why where the device does not connect; nothing is left of it then.
  [[nodiscard]] failure add_device(const device_candidate& candidate, bool uses_host_memory,
                                   executor& where, completion_sink& sink);
  void add_streams(const device_info& info, device_numbers& numbers);
  void remove_streams(const device_numbers& numbers);
  void add_node(const device_info& info, const device_numbers& numbers, memory_id memory);
  [[nodiscard]] memory_id add_memory(class device& made, bool is_the_hosts);
  void open_host_memory(device* of);
  void add_links();
  [[nodiscard]] bool linked(std::size_t from, std::size_t to) const;
  [[nodiscard]] stream_id add_stream(device_id device, std::size_t domain);
  [[nodiscard]] std::size_t domain_of(const std::string& name);
  void submit(point number, const timepoint_set& after, command&& what);

  placement::machine description_;
  std::vector<device_info> infos_;
  std::vector<std::string> domains_;
  std::vector<stream_id> inbound_;                  ///< of each device
  std::vector<stream_id> outbound_;                 ///< of each device
  std::unique_ptr<memory_resource> host_resource_;  ///< where no device has the host's memory
  std::vector<std::unique_ptr<device>> devices_;
  std::vector<device*> importing_;                        ///< devices that use the host's memory
  std::vector<std::unique_ptr<pooled_memory>> memories_;  // go before the devices
  std::vector<std::size_t> alignments_;
  std::vector<stream*> streams_;
  bool is_batching_ = false;
  std::vector<stream*> batching_;  ///< some of them more than once
  id_map<block_id, block> blocks_;
};

}  // namespace hocket::detail

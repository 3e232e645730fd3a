// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/devices/copy_checker.hpp>
#include <hocket/devices/fault_injector.hpp>
#include <hocket/devices/registry.hpp>

#include "placement/action.hpp"
#include "runtime/device_blocks.hpp"
#include "runtime/later_epochs.hpp"
#include "runtime/machine_description.hpp"
#include "runtime/stream_gate.hpp"

namespace hocket::detail {

/// The connected devices with their streams and memories. Carries out the actions that concern
/// drivers; that is done by one caller at a time.
class device_set {
 public:
  /// Layers between the runtime and the devices of all backends; null for none.
  struct between {
    fault_injector* faults = nullptr;
    copy_checker* checks = nullptr;
  };

  /// Throws error if there is no device, or one that was named does not connect; usage_error for
  /// wrong names or configurations. Others that cannot be used are left out, which is said on
  /// standard error.
  /// source says where names come from, for messages. What is in between outlives this.
  device_set(const std::string& names, std::string_view source,
             const backend_configurations& configurations, const adopted_contexts& adopted,
             bool private_memory, const between& in_between, executor& where,
             completion_sink& sink);
  device_set(const device_set&) = delete;
  device_set& operator=(const device_set&) = delete;
  ~device_set() = default;

  [[nodiscard]] const placement::machine& description() const noexcept { return machine_.told(); }
  [[nodiscard]] const std::vector<device_info>& infos() const noexcept { return machine_.infos(); }
  [[nodiscard]] std::string stream_name(stream_id stream) const {
    return machine_.stream_name(stream);
  }
  /// The arena whose workers run what is given to the stream; no_arena for none.
  [[nodiscard]] std::uint32_t arena_of(stream_id stream) const noexcept {
    return machine_.arena_of(stream);
  }

  [[nodiscard]] device_blocks& blocks() noexcept { return blocks_; }
  void issue(const placement::issue_copy& what);
  void issue(const placement::issue_launch& what);
  /// What is issued until end_batch() need not start before that, which comes at once.
  void begin_batch() noexcept { is_batching_ = true; }
  void end_batch();
  /// Called before a thread blocks on something else: see stream.
  void stop_polling() noexcept;
  /// See stream.
  void poll(stream_id on, const std::function<bool()>& reached);

  [[nodiscard]] bool have_drivers() const noexcept;
  /// Has every device leave its driver, see device::leave_driver().
  void leave_drivers() noexcept;

  /// The device itself, for tests that make it fail.
  [[nodiscard]] device& at(device_id device) const { return *devices_[device.value]; }

  // A device, to which nothing is issued, is taken out and another one is put in its place. Only
  // close_gate() and connect() may be called while another thread carries out actions.

  /// No thread polls the device from when the gate is empty on.
  [[nodiscard]] stream_gate& gate(device_id device) const { return *gates_[device.value]; }
  /// Null if it was taken out before.
  [[nodiscard]] std::unique_ptr<device> take_out(device_id device);
  [[nodiscard]] result<std::unique_ptr<device>> connect(device_id device);
  /// planned: the number of the last command that the stream had.
  void put_in(device_id device, std::unique_ptr<class device> made,
              const std::function<std::uint64_t(stream_id)>& planned);

 private:
  /// Returns why where the device does not connect; nothing is left of it then.
  [[nodiscard]] failure add_device(std::unique_ptr<device_candidate> candidate,
                                   bool uses_host_memory, completion_sink& sink);
  void submit(point number, const timepoint_set& after, command&& what);

  /// The parts that connect a device again.
  struct connection {
    std::unique_ptr<device_candidate> from;
    device_numbers numbers;
  };
  [[nodiscard]] std::optional<memory_id> own_memory(device_id device) const;
  void note_streams(device_id device);

  executor& where_;
  machine_description machine_;
  later_epochs later_;
  std::vector<connection> connections_;  ///< of each device
  std::vector<std::unique_ptr<device>> devices_;
  std::vector<std::unique_ptr<stream_gate>> gates_;  ///< of each device
  device_blocks blocks_;                             // goes before the devices
  std::vector<stream*> streams_;
  bool is_batching_ = false;
  std::vector<stream*> batching_;  ///< some of them more than once
};

}  // namespace hocket::detail

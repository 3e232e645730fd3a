// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <hocket/devices/host_ordered_stream.hpp>
#include <hocket/devices/in_flight_commands.hpp>
#include <hocket/devices/launch_planner.hpp>

#include "clock.hpp"
#include "launch.hpp"

namespace hocket::vulkan {

/// The stream of a device's kernels. A timeline semaphore has the numbers of its commands. Kernels
/// that wait for copies are submitted by the thread that ends the last of these. A submission costs
/// more than a short kernel, so while the device has enough to do, short ones are kept back and go
/// together. The commands recorded for a launch are submitted again when the same launch comes.
class launch_stream final : public host_ordered_stream {
 public:
  struct parts {
    context& of;
    driver_domain& domain;
    executor& where;
    std::shared_ptr<host_epoch> epoch;
    stream_id id;
    import_table* imports;  ///< null if the device has memory of its own
  };
  [[nodiscard]] static result<std::unique_ptr<launch_stream>> make(const parts& given);
  ~launch_stream() override;

  /// Submits the commands that wait for nothing any more. By threads of the device's other streams.
  void go_on();

  void poll(const std::function<bool()>& reached) override { commands_.poll(reached); }
  void stop_polling() noexcept override { commands_.stop_polling(); }

 protected:
  [[nodiscard]] bool prepared(const command& what) override;
  [[nodiscard]] failure prepare(const command& what) override;
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;

 private:
  explicit launch_stream(const parts& given);
  [[nodiscard]] failure start();
  [[nodiscard]] bool has_imports(const launch_command& what) const;
  [[nodiscard]] bool has_scratch() const;
  [[nodiscard]] result<std::unique_ptr<slot>> record_next(const launch_command& what);

  struct recorded {
    std::uint64_t value = 0;
    std::unique_ptr<slot> used;
    std::vector<wait_point> points;
  };
  /// A command that was submitted, or could not be.
  struct submitted {
    std::unique_ptr<slot> used;
    bool ends_batch = false;
    VkResult code = VK_SUCCESS;  ///< of the batch that it ends
  };
  using commands = in_flight_commands<submitted>;
  /// Commands that are submitted together.
  using batch = boost::container::small_vector<commands::entry, 1>;

  // Under waiting_guard_.
  [[nodiscard]] bool may_submit() const;
  [[nodiscard]] std::size_t max_together() const;
  [[nodiscard]] batch take_batch();
  [[nodiscard]] VkResult submit_batch(batch& what) const;
  void keep(batch& what);

  void wait_for(commands::entry& last) const;
  void finish(std::span<commands::entry> ended, std::vector<command_result>& results);
  void times_of(std::span<const commands::entry> ended, std::vector<command_result>& results);

  context& of_;
  import_table* const imports_;
  launch_memory memory_;
  owned_semaphore timeline_;
  std::optional<tick_clock> clock_;

  // Of the command that is next. Under the domain's lock, or by the one worker that prepares it.
  program_maker compiler_;
  launch_planner<const program> planner_;
  std::unique_ptr<slot> again_;  ///< where it is recorded already, if it is
  std::shared_ptr<const buffer> scratch_;

  std::mutex waiting_guard_;  // for what follows, and for the order of submissions
  std::deque<recorded> waiting_;
  std::size_t batches_ = 0;  ///< that the device has

  recording_store<slot> slots_;

  time_stamp latest_{};  // the end of the last command; of the thread that learns of ends
  commands commands_;    // ends before what it uses
};

}  // namespace hocket::vulkan

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <hocket/execution/pump.hpp>

#include "clock.hpp"
#include "device_stream.hpp"
#include "launch.hpp"

namespace hocket::vulkan {

/// The stream of a device's kernels. A timeline semaphore has the numbers of its commands; a thread
/// that sleeps while there are none waits for each in turn. Kernels that wait for copies are
/// submitted by the thread that ends the last of these.
class launch_stream final : public device_stream {
 public:
  /// imports is null if the device has memory of its own.
  [[nodiscard]] static result<std::unique_ptr<launch_stream>> make(const parts& given, stream_id id,
                                                                   import_table* imports);
  ~launch_stream() override;

  /// Submits what has nothing to wait for any more. By threads of the device's other streams.
  void go_on();

 protected:
  [[nodiscard]] bool prepared(const command& what) override;
  [[nodiscard]] failure prepare(const command& what) override;
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;

 private:
  launch_stream(const parts& given, stream_id id, import_table* imports);
  [[nodiscard]] failure start();
  [[nodiscard]] bool has_scratch() const;
  [[nodiscard]] result<std::unique_ptr<slot>> take_slot();
  void give_back(std::unique_ptr<slot> used);

  struct recorded {
    std::uint64_t value = 0;
    std::unique_ptr<slot> used;
    std::vector<wait_point> points;
  };
  [[nodiscard]] VkResult submit(recorded& what);
  void see_through(std::uint64_t value, std::unique_ptr<slot> used, time_stamp submitted);
  void give_up(std::uint64_t value, VkResult code);
  [[nodiscard]] command_result timed(const slot& used, time_stamp submitted);

  import_table* const imports_;
  launch_memory memory_;
  owned_semaphore timeline_;
  std::optional<clock> clock_;

  // Of the command that is next. Under the domain's lock, or by the one worker that prepares it.
  planned_launch next_;
  program_table programs_;
  std::shared_ptr<const buffer> scratch_;

  std::mutex waiting_guard_;  // also for the order of submissions
  std::deque<recorded> waiting_;

  std::mutex slots_guard_;
  std::vector<std::unique_ptr<slot>> free_;

  time_stamp latest_{};  // the end of the last command; of the pump
  pump pump_;            // ends before what its work uses
};

}  // namespace hocket::vulkan

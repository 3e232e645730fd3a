// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include <hocket/streams/end_watch.hpp>

#include "clock.hpp"
#include "device_stream.hpp"
#include "launch.hpp"

namespace hocket::vulkan {

/// The stream of a device's kernels. A timeline semaphore has the numbers of its commands. Kernels
/// that wait for copies are submitted by the thread that ends the last of these. A submission costs
/// more than a short kernel, so while the device has enough to do, short ones are kept back and go
/// together. The commands recorded for a launch are submitted again when the same launch comes.
class launch_stream final : public device_stream {
 public:
  /// imports is null if the device has memory of its own.
  [[nodiscard]] static result<std::unique_ptr<launch_stream>> make(const parts& given, stream_id id,
                                                                   import_table* imports);
  ~launch_stream() override;

  /// Submits the commands that wait for nothing any more. By threads of the device's other streams.
  void go_on();

  void poll(const std::function<bool()>& reached) override { watch_.poll(reached); }
  void stop_polling() noexcept override { watch_.stop_polling(); }

 protected:
  [[nodiscard]] bool prepared(const command& what) override;
  [[nodiscard]] failure prepare(const command& what) override;
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;

 private:
  launch_stream(const parts& given, stream_id id, import_table* imports);
  [[nodiscard]] failure start();
  [[nodiscard]] bool has_scratch() const;
  [[nodiscard]] result<std::unique_ptr<slot>> record_next(const launch_command& what);

  struct recorded {
    std::uint64_t value = 0;
    std::unique_ptr<slot> used;
    std::vector<wait_point> points;
  };
  /// Commands that were submitted together, or could not be.
  struct batch {
    std::vector<recorded> parts;
    VkResult code = VK_SUCCESS;
    time_stamp submitted{};
  };
  // Under waiting_guard_.
  [[nodiscard]] bool may_submit() const;
  [[nodiscard]] batch take_batch();
  void submit_batch(batch& what);
  void keep(batch what);

  void finish_next();
  [[nodiscard]] std::vector<command_result> times_of(const batch& ended);

  import_table* const imports_;
  launch_memory memory_;
  owned_semaphore timeline_;
  std::optional<tick_clock> clock_;

  // Of the command that is next. Under the domain's lock, or by the one worker that prepares it.
  planned_launch next_;
  std::unique_ptr<slot> again_;  ///< where it is recorded already, if it is
  program_maker compiler_;
  program_table<const program> programs_;
  std::shared_ptr<const buffer> scratch_;

  std::mutex waiting_guard_;  // for what follows, and for the order of submissions
  std::deque<recorded> waiting_;
  std::deque<batch> in_driver_;
  std::size_t max_together_ = 1;

  recording_store<slot> slots_;

  time_stamp latest_{};  // the end of the last command; of the watching thread
  end_watch watch_;      // ends before what it uses
};

}  // namespace hocket::vulkan

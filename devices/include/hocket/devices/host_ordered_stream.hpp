// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <hocket/execution/pump.hpp>
#include <hocket/streams/driver_stream.hpp>

namespace hocket {

/// A stream of a driver whose queues do not wait for one another on the device: its streams wait on
/// the host. Each has a thread that learns of the ends of its commands, or does them itself, and
/// tells the others. All streams of the domain are of this class.
class host_ordered_stream : public driver_stream {
 public:
  using driver_stream::close;
  using driver_stream::lose;

 protected:
  using driver_stream::driver_stream;

  /// A command of another stream that has to end first.
  struct wait_point {
    const host_ordered_stream* on = nullptr;
    std::uint64_t value = 0;
  };
  [[nodiscard]] static std::vector<wait_point> points_of(std::span<const device_wait> waits);
  /// True if all of them have ended.
  [[nodiscard]] static bool seen(const std::vector<wait_point>& points);
  /// Blocks until all of them have ended.
  static void await(const std::vector<wait_point>& points);

  /// Commands that follow one another have ended, the first of which has this value: wakes the
  /// streams that wait for them, and reports. A result with the code device_lost loses the device.
  void conclude(std::uint64_t first, std::span<command_result> how);

  /// Called after commands have ended, before that is reported.
  virtual void after_end() {}

 private:
  mutable std::mutex guard_;  // for what follows
  mutable std::condition_variable changed_;
  std::uint64_t seen_ = 0;
};

/// What a stream of copies by the host needs to know.
struct host_copies {
  std::string thread;  ///< its name
  /// Puts host addresses in place of the device's allocations; empty: they are host addresses.
  std::function<void(copy_command&)> address;
  std::function<void()> after_end;  ///< as that of host_ordered_stream
};

/// Copies to or from a device's memory that the host addresses, by a thread of its own.
class host_copy_stream final : public host_ordered_stream {
 public:
  host_copy_stream(driver_domain& domain, executor& where, std::shared_ptr<host_epoch> epoch,
                   stream_id id, host_copies how);
  ~host_copy_stream() override;

 protected:
  [[nodiscard]] bool prepared(const command& what) override;
  [[nodiscard]] failure prepare(const command& what) override;
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;
  void after_end() override { how_.after_end(); }

 private:
  void perform(std::uint64_t value, copy_command what, const std::vector<wait_point>& points);

  const host_copies how_;
  pump pump_;  // ends before what its work uses
};

}  // namespace hocket

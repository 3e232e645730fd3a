// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hocket/execution/pump.hpp>
#include <hocket/streams/driver_stream.hpp>

namespace hocket {

/// A stream of a driver whose queues do not wait for one another on the device: its streams wait on
/// the host. Each has a thread that learns of the ends of its commands, or does them itself, and
/// tells the others. All streams of the domain are of this class.
class host_ordered_stream : public driver_stream {
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

/// A stream whose commands are carried out by a thread of its own, one after another.
class threaded_stream : public host_ordered_stream {
 public:
  struct parts {
    driver_domain& domain;
    executor& where;
    std::shared_ptr<host_epoch> epoch;
    stream_id id;
    std::string thread;               ///< its name
    std::function<void()> after_end;  ///< as that of host_ordered_stream
  };

 protected:
  explicit threaded_stream(const parts& given)
      : host_ordered_stream(given.domain, given.where, given.epoch, given.id),
        after_end_(given.after_end),
        pump_(given.thread) {}

  /// Has the thread do the work of a command, once what it waits for has ended.
  void do_later(std::uint64_t value, std::span<const device_wait> waits,
                std::function<failure()> work);
  void after_end() final { after_end_(); }

 private:
  const std::function<void()> after_end_;
  pump pump_;
};

/// Copies to or from a device's memory that the host addresses.
class host_copy_stream final : public threaded_stream {
 public:
  /// address puts host addresses in place of the device's allocations; empty: they are host
  /// addresses.
  host_copy_stream(const parts& given, std::function<void(copy_command&)> address)
      : threaded_stream(given), address_(std::move(address)) {}
  ~host_copy_stream() override { close(); }

 protected:
  [[nodiscard]] bool prepared(const command& /*what*/) override { return true; }
  [[nodiscard]] failure prepare(const command& /*what*/) override { return {}; }
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;

 private:
  const std::function<void(copy_command&)> address_;
};

}  // namespace hocket

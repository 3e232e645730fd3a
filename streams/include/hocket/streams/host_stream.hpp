// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>

#include <hocket/execution/executor.hpp>
#include <hocket/streams/host_epoch.hpp>
#include <hocket/streams/stream.hpp>

namespace hocket {

/// What distinguishes one software stream from another.
struct host_stream_options {
  stream_id id;
  std::size_t arena = 0;  ///< whose workers run its commands
  int priority = 0;       ///< as in executor::post

  /// Does what a command says; must not throw. Empty: perform_on_host.
  std::function<failure(const command&)> perform;

  /// How long a command takes on the machine that is modelled. On a virtual clock the command takes
  /// exactly this; on a real one it takes at least this, and a launch that was submitted in time
  /// begins when the command before it ends. Empty: as long as it takes (on a virtual clock, no
  /// time at all).
  std::function<nanoseconds(const command&)> duration;
};

/// The stream of devices that are made of host threads. No thread waits for anything: the stream is
/// continued by whatever it waits for (a submission, another stream's progress, a timer). Commands
/// that are ready one after another run on one worker, up to a bound that keeps it fair.
///
/// A launch that may_leave, and whose body begins to wait, leaves the stream: the commands behind
/// it may run while it waits, and beside it when it goes on.
///
/// A command that waits for a stream whose device is lost ends with device_lost, and its own stream
/// goes on. Once its own device is lost a stream runs nothing and reports nothing.
class host_stream final : public stream {
 public:
  /// The executor and the sink behind the epoch outlive the stream.
  host_stream(executor& where, std::shared_ptr<host_epoch> epoch, host_stream_options options);

  /// Closes it. Streams that wait for one another are all closed before the first is destroyed.
  ~host_stream() override;

  void submit(command&& what) override;
  [[nodiscard]] const timeline& time() const noexcept override;

  /// Waits for the command that is being performed, if any, and drops the others; nothing is
  /// performed or reported afterwards. Not from the sink.
  void close();

  /// Called once the epoch has ended: whoever waits for this stream learns of it.
  void wake_waiters();

 private:
  class core;
  std::shared_ptr<core> core_;
};

}  // namespace hocket

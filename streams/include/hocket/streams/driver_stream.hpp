// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include <hocket/execution/executor.hpp>
#include <hocket/streams/host_epoch.hpp>
#include <hocket/streams/stream.hpp>

namespace hocket {

class driver_stream;

/// Streams that can wait for one another on their devices, because they belong to one context of a
/// driver. It outlives them.
class driver_domain {
 public:
  driver_domain() = default;
  driver_domain(const driver_domain&) = delete;
  driver_domain& operator=(const driver_domain&) = delete;

 private:
  friend class driver_stream;

  [[nodiscard]] driver_stream* find(const timeline* of) const;

  std::mutex guard_;  // for what follows
  std::vector<driver_stream*> streams_;
  std::size_t waiting_ = 0;  ///< commands of all of them that were not handed over
};

/// A queue of a driver, with what all drivers have in common: commands are handed to the driver in
/// order, each once its program is compiled (by a worker, never by the caller) and whatever it
/// waits for has been handed over as well; what the driver has ended is reported in order.
///
/// A derived class says how a command is prepared and handed over, calls ended() for each that was,
/// and calls close() in its destructor. A stream that was given no command need not be closed: the
/// constructor of a derived class may throw.
class driver_stream : public stream {
 public:
  driver_stream(driver_domain& domain, executor& where, std::shared_ptr<host_epoch> epoch,
                stream_id id);
  ~driver_stream() override;

  void submit(command&& what) final;
  void begin_batch() final;
  void end_batch() final;
  [[nodiscard]] const timeline& time() const noexcept final { return time_; }

  /// The device is lost. Commands that were not handed over are dropped, here and on other streams
  /// of the device; ended() is still to be called for the others, and only after that is the loss
  /// reported. As for ended().
  void lose(const failure& why);

  /// Drops what was not handed over and waits until prepare() has returned and ended() was called
  /// for everything else; nothing is reported afterwards.
  void close();

 protected:
  /// A command that the device has to wait for: it was handed over and has perhaps not ended.
  struct device_wait {
    driver_stream* on;
    std::uint64_t value;
  };

  /// True if the command can be handed over as it is. Under the domain's lock; quick. It may be
  /// asked of one command again, which lies elsewhere then.
  [[nodiscard]] virtual bool prepared(const command& what) = 0;

  /// Makes what the command lacks, above all its program. By a worker, without a lock; may block.
  /// One call at a time for each stream. A failure is the command's.
  [[nodiscard]] virtual failure prepare(const command& what) = 0;

  /// True if the command is handed over only when those of the other stream which it follows have
  /// ended: the driver may begin with it before. Under the domain's lock; quick.
  [[nodiscard]] virtual bool starts_early(const command& what, const driver_stream& other) const {
    return (void)what, (void)other, false;
  }
  /// True if starts_early() may be for commands that follow those of this stream.
  [[nodiscard]] virtual bool ends_are_awaited() const noexcept { return false; }

  /// Hands the command to the driver, behind all that were handed over before. Under the domain's
  /// lock; must not block and must not call ended(). A failure means that nothing was handed over;
  /// it is the command's.
  [[nodiscard]] virtual failure enqueue(const command& what,
                                        std::span<const device_wait> waits) = 0;

  /// What was handed over so far has to start by itself, whatever follows. Called after one command
  /// or several. Under the domain's lock; must not block.
  virtual void flush() {}

  /// True if flush() is not called before some more commands were handed over. Under the domain's
  /// lock.
  [[nodiscard]] bool is_batching() const noexcept { return is_batching_; }

  /// The driver has ended a command that was handed over. Any thread that does not hold the
  /// domain's lock, once for each, in any order. Steps whoever listens, so not from a callback in
  /// which the driver holds locks.
  void ended(std::uint64_t value, command_result how) { ended_in_a_row(value, {&how, 1}); }

  /// The same of some that follow one another, the first of which has this value. Times are changed
  /// where commands would overlap.
  void ended_in_a_row(std::uint64_t first, std::span<command_result> how);

  /// The same, where a result with the code device_lost means that this device is lost.
  void ended_or_lost(std::uint64_t first, std::span<command_result> how);

  [[nodiscard]] executor& where() const noexcept { return where_; }
  [[nodiscard]] bool lost() const noexcept { return epoch_->ended(); }

 private:
  /// A command that failed before it was handed over.
  struct ending {
    driver_stream* of;
    std::uint64_t value;
    command_result how;
    bool loses_device;
  };
  using endings = std::vector<ending>;

  static void step_all(driver_domain& domain);
  static void settle(driver_domain& domain, const endings& failed);
  static void step_some(driver_domain& domain, endings& failed);
  enum class passing : std::uint8_t { passed, waits, lacks_something };
  [[nodiscard]] bool step(endings& failed);
  void flush_now();
  [[nodiscard]] passing pass(const command& head, endings& failed);
  [[nodiscard]] bool waits_of(const command& what, std::vector<device_wait>& waits,
                              failure& why) const;
  void end_here(std::uint64_t value, endings& failed, command_result&& how, bool loses_device);
  void hand_over(const command& head, endings& failed, std::span<const device_wait> waits);
  void drop_waiting();
  void prepare_later(const command& what);
  void conclude(std::uint64_t first, std::span<command_result> how);
  void report(std::unique_lock<std::mutex>& lock, std::uint64_t first,
              std::span<command_result> how);
  void leave(std::size_t times = 1);

  driver_domain& domain_;
  executor& where_;
  std::shared_ptr<host_epoch> epoch_;
  timeline time_;

  // Under the domain's lock.
  std::deque<command> waiting_;
  std::uint64_t passed_ = 0;  // the last command that was handed over or failed before
  std::uint64_t handed_ = 0;  // the last command that the driver really has
  bool preparing_ = false;
  bool is_batching_ = false;
  bool flushed_ = true;  // since the last command was handed over
  bool closed_ = false;
  failure not_prepared_;  // of the first command that waits
  std::optional<time_stamp> preparing_since_;
  std::condition_variable changed_;

  // What close() waits for: commands that the driver has, threads that report or step for this
  // stream without the lock. It comes to zero under the domain's lock.
  std::atomic<std::size_t> busy_{0};

  std::mutex report_guard_;  // for what follows
  std::map<std::uint64_t, command_result> results_;
  time_stamp latest_{};  // the end of what was reported last
  bool reporting_ = false;
};

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace standin {

struct context;

/// Whether a command still runs when its context has failed before.
enum class after_failure : std::uint8_t { skip, run };

/// Commands that run in order, in a thread of their own.
class stream : public std::enable_shared_from_this<stream> {
 public:
  stream(std::shared_ptr<context> owner, unsigned flags, int urgency);

  /// Starts the thread, which keeps the stream alive until it is closed and empty.
  void start();
  /// Appends a command. A `failure` that it throws is the failure of the context.
  void push(std::function<void()> run, after_failure then = after_failure::skip);
  void close();

  /// From here on commands are kept for a graph, and not run. False if they already are.
  [[nodiscard]] bool begin_capture();
  /// Returns what was kept, and runs commands again; nothing if none were kept.
  [[nodiscard]] std::optional<std::vector<std::function<void()>>> end_capture();
  [[nodiscard]] bool captures() const;

  /// The number of commands so far: `wait(pushed())` waits for all of them.
  [[nodiscard]] std::uint64_t pushed() const;
  [[nodiscard]] bool reached(std::uint64_t count) const;
  /// Blocks until so many commands have ended.
  void wait(std::uint64_t count);
  /// Blocks while a command runs.
  void await_running();
  /// Returns when the function does so with true, the stream is closed, or its context fails.
  void hold(const std::function<bool()>& is_over);

  [[nodiscard]] const std::shared_ptr<context>& owner() const { return owner_; }
  [[nodiscard]] bool blocks() const { return (flags_ & 1U) == 0; }
  [[nodiscard]] unsigned flags() const { return flags_; }
  [[nodiscard]] int urgency() const { return urgency_; }

 private:
  struct command {
    std::function<void()> run;
    after_failure then;
  };

  void work();
  void run(const command& c);

  std::shared_ptr<context> owner_;
  unsigned flags_;
  int urgency_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<command> queue_;
  std::optional<std::vector<std::function<void()>>> captured_;
  std::uint64_t pushed_ = 0, ended_ = 0;
  bool running_ = false;
  bool closed_ = false;
};

/// An event: the time at which its last record was reached.
class event {
 public:
  using clock = std::chrono::steady_clock;

  event(std::shared_ptr<context> owner, unsigned flags) : owner_(std::move(owner)), flags_(flags) {}

  /// Begins a new record and returns its number.
  std::uint64_t begin();
  void reach(std::uint64_t record);
  [[nodiscard]] std::uint64_t last() const;
  [[nodiscard]] bool reached(std::uint64_t record) const;
  void wait(std::uint64_t record);
  [[nodiscard]] clock::time_point time() const;

  [[nodiscard]] const std::shared_ptr<context>& owner() const { return owner_; }
  [[nodiscard]] bool timed() const { return (flags_ & 2U) == 0; }

 private:
  std::shared_ptr<context> owner_;
  unsigned flags_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t begun_ = 0, reached_ = 0;
  clock::time_point time_{};
};

}  // namespace standin

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <hocket/execution/executor.hpp>
#include <hocket/execution/seed.hpp>

namespace hocket {

struct seeded_executor_options {
  std::uint64_t seed = 0;
  /// The number of workers of each arena. Nothing runs at the same time; policies see them.
  std::vector<std::size_t> workers = {4};
  /// How probable it is that an item is late, and by how much at most.
  double delay_probability = 0.0;
  nanoseconds longest_delay{};
  /// for_ranges runs the same pieces on oneTBB, at the same time, for speed.
  bool parallel_ranges = false;
};

/// Runs everything in the thread that made it, in an order that comes from the seed alone, on a
/// virtual clock. Nothing happens but in wait, step and run_until_idle: those run the next event,
/// the one with the least time; among events of one time the seed decides, whatever their priority.
///
/// An event that waits runs other events inside of its wait. So waits end in the opposite order
/// of that in which they began: where an outer wait's end has to open an inner wait's gate, the
/// inner one never ends here, though it would over threads. It then throws and says so.
///
/// Every call from another thread throws usage_error, but for now, is_virtual, arenas, workers and
/// inside. Opening a gate is for the same thread too.
class seeded_executor final : public executor {
 public:
  explicit seeded_executor(seeded_executor_options options = {});

  [[nodiscard]] time_stamp now() const noexcept override { return now_; }
  [[nodiscard]] bool is_virtual() const noexcept override { return true; }
  [[nodiscard]] std::size_t arenas() const noexcept override { return options_.workers.size(); }
  [[nodiscard]] std::size_t workers(std::size_t arena) const noexcept override {
    return options_.workers[arena];
  }

  void post(std::size_t arena, int priority, work_item item) override;
  void post_bare(std::size_t arena, int priority, bare_item item, worker_record* poster) override;
  void post_at(time_stamp time, work_item item) override;

  /// An event like any other.
  void call_at(time_stamp time, work_item item) override { post_at(time, std::move(item)); }

  /// Calls the pieces in order, here (see parallel_ranges).
  void for_ranges(std::size_t arena, std::size_t count, std::size_t grain,
                  const std::function<void(std::size_t, std::size_t)>& piece) override;

  /// If nothing is left to run but until is finite, time passes until then.
  bool wait(const std::function<void(std::shared_ptr<gate>)>& arm,
            time_stamp until = time_stamp::max()) override;

  void check_submitter() const override;
  [[nodiscard]] bool others_work() const noexcept override { return !events_.empty(); }
  [[nodiscard]] bool inside() const noexcept override { return depth_ != 0; }

  /// Runs the next event and returns true; returns false if there is none.
  bool step();

  /// Runs events until none is left. Returns how many ran.
  std::size_t run_until_idle();

  [[nodiscard]] std::size_t pending() const noexcept { return events_.size(); }

 private:
  class virtual_gate;
  struct event {
    time_stamp time;
    std::uint64_t tie;
    work_item item;
  };
  static bool is_later(const event& a, const event& b) noexcept;

  void require_own_thread(const char* what) const;
  void add(time_stamp time, work_item item);
  [[nodiscard]] bool run_until(const virtual_gate& opened, time_stamp until);
  [[noreturn]] void refuse_to_wait() const;

  seeded_executor_options options_;
  std::thread::id thread_ = std::this_thread::get_id();
  time_stamp now_{};
  // Two streams: that delays are on or off does not change the order of ties.
  seeded_stream ties_;
  seeded_stream delays_;
  std::vector<event> events_;  // a heap
  std::size_t depth_ = 0;
  std::vector<const virtual_gate*> waits_;  // outermost first
};

}  // namespace hocket

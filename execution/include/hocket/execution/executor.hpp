// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <hocket/core/duration.hpp>
#include <hocket/execution/worker_record.hpp>

namespace hocket {

/// Which times a clock of its own unit has counted.
struct tick_scale {
  std::int64_t tick = 0;
  time_stamp time{};       ///< when it was that tick
  double nanoseconds = 1;  ///< of one

  [[nodiscard]] time_stamp time_of(std::int64_t ticks) const noexcept {
    const double since = static_cast<double>(ticks - tick) * nanoseconds;
    return time + time_stamp{static_cast<time_stamp::rep>(since)};
  }
};

/// Where work runs and what time it is. The whole runtime above this interface is the same over
/// real threads and over the seeded executor; it takes threads and clocks from here alone.
class executor {
 public:
  using work_item = std::function<void()>;

  virtual ~executor() = default;

  /// Nanoseconds since this executor began: a real monotonic clock, or the virtual one.
  [[nodiscard]] virtual time_stamp now() const noexcept = 0;

  /// now() for who asks again and again: the cheapest clock that all threads share, in its own
  /// unit. What the ticks were that have passed, scale_of_ticks says afterwards.
  [[nodiscard]] virtual std::int64_t ticks() const noexcept { return now().count(); }
  [[nodiscard]] virtual tick_scale scale_of_ticks() const noexcept { return {}; }

  /// True if time passes only by events: a duration is then what a model says, not measured.
  [[nodiscard]] virtual bool is_virtual() const noexcept = 0;

  /// Throws usage_error where the executor belongs to one thread and another one calls this, which
  /// is about to submit work.
  virtual void check_submitter() const {}

  /// The number of arenas; an arena is the workers of one NUMA node.
  [[nodiscard]] virtual std::size_t arenas() const noexcept = 0;
  [[nodiscard]] virtual std::size_t workers(std::size_t arena) const noexcept = 0;

  /// Runs item soon on a worker of the arena. Three levels: priority < 0 low, 0 normal, > 0 high.
  /// Order between items is not promised. item must not throw.
  virtual void post(std::size_t arena, int priority, work_item item) = 0;

  /// A function and what it is called with: an item that needs no memory of its own.
  struct bare_item {
    void (*run)(void* what) = nullptr;
    void* what = nullptr;
  };

  /// The same for a bare item, which is certain to be run, were it when the executor goes: what it
  /// is called with is its own. Throws std::bad_alloc, and the item is not run then. poster is
  /// current_worker(pool()), for a caller that knows it.
  virtual void post_bare(std::size_t arena, int priority, bare_item item,
                         worker_record* poster) = 0;

  /// Takes back a bare item of priority zero that a thread which is no worker has posted for the
  /// arena, if that is called with `what` and is the first of those that wait: the caller then does
  /// what the item would have done. Returns whether the item was taken. See own_items.hpp for items
  /// that workers post.
  [[nodiscard]] virtual bool take_back(std::size_t /*arena*/, const void* /*what*/) noexcept {
    return false;
  }

  /// An item that is part of an object, and so needs no memory of its own.
  class intrusive_item {
   public:
    virtual void run() noexcept = 0;

   protected:
    ~intrusive_item() = default;
  };

  /// Posts such an item, which lives until it has run as often as it was posted. Like a bare item
  /// it is certain to be run; for those that look for bare items it is none. Throws std::bad_alloc,
  /// and the item is not run then.
  void post_intrusive(std::size_t arena, int priority, intrusive_item& item);

  /// Runs item on some worker at or after time. item must not throw and must be short.
  virtual void post_at(time_stamp time, work_item item) = 0;

  /// Calls item at or after time, even if no worker is free: over threads in one of the executor's
  /// own, which nothing may hold up. item must not throw, wait or take long.
  virtual void call_at(time_stamp time, work_item item) = 0;

  /// Calls piece for consecutive ranges of at most grain indices that cover [0, count), with the
  /// workers of the arena and the calling thread; returns when all have ended. A piece may wait: it
  /// is suspended where an item would be. See lane_group::for_ranges for the promise on ranges.
  virtual void for_ranges(std::size_t arena, std::size_t count, std::size_t grain,
                          const std::function<void(std::size_t, std::size_t)>& piece) = 0;

  /// A one-shot gate that threads wait at. open() may be called by any thread, once, also before
  /// anybody waits; it never blocks.
  class gate {
   public:
    virtual ~gate() = default;
    virtual void open() noexcept = 0;
  };

  /// Waits until the gate given to `arm` is opened, without burning a core: outside of a worker the
  /// thread parks; inside it the task is suspended and the worker does other work, and what follows
  /// the wait may run on another thread; over the seeded executor the caller runs the next events,
  /// and usage_error is thrown if there are none left (nothing could ever open the gate).
  /// `arm` is called once, before waiting, with a gate that lives until it was opened.
  /// Returns false if `until` passed first (the gate then stays alive until it is opened).
  virtual bool wait(const std::function<void(std::shared_ptr<gate>)>& arm,
                    time_stamp until = time_stamp::max()) = 0;

  /// For a thread that is about to wait: unless it is in an item, it looks for a few microseconds
  /// whether what it waits for is reached, as long as items run. Returns whether it is.
  [[nodiscard]] virtual bool look_until(const std::function<bool()>& reached) { return reached(); }

  /// For a thread that is about to wait for the ends of all items: it runs items that wait for a
  /// worker too, and begins none after some 50 us. They may be suspended, and go on elsewhere.
  [[nodiscard]] virtual bool help_until(const std::function<bool()>& reached) { return reached(); }

  /// True if items run or are about to, but for the one that the caller is in and for those that
  /// wait. At the next moment it may be otherwise.
  [[nodiscard]] virtual bool others_work() const noexcept = 0;

  /// True if the calling thread is inside an item of this executor.
  [[nodiscard]] virtual bool inside() const noexcept = 0;

  /// The identity of this executor for current_worker(). Null if the executor keeps no records:
  /// then there is no current worker.
  [[nodiscard]] virtual const void* pool() const noexcept { return nullptr; }
  /// The records of all workers, which live as long as this.
  [[nodiscard]] virtual std::vector<worker_record*> records() const { return {}; }

  /// True in a child process that was forked after this executor was made, if the executor has
  /// threads: they are the parent's alone. Items never run in the child, and wait() throws
  /// usage_error there.
  [[nodiscard]] virtual bool is_forked() const noexcept { return false; }
};

}  // namespace hocket

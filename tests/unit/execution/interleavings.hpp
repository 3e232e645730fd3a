// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <gtest/gtest.h>
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Runs a few threads in every order of their atomic operations, by running them again and again
/// as fibers of one thread. Atomic operations are sequentially consistent here, but the order that
/// they promise is tracked: a plain variable that two threads touch without one is reported.
namespace hocket::interleavings {

constexpr std::size_t most_threads = 4;

/// How much of every thread's past a thread knows; index 0 is the one that sets up and checks.
struct knowledge {
  std::array<std::uint32_t, most_threads + 1> of{};

  void join(const knowledge& other) noexcept {
    for (std::size_t i = 0; i < of.size(); ++i) of[i] = std::max(of[i], other.of[i]);
  }
};

struct scenario {
  std::vector<std::function<void()>> threads;
  std::function<void()> check;  ///< after all threads have ended
};

struct findings {
  std::size_t executions = 0;
  std::string failure;                ///< the first one; empty if there is none
  std::vector<std::size_t> schedule;  ///< the choices that lead to it
};

class search {
 public:
  /// preemptions: how often a thread that could go on is interrupted, at most, in one execution.
  explicit search(std::size_t preemptions = std::numeric_limits<std::size_t>::max())
      : preemptions_(preemptions) {}
  search(const search&) = delete;
  search& operator=(const search&) = delete;

  findings explore(const std::function<scenario()>& set_up);

  /// The search that the calling code runs in.
  static search& here() { return *active(); }

  /// Another thread may run now.
  void point();
  void require(bool condition, const char* what);

  [[nodiscard]] std::size_t thread() const noexcept { return running_; }
  [[nodiscard]] knowledge& known() noexcept { return known_[running_]; }

 private:
  struct fiber {
    ucontext_t context{};
    std::unique_ptr<std::array<char, 128 * 1024>> stack =
        std::make_unique<std::array<char, 128 * 1024>>();
    std::function<void()> body;
    bool ended = true;
  };
  struct choice {
    std::size_t taken;
    std::size_t options;
  };

  static search*& active() {
    static thread_local search* instance = nullptr;
    return instance;
  }
  static void enter() {
    search& self = here();
    fiber& own = self.fibers_[self.running_ - 1];
    own.body();
    own.ended = true;
    self.switch_to_scheduler();
  }
  void switch_to_scheduler() { swapcontext(&fibers_[running_ - 1].context, &scheduler_); }
  void execute(scenario s);
  void start(std::size_t index, std::function<void()> body);
  [[nodiscard]] std::size_t choose(const std::vector<std::size_t>& runnable, std::size_t last);
  [[nodiscard]] bool next_schedule();

  std::size_t preemptions_;
  std::size_t preempted_ = 0;
  std::size_t depth_ = 0;
  std::size_t running_ = 0;
  std::vector<choice> choices_;
  std::array<fiber, most_threads> fibers_;
  std::array<knowledge, most_threads + 1> known_;
  ucontext_t scheduler_{};
  findings found_;
};

inline void search::point() {
  if (running_ != 0) switch_to_scheduler();
}

inline void search::require(bool condition, const char* what) {
  if (condition || !found_.failure.empty()) return;
  found_.failure = what;
  for (const choice& c : choices_) found_.schedule.push_back(c.taken);
}

inline void search::start(std::size_t index, std::function<void()> body) {
  fiber& f = fibers_[index];
  f.body = std::move(body);
  f.ended = false;
  getcontext(&f.context);
  f.context.uc_stack.ss_sp = f.stack->data();
  f.context.uc_stack.ss_size = f.stack->size();
  f.context.uc_link = nullptr;
  makecontext(&f.context, &search::enter, 0);
  known_[index + 1] = known_[0];
  known_[index + 1].of[index + 1] = 1;
}

inline std::size_t search::choose(const std::vector<std::size_t>& runnable, std::size_t last) {
  const bool could_go_on = !runnable.empty() && runnable.front() == last;
  const std::size_t options = could_go_on && preempted_ >= preemptions_ ? 1 : runnable.size();
  if (options == 1) return runnable.front();
  if (depth_ == choices_.size()) choices_.push_back({0, options});
  const std::size_t taken = choices_[depth_++].taken;
  if (could_go_on && taken != 0) ++preempted_;
  return runnable[taken];
}

inline void search::execute(scenario s) {
  depth_ = 0;
  preempted_ = 0;
  known_[0].of[0] = 1;
  for (std::size_t i = 0; i < s.threads.size(); ++i) start(i, std::move(s.threads[i]));
  std::size_t last = 0;
  for (;;) {
    std::vector<std::size_t> runnable;
    // The thread that ran last comes first: the first choice is always to let it go on.
    for (std::size_t i = 0; i < most_threads; ++i) {
      const std::size_t candidate = (last + i) % most_threads;
      if (!fibers_[candidate].ended) runnable.push_back(candidate);
    }
    if (runnable.empty()) break;
    last = choose(runnable, last);
    running_ = last + 1;
    swapcontext(&scheduler_, &fibers_[last].context);
    running_ = 0;
  }
  for (const knowledge& k : known_) known_[0].join(k);
  s.check();
  // What the threads share goes here, while this is the search that it is part of.
  for (fiber& f : fibers_) f.body = nullptr;
  s = {};
}

inline bool search::next_schedule() {
  choices_.resize(depth_);
  while (!choices_.empty() && choices_.back().taken + 1 == choices_.back().options) {
    choices_.pop_back();
  }
  if (choices_.empty()) return false;
  ++choices_.back().taken;
  return true;
}

inline findings search::explore(const std::function<scenario()>& set_up) {
  search* const outer = std::exchange(active(), this);
  do {
    known_ = {};
    execute(set_up());
    ++found_.executions;
  } while (found_.failure.empty() && next_schedule());
  active() = outer;
  return found_;
}

/// A variable that is not atomic: every two accesses, one of them a write, must be ordered.
template <class T>
class plain {
 public:
  plain(T value = T{}) : value_(std::move(value)) { write(); }  // NOLINT(*-explicit-*)
  plain(const plain&) = delete;
  ~plain() = default;
  plain& operator=(const plain&) = delete;
  plain& operator=(T value) {
    write();
    value_ = std::move(value);
    return *this;
  }
  operator T() const {  // NOLINT(*-explicit-*)
    search& s = search::here();
    s.require(s.known().of[writer_] >= written_, "a read is not ordered after a write");
    reads_.of[s.thread()] = s.known().of[s.thread()];
    return value_;
  }

 private:
  void write() {
    search& s = search::here();
    s.require(s.known().of[writer_] >= written_, "two writes are not ordered");
    for (std::size_t i = 0; i < reads_.of.size(); ++i) {
      s.require(s.known().of[i] >= reads_.of[i], "a write is not ordered after a read");
    }
    writer_ = s.thread();
    written_ = s.known().of[writer_];
  }

  T value_;
  std::size_t writer_ = 0;
  std::uint32_t written_ = 0;
  mutable knowledge reads_;
};

[[nodiscard]] constexpr bool acquires(std::memory_order order) noexcept {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
[[nodiscard]] constexpr bool releases(std::memory_order order) noexcept {
  return order != std::memory_order_relaxed && order != std::memory_order_acquire &&
         order != std::memory_order_consume;
}

/// Stands for std::atomic.
template <class T>
class atomic {
 public:
  atomic(T value = T{}) : value_(value) {}  // NOLINT(*-explicit-*)

  T load(std::memory_order order = std::memory_order_seq_cst) const {
    search::here().point();
    if (acquires(order)) search::here().known().join(published_);
    return value_;
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) {
    search::here().point();
    published_ = {};  // ends the release sequence
    write(value, order);
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) {
    return change(order, [value](T) { return value; });
  }
  T fetch_add(T operand, std::memory_order order = std::memory_order_seq_cst) {
    return change(order, [operand](T before) { return static_cast<T>(before + operand); });
  }
  T fetch_sub(T operand, std::memory_order order = std::memory_order_seq_cst) {
    return change(order, [operand](T before) { return static_cast<T>(before - operand); });
  }
  T fetch_or(T operand, std::memory_order order = std::memory_order_seq_cst) {
    return change(order, [operand](T before) { return static_cast<T>(before | operand); });
  }
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                               std::memory_order failure) {
    search::here().point();
    const bool equal = value_ == expected;
    if (acquires(equal ? success : failure)) search::here().known().join(published_);
    if (equal)
      write(desired, success);
    else
      expected = value_;
    return equal;
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                             std::memory_order failure) {
    return compare_exchange_strong(expected, desired, success, failure);
  }

 private:
  template <class Change>
  T change(std::memory_order order, Change&& to) {
    search::here().point();
    if (acquires(order)) search::here().known().join(published_);
    const T before = value_;
    write(to(before), order);
    return before;
  }
  void write(T value, std::memory_order order) {
    search& s = search::here();
    value_ = value;
    if (!releases(order)) return;
    published_.join(s.known());
    ++s.known().of[s.thread()];
  }

  T value_;
  knowledge published_;
};

/// A policy for what is templated on its atomics.
struct searched_atomics {
  template <class T>
  using atomic = interleavings::atomic<T>;
  template <class T>
  using plain = interleavings::plain<T>;
};

/// The search has found nothing; says how much it has looked at.
inline void expect_none(const char* name, const findings& f) {
  EXPECT_EQ(f.failure, "") << "after schedule " << ::testing::PrintToString(f.schedule);
  std::printf("%s: %zu executions\n", name, f.executions);
}

}  // namespace hocket::interleavings

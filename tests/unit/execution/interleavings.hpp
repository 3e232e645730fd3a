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
/// as fibers of one thread.
///
/// The order that operations promise is tracked: a plain variable that two threads touch without
/// one is reported. And a load may return any value that the C++ memory model lets it: an older one
/// than the last stored, unless the thread knows of a later one (it has read or written it, or what
/// happened before it), or both the load and a later store are sequentially consistent. That is
/// what a store buffer does, or a load that is executed early. Not modelled: relaxed stores that
/// come before older ones in the order of one variable, and loads of values that are not stored
/// yet.
namespace hocket::interleavings {

constexpr std::size_t max_threads = 4;

/// How much of every thread's past a thread knows; index 0 is the one that sets up and checks.
struct knowledge {
  std::array<std::uint32_t, max_threads + 1> of{};

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
  /// stale_loads: how many loads return an older value than the last one, at most.
  explicit search(std::size_t preemptions = std::numeric_limits<std::size_t>::max(),
                  std::size_t stale_loads = 0)
      : preemptions_(preemptions), stale_loads_(stale_loads) {}
  search(const search&) = delete;
  search& operator=(const search&) = delete;

  findings explore(const std::function<scenario()>& set_up);

  /// The search that the calling code runs in.
  static search& here() { return *active(); }

  /// Another thread may run now.
  void point();
  /// How old a value a load returns, of so many that it may: 0 for the last one.
  [[nodiscard]] std::size_t age_of_load(std::size_t options);
  /// The calling thread goes on when the flag is false. It must not be if no other thread changes
  /// it: then the threads are deadlocked.
  void wait_while(const bool& flag);
  void require(bool condition, const char* what);

  [[nodiscard]] std::size_t thread() const noexcept { return running_; }
  [[nodiscard]] knowledge& known() noexcept { return known_[running_]; }

 private:
  struct fiber {
    ucontext_t context{};
    std::unique_ptr<std::array<char, 128 * 1024>> stack =
        std::make_unique<std::array<char, 128 * 1024>>();
    std::function<void()> body;
    const bool* waits_while = nullptr;
    bool ended = true;

    [[nodiscard]] bool can_run() const noexcept {
      return !ended && (waits_while == nullptr || !*waits_while);
    }
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
  [[nodiscard]] std::size_t choose(std::size_t options);
  [[nodiscard]] bool next_schedule();

  std::size_t preemptions_;
  std::size_t stale_loads_;
  std::size_t preempted_ = 0;
  std::size_t stale_ = 0;
  std::size_t depth_ = 0;
  std::size_t running_ = 0;
  std::vector<choice> choices_;
  std::array<fiber, max_threads> fibers_;
  std::array<knowledge, max_threads + 1> known_;
  ucontext_t scheduler_{};
  findings found_;
};

inline void search::point() {
  if (running_ != 0) switch_to_scheduler();
}

inline std::size_t search::age_of_load(std::size_t options) {
  if (running_ == 0 || options < 2 || stale_ >= stale_loads_) return 0;
  const std::size_t age = choose(options);
  if (age != 0) ++stale_;
  return age;
}

inline void search::wait_while(const bool& flag) {
  if (running_ == 0) {
    require(!flag, "the check waits");
    return;
  }
  fibers_[running_ - 1].waits_while = &flag;
  switch_to_scheduler();
  fibers_[running_ - 1].waits_while = nullptr;
}

inline void search::require(bool condition, const char* what) {
  if (condition || !found_.failure.empty()) return;
  found_.failure = what;
  for (const choice& c : choices_) found_.schedule.push_back(c.taken);
}

inline void search::start(std::size_t index, std::function<void()> body) {
  fiber& f = fibers_[index];
  f.body = std::move(body);
  f.waits_while = nullptr;
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
  const std::size_t taken = choose(options);
  if (could_go_on && taken != 0) ++preempted_;
  return runnable[taken];
}

inline std::size_t search::choose(std::size_t options) {
  if (depth_ == choices_.size()) choices_.push_back({0, options});
  return choices_[depth_++].taken;
}

inline void search::execute(scenario s) {
  depth_ = 0;
  preempted_ = 0;
  stale_ = 0;
  ++known_[0].of[0];
  for (std::size_t i = 0; i < s.threads.size(); ++i) start(i, std::move(s.threads[i]));
  std::size_t last = 0;
  for (;;) {
    std::vector<std::size_t> runnable;
    // The thread that ran last comes first: the first choice is always to let it go on.
    for (std::size_t i = 0; i < max_threads; ++i) {
      const std::size_t candidate = (last + i) % max_threads;
      if (fibers_[candidate].can_run()) runnable.push_back(candidate);
    }
    if (runnable.empty()) break;
    last = choose(runnable, last);
    running_ = last + 1;
    swapcontext(&scheduler_, &fibers_[last].context);
    running_ = 0;
  }
  for (const knowledge& k : known_) known_[0].join(k);
  const bool deadlock = std::ranges::any_of(fibers_, [](const fiber& f) { return !f.ended; });
  require(!deadlock, "the threads wait for one another");
  if (!deadlock) s.check();
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

/// Stands for std::atomic. Keeps the last few values, which loads may return.
template <class T>
class atomic {
 public:
  atomic(T value = T{}) {  // NOLINT(*-explicit-*)
    add(value, {}, std::memory_order_relaxed);
  }

  T load(std::memory_order order = std::memory_order_seq_cst) const {
    search& s = search::here();
    s.point();
    return see(count_ - 1 - s.age_of_load(count_ - oldest_for(order)), order);
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) {
    search::here().point();
    add(value, {}, order);  // ends the release sequence
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
    search& s = search::here();
    s.point();
    // It fails as a load, which may be of an older value, and succeeds with the last one.
    std::array<std::size_t, max_kept> readable{count_ - 1};
    std::size_t options = 1;
    for (std::size_t i = count_ - 1; i > oldest_for(failure); --i) {
      if (at(i - 1).value != expected) readable[options++] = i - 1;
    }
    const std::size_t index = readable[s.age_of_load(options)];
    if (at(index).value != expected) {
      expected = see(index, failure);
      return false;
    }
    (void)see(index, success);
    add(desired, at(index).published, success);
    return true;
  }
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                             std::memory_order failure) {
    return compare_exchange_strong(expected, desired, success, failure);
  }

 private:
  struct value_of_a_time {
    T value{};
    knowledge published;  ///< what an acquire of it learns
    knowledge seen;       ///< when each thread has first read or written it, from 1; 0: it has not
    bool is_sequential = false;
  };
  static constexpr std::size_t max_kept = 4;

  [[nodiscard]] value_of_a_time& at(std::size_t index) const { return kept_[index % max_kept]; }

  /// The first value that the calling thread does not know to be overwritten.
  [[nodiscard]] std::size_t oldest_for(std::memory_order order) const {
    const knowledge& known = search::here().known();
    const std::size_t first = count_ < max_kept ? 0 : count_ - max_kept;
    std::size_t index = count_ - 1;
    for (; index > first; --index) {
      const value_of_a_time& v = at(index);
      if (order == std::memory_order_seq_cst && v.is_sequential) break;
      bool is_known = false;
      for (std::size_t t = 0; t < known.of.size(); ++t) {
        is_known = is_known || (v.seen.of[t] != 0 && known.of[t] + 1 >= v.seen.of[t]);
      }
      if (is_known) break;
    }
    return index;
  }
  T see(std::size_t index, std::memory_order order) const {
    search& s = search::here();
    value_of_a_time& v = at(index);
    if (acquires(order)) s.known().join(v.published);
    std::uint32_t& first = v.seen.of[s.thread()];
    if (first == 0) first = s.known().of[s.thread()] + 1;
    return v.value;
  }
  template <class Change>
  T change(std::memory_order order, Change&& to) {
    search::here().point();
    const T before = see(count_ - 1, order);
    add(to(before), at(count_ - 1).published, order);
    return before;
  }
  /// published: by the release sequence that it goes on with.
  void add(T value, knowledge published, std::memory_order order) {
    search& s = search::here();
    value_of_a_time& v = at(count_++);
    v = {value, published, {}, order == std::memory_order_seq_cst};
    v.seen.of[s.thread()] = s.known().of[s.thread()] + 1;
    if (!releases(order)) return;
    v.published.join(s.known());
    ++s.known().of[s.thread()];
  }

  mutable std::array<value_of_a_time, max_kept> kept_;
  std::size_t count_ = 0;
};

/// Stands for std::mutex, and finds who touches it when it is gone.
class mutex {
 public:
  mutex() = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  ~mutex() { exists_ = 0; }

  void lock() {
    search& s = search::here();
    s.point();
    while (locked_) s.wait_while(locked_);
    locked_ = true;
    s.known().join(published_);
    s.require(exists_ == 1, "a mutex is locked that is gone");
  }
  void unlock() {
    search& s = search::here();
    s.point();
    s.require(exists_ == 1, "a mutex is unlocked that is gone");
    locked_ = false;
    published_.join(s.known());
    ++s.known().of[s.thread()];
  }

 private:
  bool locked_ = false;
  knowledge published_;
  plain<int> exists_ = 1;
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
  EXPECT_EQ(f.failure, "") << name << ", after schedule " << ::testing::PrintToString(f.schedule);
  std::printf("%s: %zu executions\n", name, f.executions);
}

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The same of two searches: one with so many preemptions, and one with half of them, in which two
/// loads return an older value than the last one.
template <class SetUp>
void expect_none(const char* name, std::size_t preemptions, const SetUp& set_up) {
  expect_none(name, search(preemptions).explore(set_up));
  expect_none((std::string(name) + ", stale loads").c_str(),
              search(preemptions / 2, 2).explore(set_up));
}

}  // namespace hocket::interleavings

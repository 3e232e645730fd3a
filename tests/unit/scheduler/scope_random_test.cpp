// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <hocket/execution/seed.hpp>

#include "runtimes.hpp"
#include "seeds.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using namespace std::chrono_literals;

struct thrown_on_purpose : std::runtime_error {
  thrown_on_purpose() : std::runtime_error("on purpose") {}
};

/// What is known of one task, and why it may end as it does.
struct task_record {
  std::atomic<int> runs{0};
  bool throws = false;
  bool must_not_run = false;
  bool may_be_cancelled = false;
  time_stamp deadline = time_stamp::max();
  future<void> task;
};

/// What is known of one scope.
struct scope_record {
  std::shared_ptr<scope_record> outer;
  std::atomic<bool> cancelled{false};  // or about to be
  std::atomic<bool> is_over{false};    // cancelled, for whoever comes now
  std::atomic<bool> somebody_failed{false};
  bool cancels_on_failure = false;
  time_stamp deadline = time_stamp::max();
  std::mutex guard;
  std::vector<std::shared_ptr<task_record>> tasks;

  [[nodiscard]] bool may_be_cancelled() const {
    return cancelled || (cancels_on_failure && somebody_failed) ||
           (outer && outer->may_be_cancelled());
  }
  [[nodiscard]] bool lets_nothing_begin() const {
    return is_over || (outer && outer->lets_nothing_begin());
  }
  [[nodiscard]] time_stamp first_deadline() const {
    return outer ? std::min(deadline, outer->first_deadline()) : deadline;
  }
};

/// Scopes within scopes whose tasks open scopes: some left by exceptions, some cancelled, some
/// with deadlines. One seed decides; on the virtual clock it decides everything.
class random_scopes {
 public:
  random_scopes(const runtime_options& options, std::uint64_t seed) : rt_(options) {
    seeded_stream random(seed);
    try {
      in_a_scope(nullptr, nullptr, random, 0);
    } catch (const thrown_on_purpose&) {
    } catch (const error&) {  // cancelled or timed out within
    }
    while (!ended()) {
    }
  }

  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  /// Scopes hand on failures that nobody looked at.
  bool ended() {
    try {
      rt_.wait();
      return true;
    } catch (const std::exception&) {
      return false;
    }
  }

  using scope_ptr = std::shared_ptr<scope_record>;

  void in_a_scope(task_scope* around, const scope_ptr& outer, seeded_stream& random, int depth) {
    const auto known = std::make_shared<scope_record>();
    known->outer = outer;
    // It may hand on a failure that nobody has looked at.
    if (outer) outer->somebody_failed = true;
    known->cancels_on_failure = random.chance(0.3);
    scope_options options;
    options.cancel_on_failure = known->cancels_on_failure;
    if (random.chance(0.2)) options.deadline = known->deadline = rt_.now() + time(random);
    try {
      std::optional<task_scope> scope;
      if (around == nullptr) {
        scope.emplace(rt_, options);
      } else {
        scope.emplace(*around, options);
      }
      try {
        fill(*scope, known, random, depth);
      } catch (...) {
        known->cancelled = true;
        throw;
      }
    } catch (...) {
      check(*known);
      throw;
    }
    check(*known);
  }

  void fill(task_scope& scope, const scope_ptr& known, seeded_stream& random, int depth) {
    const std::uint64_t count = random.below(10);
    for (std::uint64_t i = 0; i < count; ++i) {
      submit(scope, known, random, depth);
      if (random.chance(0.04)) {
        known->cancelled = true;
        scope.cancel();
        known->is_over = true;
      }
      if (random.chance(0.05)) pass(rt_, time(random));
      if (random.chance(0.05)) {
        throw thrown_on_purpose();
      }
    }
    if (random.chance(0.5)) scope.wait();
    if (depth < 3 && random.chance(0.2)) in_a_scope(&scope, known, random, depth + 1);
  }

  void submit(task_scope& scope, const scope_ptr& known, seeded_stream& random, int depth) {
    const auto made = std::make_shared<task_record>();
    made->throws = random.chance(0.1);
    made->must_not_run = known->lets_nothing_begin();
    const std::uint64_t seed = random.next();
    const auto body = [this, made, known, &scope, seed, depth](std::stop_token stop) {
      ++made->runs;
      run(scope, known, seed, depth, stop);
      if (!made->throws) return;
      known->somebody_failed = true;
      throw thrown_on_purpose();
    };
    task_options options;
    if (random.chance(0.15)) options.deadline = made->deadline = rt_.now() + time(random);
    // It may time out, which is a failure too.
    if (made->deadline != time_stamp::max()) known->somebody_failed = true;
    options.priority = static_cast<int>(random.below(3)) - 1;
    made->may_be_cancelled = random.chance(0.05);
    {
      const std::lock_guard lock(known->guard);
      if (!known->tasks.empty() && random.chance(0.3)) {
        options.after = {known->tasks[random.below(known->tasks.size())]->task};
      }
      made->task = scope.async(options, body);
      known->tasks.push_back(made);
    }
    if (made->may_be_cancelled) made->task.cancel();
  }

  void run(task_scope& scope, const scope_ptr& known, std::uint64_t seed, int depth,
           const std::stop_token& stop) {
    seeded_stream random(seed);
    if (random.chance(0.2)) pass(rt_, time(random));
    if (stop.stop_requested() && random.chance(0.5)) {
      throw error({failure_code::cancelled, "Stopped."});
    }
    if (depth == 3) return;
    if (random.chance(0.2)) submit(scope, known, random, depth + 1);
    if (!random.chance(0.3)) return;
    try {
      const bool within = random.chance(0.5);
      in_a_scope(within ? &scope : nullptr, within ? known : nullptr, random, depth + 1);
    } catch (const std::exception&) {
      // It is the business of the scope within.
    }
  }

  /// The scope has ended: so have its tasks, each for a reason.
  void check(scope_record& known) {
    const std::lock_guard lock(known.guard);
    for (const auto& each : known.tasks) {
      if (!each->task.done()) return note("a scope ended before one of its tasks");
      const failure why = each->task.error();
      const int runs = each->runs;
      if (runs != 0 && each->must_not_run) note("a task began in a scope that was cancelled");
      if (!why) {
        if (runs != 1 || each->throws) note("a task ended well without having run once");
        continue;
      }
      if (runs > 1) note("a task ran twice");
      switch (why.code()) {
        case failure_code::cancelled:
          if (!each->may_be_cancelled && !known.may_be_cancelled()) note(why.message());
          break;
        case failure_code::timed_out:
          if (rt_.now() < std::min(each->deadline, known.first_deadline())) note(why.message());
          break;
        case failure_code::task_failed:
          if (runs != 1) note("a task failed that had not run");
          break;
        case failure_code::dependency_failed:
          if (runs != 0) note("a task ran after one that failed");
          break;
        default:
          note(why.message());
      }
    }
  }

  void note(const std::string& problem) {
    const std::lock_guard lock(guard_);
    if (problem_.empty()) problem_ = problem;
  }

  static nanoseconds time(seeded_stream& random) { return (1 + random.below(50)) * 1us; }

  runtime rt_;
  std::mutex guard_;
  std::string problem_;
};

TEST(random_scopes, keep_their_promises_for_every_seed) {
  runtime_options options = options_for(engines[0]);
  for (std::uint64_t seed = 0; seed < testing::seeds_on_one_thread(20000); ++seed) {
    options.seed = seed;
    options.delay_probability = seed % 2 == 0 ? 0 : 0.2;
    options.longest_delay = 20us;
    random_scopes scopes(options, seed);
    ASSERT_EQ(scopes.problem(), "") << "seed " << seed;
  }
}

TEST(random_scopes, keep_their_promises_on_threads) {
  for (std::size_t on = 1; on < std::size(engines); ++on) {
    const runtime_options options = options_for(engines[on]);
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      random_scopes scopes(options, seed);
      ASSERT_EQ(scopes.problem(), "") << "seed " << seed << " on " << engines[on].name;
    }
  }
}

}  // namespace
}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <oneapi/tbb/parallel_for.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/core/sanitizers.hpp>
#include <hocket/execution/item_local.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "executor_fixture.hpp"

namespace hocket {
namespace {

using std::chrono::milliseconds;
using testing::gate;
using testing::one_worker;
using testing::run_inside;
using testing::this_machine;

TEST(tbb_wait, outside_the_thread_parks) {
  tbb_executor ex(this_machine());
  EXPECT_TRUE(ex.wait([](const gate& g) { g->open(); })) << "opened before anybody waits";
  std::thread opener;
  EXPECT_TRUE(ex.wait([&](const gate& g) {
    opener = std::thread([g] {
      std::this_thread::sleep_for(milliseconds(2));
      g->open();
    });
  }));
  opener.join();
}

TEST(tbb_wait, inside_the_only_worker_does_other_work) {
  tbb_executor ex(one_worker());
  bool other = false;
  bool inside_after = false;
  run_inside(ex, [&] {
    ex.wait([&](const gate& g) {
      ex.post(0, 0, [&, g] {
        other = true;
        g->open();
      });
    });
    inside_after = ex.inside();
  });
  EXPECT_TRUE(other);
  EXPECT_TRUE(inside_after);
}

TEST(tbb_wait, inside_at_a_gate_that_is_open_already) {
  tbb_executor ex(one_worker());
  run_inside(ex, [&] { EXPECT_TRUE(ex.wait([](const gate& g) { g->open(); })); });
}

TEST(tbb_wait, waits_for_what_itself_waits) {
  tbb_executor ex(one_worker());
  constexpr int depth = 50;
  int reached = 0;
  std::function<void(int)> nest = [&](int n) {
    reached = n;
    if (n == depth) return;
    ex.wait([&](const gate& g) {
      ex.post(0, n % 3 - 1, [&, n, g] {
        nest(n + 1);
        g->open();
      });
    });
  };
  run_inside(ex, [&] { nest(0); });
  EXPECT_EQ(reached, depth);
}

/// Suspends count items, and opens their gates in the opposite order from outside.
void suspend_many(executor& ex, int count) {
  std::mutex mutex;
  std::vector<gate> gates;
  std::atomic<int> suspended = 0;
  std::atomic<int> ended = 0;
  ex.wait([&](const gate& all_ended) {
    ex.wait([&](const gate& all_armed) {
      for (int i = 0; i < count; ++i) {
        ex.post(static_cast<std::size_t>(i) % ex.arenas(), i % 3 - 1, [&, all_ended, all_armed] {
          ex.wait([&](gate g) {
            const std::lock_guard lock(mutex);
            gates.push_back(std::move(g));
            if (++suspended == count) all_armed->open();
          });
          EXPECT_TRUE(ex.inside());
          if (++ended == count) all_ended->open();
        });
      }
    });
    const std::lock_guard lock(mutex);
    while (!gates.empty()) {
      gates.back()->open();
      gates.pop_back();
    }
  });
  EXPECT_EQ(ended, count);
}

TEST(tbb_wait, many_items_are_suspended_at_once) {
  {
    tbb_executor ex(one_worker());
    suspend_many(ex, 100);
  }
  tbb_executor ex(this_machine());
  suspend_many(ex, 100);
}

TEST(tbb_wait, thousands_of_items_are_suspended_at_once) {
#ifdef HOCKET_THREAD_SANITIZER
  GTEST_SKIP() << "ThreadSanitizer knows some 8 000 stacks at most, and slows down long before";
#else
  // oneTBB's own task::suspend hangs from 4 096 on.
  tbb_executor ex(this_machine());
  suspend_many(ex, 6000);
#endif
}

TEST(tbb_wait, a_suspended_item_keeps_no_worker_from_another_arena) {
  tbb_executor ex(testing::machine("numa:2 core:1 pu:1"));
  gate suspended;
  ex.wait([&](const gate& end) {
    ex.wait([&](const gate& armed) {
      ex.post(0, 0, [&, armed, end] {
        ex.wait([&](gate g) {
          suspended = std::move(g);
          armed->open();
        });
        end->open();
      });
    });
    std::this_thread::sleep_for(milliseconds(50));  // until the worker has nothing more to look for
    ex.wait([&](const gate& other) { ex.post(1, 0, [other] { other->open(); }); });
    suspended->open();
  });
}

TEST(tbb_wait, below_other_algorithms_of_onetbb_it_parks) {
  tbb_executor ex(this_machine());
  std::vector<std::jthread> openers(4);
  run_inside(ex, [&] {
    tbb::parallel_for(std::size_t{0}, openers.size(), [&](std::size_t i) {
      const std::thread::id before = std::this_thread::get_id();
      ex.wait([&](const gate& g) {
        openers[i] = std::jthread([g] {
          std::this_thread::sleep_for(milliseconds(1));
          g->open();
        });
      });
      EXPECT_EQ(std::this_thread::get_id(), before);
    });
  });
}

TEST(tbb_wait, gates_open_while_items_are_being_suspended) {
  constexpr int count = 500;
  std::atomic<int> left = count;
  tbb_executor ex(this_machine());
  ex.wait([&](const gate& all) {
    for (int i = 0; i < count; ++i) {
      ex.post(0, 0, [&, all] {
        ex.wait([&](const gate& g) { ex.post(ex.arenas() - 1, 1, [g] { g->open(); }); });
        if (--left == 0) all->open();
      });
    }
  });
}

TEST(tbb_wait, sees_what_was_done_before_the_gate_opened) {
  tbb_executor ex(this_machine());
  for (int i = 0; i < 100; ++i) {
    int plain = 0;
    const auto round = [&] {
      ex.wait([&](const gate& g) {
        ex.post(0, 0, [&plain, g] {
          plain = 1;
          g->open();
        });
      });
      EXPECT_EQ(plain, 1);
      plain = 0;
    };
    round();
    run_inside(ex, round);
  }
}

TEST(tbb_wait, ends_at_its_limit) {
  tbb_executor ex(one_worker());
  const auto expires = [&] {
    gate kept;
    const time_stamp until = ex.now() + milliseconds(3);
    EXPECT_FALSE(ex.wait([&](gate g) { kept = std::move(g); }, until));
    EXPECT_GE(ex.now(), until);
    kept->open();  // too late, and harmless
    EXPECT_TRUE(ex.wait([](const gate& g) { g->open(); }, ex.now() + std::chrono::hours(1)));
    EXPECT_FALSE(ex.wait([](const gate&) {}, ex.now() - milliseconds(1)));
  };
  expires();
  run_inside(ex, expires);
}

TEST(tbb_wait, limits_race_with_gates) {
  constexpr int count = 200;
  std::atomic<int> left = count;
  tbb_executor ex(this_machine());
  ex.wait([&](const gate& all) {
    for (int i = 0; i < count; ++i) {
      ex.post(0, 0, [&, i, all] {
        const time_stamp soon = ex.now() + std::chrono::microseconds(200 + i);
        (void)ex.wait([&](const gate& g) { ex.post_at(soon, [g] { g->open(); }); }, soon);
        if (--left == 0) all->open();
      });
    }
  });
}

TEST(tbb_wait, pieces_of_ranges_are_suspended) {
  std::atomic<std::size_t> ended = 0;
  std::atomic<std::size_t> returned = 0;
  // Nobody opens a gate before all pieces of all callers wait, with two workers.
  tbb_executor ex(testing::machine("numa:1 core:2 pu:1"));
  constexpr std::size_t callers = 5, pieces = 8;
  std::mutex guard;
  std::vector<gate> armed;
  const auto piece = [&](std::size_t, std::size_t) {
    ex.wait([&](const gate& g) {
      const std::lock_guard lock(guard);
      armed.push_back(g);
    });
    ++ended;
  };
  const auto open_all = [&] {
    std::vector<gate> taken;
    {
      const std::lock_guard lock(guard);
      taken.swap(armed);
    }
    for (const gate& each : taken) each->open();
  };
  for (std::size_t i = 0; i < callers; ++i) {
    ex.post(0, 0, [&] {
      ex.for_ranges(0, pieces, 1, piece);
      ++returned;
    });
  }
  while (returned != callers) {
    std::atomic<bool> free = false;
    ex.post(0, -1, [&] { free = true; });
    // With every worker in a piece that waits, this item would never run.
    while (!free) std::this_thread::yield();
    open_all();
  }
  EXPECT_EQ(ended, callers * pieces);
}

TEST(tbb_wait, exceptions_go_with_the_item_that_handles_them) {
  tbb_executor ex(one_worker());
  const auto handle = [&](const std::string& what, const std::function<void()>& meanwhile) {
    try {
      throw std::runtime_error(what);
    } catch (const std::runtime_error&) {
      meanwhile();
      try {
        throw;
      } catch (const std::runtime_error& kept) {
        EXPECT_EQ(kept.what(), what);
      }
    }
    EXPECT_EQ(std::current_exception(), nullptr);
  };
  // The only worker: the second item runs while the first one is suspended in its handler.
  run_inside(ex, [&] {
    handle("outer", [&] {
      ex.wait([&](const gate& g) {
        ex.post(0, 0, [&, g] {
          EXPECT_EQ(std::current_exception(), nullptr);
          handle("inner", [&] { run_inside(ex, [] {}); });
          g->open();
        });
      });
    });
  });
}

TEST(tbb_wait, a_stack_that_is_unwound_waits_without_its_worker) {
  tbb_executor ex(one_worker());
  struct waits_at_its_end {
    explicit waits_at_its_end(executor& where) : where_(where) {}
    waits_at_its_end(const waits_at_its_end&) = delete;
    waits_at_its_end& operator=(const waits_at_its_end&) = delete;
    ~waits_at_its_end() {
      const int before = std::uncaught_exceptions();
      run_inside(where_, [] { EXPECT_EQ(std::uncaught_exceptions(), 0); });
      EXPECT_EQ(std::uncaught_exceptions(), before);
    }
    executor& where_;
  };
  std::string caught;
  run_inside(ex, [&] {
    try {
      const waits_at_its_end waits(ex);
      throw std::runtime_error("on its way");
    } catch (const std::runtime_error& e) {
      caught = e.what();
    }
  });
  EXPECT_EQ(caught, "on its way");
}

// A sanitizer maps memory of its own, and ends the process that gets none.
#if !defined(HOCKET_THREAD_SANITIZER) && !defined(HOCKET_ADDRESS_SANITIZER)
/// The process gets no more memory for stacks while this lives.
class without_new_stacks {
 public:
  without_new_stacks() {
    getrlimit(RLIMIT_AS, &before_);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const auto used = static_cast<rlim_t>(pages) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
    constexpr rlim_t less_than_a_stack = rlim_t{3} << 20U;
    rlimit now = before_;
    now.rlim_cur = used + less_than_a_stack;
    setrlimit(RLIMIT_AS, &now);
  }
  without_new_stacks(const without_new_stacks&) = delete;
  without_new_stacks& operator=(const without_new_stacks&) = delete;
  ~without_new_stacks() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

TEST(tbb_wait, without_memory_for_a_stack_is_an_error_before_all_workers_stand_still) {
  constexpr int many = 300;  // more than there are stacks left over
  std::string said;
  std::atomic<int> refused = 0, waited = 0;
  {
    tbb_executor ex(testing::machine("numa:1 core:2 pu:1"));
    const without_new_stacks limit;
    std::mutex mutex;
    std::vector<gate> gates;
    const auto wait_once = [&] {
      try {
        ex.wait([&](gate g) {
          const std::lock_guard lock(mutex);
          gates.push_back(std::move(g));
        });
        ++waited;
      } catch (const error& e) {
        const std::lock_guard lock(mutex);
        said = e.what();
        ++refused;
      }
    };
    for (int i = 0; i < many; ++i) ex.post(0, 0, wait_once);
    while (refused == 0) std::this_thread::yield();
    while (refused + waited < many) {
      const std::lock_guard lock(mutex);
      for (const gate& each : gates) each->open();
      gates.clear();
    }
  }
  EXPECT_GT(waited, 0);
  EXPECT_NE(said.find("no memory for a stack"), std::string::npos) << said;
}
#endif

TEST(tbb_wait, what_is_local_to_an_item_goes_with_it) {
  tbb_executor ex(one_worker());
  int mine = 0;
  run_inside(ex, [&] {
    EXPECT_EQ(item_local(), nullptr);
    set_item_local(&mine);
    run_inside(ex, [] { EXPECT_EQ(item_local(), nullptr); });
    EXPECT_EQ(item_local(), &mine);
    set_item_local(nullptr);
  });
}

TEST(tbb_wait, a_thread_outside_helps_where_no_worker_is_free) {
  std::atomic<bool> occupied{false};
  std::atomic<bool> ran{false};
  std::atomic<bool> over{false};
  tbb_executor ex(one_worker());
  ex.post(0, 0, [&] {
    occupied = true;
    // Without being suspended: it keeps the worker.
    while (!ran) std::this_thread::yield();
    over = true;
  });
  while (!occupied) std::this_thread::yield();
  const std::thread::id own = std::this_thread::get_id();
  ex.post(0, 0, [&] {
    EXPECT_EQ(std::this_thread::get_id(), own);
    EXPECT_TRUE(ex.inside());
    ran = true;
  });
  while (!ex.help_until([&] { return over.load(); })) continue;
  EXPECT_TRUE(ran);
  EXPECT_FALSE(ex.inside());
}

TEST(tbb_wait, what_is_suspended_in_a_thread_that_helps_goes_on_without_it) {
  std::atomic<int> local_after{0};
  std::atomic<bool> is_held{false};
  std::atomic<bool> occupied{false};
  std::atomic<bool> free{false};
  tbb_executor ex(one_worker());
  int local = 1;
  set_item_local(&local);
  gate held;
  ex.post(0, 0, [&] {
    occupied = true;
    while (!free) std::this_thread::yield();
  });
  while (!occupied) std::this_thread::yield();
  ex.post(0, 0, [&] {
    int inner = 2;
    EXPECT_EQ(item_local(), nullptr);
    set_item_local(&inner);
    ex.wait([&](const gate& g) {
      held = g;
      is_held = true;
    });
    EXPECT_EQ(item_local(), &inner);
    set_item_local(nullptr);
    local_after = 1;
  });
  while (!is_held) (void)ex.help_until([&] { return is_held.load(); });
  EXPECT_EQ(item_local(), &local) << "the item has left it alone";
  set_item_local(nullptr);
  free = true;
  held->open();
  while (local_after == 0) std::this_thread::yield();
}

TEST(tbb_wait, an_item_from_outside_does_not_wait_for_items_that_post_one_another) {
  std::atomic<bool> over{false};
  std::atomic<int> running{2};
  tbb_executor ex(one_worker());
  const std::function<void()> post_again = [&] {
    if (!over) return ex.post(0, 0, post_again);
    --running;
  };
  for (int i = 0; i < 2; ++i) ex.post(0, 0, post_again);
  ex.post(0, 0, [&] { over = true; });
  while (running != 0) std::this_thread::yield();
  EXPECT_TRUE(over);
}

TEST(tbb_wait, an_item_that_was_posted_first_by_a_worker_runs_although_newer_ones_come) {
  std::atomic<bool> over{false};
  tbb_executor ex(one_worker());
  const std::function<void()> post_again = [&] {
    if (!over) ex.post(0, 0, post_again);
  };
  run_inside(ex, [&] {
    ex.post(0, 0, [&] { over = true; });
    ex.post(0, 0, post_again);
  });
  while (!over) std::this_thread::yield();
}

TEST(tbb_wait, a_worker_that_has_run_items_and_finds_no_other_says_so) {
  std::atomic<int> ran{0};
  std::atomic<int> ran_by_then{0};
  tbb_executor ex(one_worker(), [&] { ran_by_then = ran.load(); });
  for (int i = 0; i < 100; ++i) ex.post(0, 0, [&] { ++ran; });
  while (ran_by_then != 100) std::this_thread::yield();
}

TEST(tbb_wait, an_item_does_not_help) {
  std::atomic<bool> ran{false};
  tbb_executor ex(one_worker());
  run_inside(ex, [&] {
    ex.post(0, 0, [&] { ran = true; });
    EXPECT_FALSE(ex.help_until([&] { return ran.load(); }));
    EXPECT_FALSE(ran);
  });
}

TEST(tbb_wait, an_exception_of_arm_is_the_callers) {
  tbb_executor ex(one_worker());
  const auto throwing = [&] {
    ex.wait([](const gate&) { throw std::runtime_error("not armed"); });
  };
  EXPECT_THROW(throwing(), std::runtime_error);
  run_inside(ex, [&] { EXPECT_THROW(throwing(), std::runtime_error); });
}

/// The time that all threads of this process have run.
std::chrono::microseconds cpu_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto micro = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return micro(usage.ru_utime) + micro(usage.ru_stime);
}

void expect_idle() {
  std::this_thread::sleep_for(milliseconds(100));  // workers look around before they sleep
  const auto before = cpu_time();
  std::this_thread::sleep_for(milliseconds(200));
  EXPECT_LT((cpu_time() - before).count(), 50'000);
}

TEST(tbb_wait, an_idle_executor_uses_no_cpu) {
  tbb_executor ex(this_machine());
  expect_idle();
  for (int i = 0; i < 100; ++i) run_inside(ex, [] {});
  expect_idle();
}

TEST(tbb_wait, suspended_items_use_no_cpu) {
  tbb_executor ex(this_machine());
  std::vector<gate> gates;
  for (int i = 0; i < 8; ++i) {
    ex.wait([&](const gate& armed) {
      ex.post(0, 0, [&, armed] {
        ex.wait([&](gate g) {
          gates.push_back(std::move(g));
          armed->open();
        });
      });
    });
  }
  expect_idle();
  for (const gate& g : gates) g->open();
}

}  // namespace
}  // namespace hocket

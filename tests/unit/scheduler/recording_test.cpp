// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using ::testing::HasSubstr;

template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const usage_error& wrong) {
    return wrong.what();
  }
  return "nothing was refused";
}

class Recordings : public ::testing::Test {
 protected:
  runtime rt_;
};

TEST_F(Recordings, KeepFunctionsOfEverySizeAndAlignment) {
  struct alignas(64) aligned {
    std::array<std::uint64_t, 8> words;
  };
  std::atomic<std::uint64_t> sum{0};
  std::atomic<bool> misplaced{false};
  const graph all = rt_.record([&](submitter& s) {
    for (std::uint64_t i = 0; i < 200; ++i) {
      s.async([&sum] { ++sum; });
      s.async([&sum, c = static_cast<unsigned char>(i)] { sum += c; });
      s.async([&, a = aligned{{i}}] {
        misplaced = misplaced || reinterpret_cast<std::uintptr_t>(&a) % 64 != 0;
        sum += a.words[0];
      });
      s.async([&sum, many = std::array<std::uint64_t, 500>{i}] { sum += many[0]; });
    }
  });
  EXPECT_EQ(all.size(), 800U);
  rt_.run(all).get();
  EXPECT_EQ(sum, 200U + 3 * (199 * 200 / 2));
  EXPECT_FALSE(misplaced);
}

TEST_F(Recordings, LetFunctionsGoWithTheLastRun) {
  const auto held = std::make_shared<int>(0);
  for (const bool planned : {true, false}) {
    std::optional<graph> recorded = rt_.record([&](submitter& s) {
      for (int i = 0; i < 100; ++i) {
        const task_options how{.priority = planned ? 0 : 1};
        s.async(how, [held] { std::this_thread::yield(); });
      }
    });
    EXPECT_EQ(held.use_count(), 101);
    rt_.run(*recorded);
    recorded.reset();
    rt_.wait();
    // The worker that ran the last function may not have let go of it yet.
    while (held.use_count() != 1) std::this_thread::yield();
  }
}

TEST_F(Recordings, AreOutlivedByTheirFutures) {
  std::vector<future<int>> kept;
  for (int recording = 0; recording < 3; ++recording) {
    (void)rt_.record([&](submitter& s) {
      for (int i = 0; i < 100; ++i) {
        const task_options how{.label = i % 10 == 0 ? std::to_string(i) : std::string()};
        const future<int> made = s.async(how, [i] { return i; });
        if (i % 7 == recording) kept.push_back(made);
      }
    });
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([mine = kept] {
      for (const future<int>& each : mine) {
        EXPECT_THAT(refusal([&] { (void)each.get(); }), HasSubstr("is part of a recording"));
      }
    });
  }
  EXPECT_EQ(kept[0].label(), "0");
  EXPECT_EQ(kept[1].label(), "");
  EXPECT_EQ(kept[10].label(), "70");
  kept.clear();
  for (std::thread& each : threads) each.join();
}

/// The graph a -> b, c -> d is recorded with something in the middle that no plan can hold.
TEST_F(Recordings, GoOnInOrderWhenTheyCanBeNoPlanAnyMore) {
  const buffer<float> x{rt_, 4, 0.0f};
  const future<int> outside = rt_.async([] { return 1; });
  for (int way = 0; way < 3; ++way) {
    std::vector<int> calls(4, 0);
    std::atomic<bool> ordered{true};  // b and c run side by side
    const graph recorded = rt_.record([&](submitter& s) {
      const auto a = s.async({.label = "a"}, [&] { ++calls[0]; });
      const auto b = s.async({.label = "b", .after = {a}}, [&] {
        if (calls[0] <= calls[1]) ordered = false;
        ++calls[1];
      });
      if (way == 0) s.submit({.after = {b}}, ops::fill, 1.0f, writes(x));
      const auto c = s.async({.priority = way == 1 ? 1 : 0, .after = {a}}, [&] {
        if (calls[0] <= calls[2]) ordered = false;
        ++calls[2];
      });
      const future_list after = way == 2 ? future_list{b, c, outside} : future_list{b, c};
      s.async({.label = "d", .after = after}, [&] {
        if (calls[1] <= calls[3] || calls[2] <= calls[3]) ordered = false;
        ++calls[3];
      });
    });
    for (int run = 1; run <= 3; ++run) {
      rt_.run(recorded).get();
      EXPECT_EQ(calls, std::vector<int>(4, run)) << "way " << way;
    }
    EXPECT_TRUE(ordered) << "way " << way;
  }
}

TEST_F(Recordings, NameTheFunctionThatFails) {
  const graph planned = rt_.record([](submitter& s) {
    for (int i = 0; i < 5; ++i) s.async([] {});
    s.async({.label = "bad"}, [] { throw std::runtime_error("no luck"); });
  });
  EXPECT_EQ(rt_.run(planned).error().message(), "Task \"bad\" failed: no luck.");
}

TEST_F(Recordings, GoOnAfterAFunctionThatIsRefused) {
  const auto held = std::make_shared<int>(0);
  int calls = 0;
  const graph recorded = rt_.record([&](submitter& s) {
    const auto first = s.async([&] { ++calls; });
    EXPECT_THAT(refusal([&] { s.async({.timeout = nanoseconds(1)}, [held] {}); }),
                HasSubstr("a function that is recorded"));
    EXPECT_THAT(refusal([&] {
                  s.async({.after = {first, future<void>()}}, [held] {});
                }),
                HasSubstr("a future without a task"));
    EXPECT_EQ(held.use_count(), 1);
    s.async({.after = {first}}, [&] { calls *= 10; });
  });
  EXPECT_EQ(recorded.size(), 2U);
  rt_.run(recorded).get();
  EXPECT_EQ(calls, 10);
}

TEST_F(Recordings, TakeListsOfFuturesAsVectors) {
  std::atomic<int> calls{0};
  const graph recorded = rt_.record([&](submitter& s) {
    std::vector<any_future> all;
    for (int i = 0; i < 10; ++i) all.emplace_back(s.async([&] { ++calls; }));
    s.async({.after = all}, [&] { EXPECT_EQ(calls, 10); });
  });
  rt_.run(recorded).get();
}

TEST_F(Recordings, TakeFuturesFromContainers) {
  std::vector<int> order;
  const auto chain = [&order](submitter& s) {
    std::vector<future<int>> before;
    before.push_back(s.async(before, [&order] {
      order.push_back(0);
      return 0;
    }));
    before.push_back(s.async(before, [&order] {
      order.push_back(1);
      return 1;
    }));
    // One that has a state of its own, and one that is only a place.
    const auto named =
        s.async({.label = "named", .after = {before[1]}}, [&] { order.push_back(2); });
    return s.async(future_list{named, before[0]}, [&order] { order.push_back(3); });
  };
  chain(rt_).get();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
  order.clear();
  rt_.run(rt_.record([&](submitter& s) { (void)chain(s); })).get();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

/// More functions and edges than there is room for at first, or was asked for.
TEST_F(Recordings, KeepTheOrderOfManyFunctions) {
  for (const std::size_t expected : {std::size_t{0}, std::size_t{100}, std::size_t{10'000}}) {
    constexpr std::uint32_t tasks = 3000;
    std::vector<std::atomic<int>> runs(tasks);
    std::atomic<int> wrong{0};
    const graph recorded = rt_.record({.tasks = expected}, [&](submitter& s) {
      std::vector<future<void>> all;
      for (std::uint32_t i = 0; i < tasks; ++i) {
        std::vector<std::uint32_t> before;
        for (std::uint32_t k = 1; k <= i % 9 && k <= i; ++k) before.push_back(i - k * k % i - 1);
        std::vector<future<void>> after;
        for (const std::uint32_t each : before) after.push_back(all[each]);
        all.push_back(s.async(after, [&runs, &wrong, i, before] {
          const int now = ++runs[i];
          for (const std::uint32_t each : before) wrong += runs[each] == now ? 0 : 1;
        }));
      }
    });
    EXPECT_EQ(recorded.size(), tasks);
    for (int run = 1; run <= 3; ++run) rt_.run(recorded).get();
    EXPECT_EQ(wrong, 0);
    for (const auto& each : runs) EXPECT_EQ(each, 3);
  }
}

TEST_F(Recordings, ReturnFuturesThatSayWhatTheyAre) {
  std::optional<future<int>> kept;
  const graph recorded = rt_.record([&](submitter& s) { kept = s.async([] { return 1; }); });
  rt_.run(recorded).get();
  const future<int> copy = *kept;
  EXPECT_TRUE(copy.valid());
  EXPECT_FALSE(copy.done());
  EXPECT_EQ(copy.label(), "");
  copy.cancel();
  EXPECT_THAT(refusal([&] { copy.then([](int) {}); }), HasSubstr("is part of a recording"));
  EXPECT_THAT(refusal([&] { (void)when_all(copy, copy); }), HasSubstr("is part of a recording"));
  EXPECT_THAT(refusal([&] { rt_.async(std::vector{copy}, [] {}); }),
              HasSubstr("is part of a recording"));
  EXPECT_THAT(refusal([&] { rt_.async({.after = {copy}}, [] {}); }),
              HasSubstr("is part of a recording"));
  rt_.run(recorded).get();
}

TEST_F(Recordings, RefuseFuturesOfOthers) {
  runtime other;
  std::vector<future<void>> elsewhere;
  (void)other.record([&](submitter& s) { elsewhere.push_back(s.async([] {})); });
  (void)rt_.record([&](submitter& s) {
    // The first of each recording has the same place in it.
    const auto first = s.async([] {});
    EXPECT_THAT(refusal([&] { s.async(elsewhere, [] {}); }), HasSubstr("another recording"));
    const std::vector<future<void>> none(1);
    EXPECT_THAT(refusal([&] { s.async(none, [] {}); }), HasSubstr("a future without a task"));
    EXPECT_THAT(refusal([&] { rt_.async(none, [] {}); }), HasSubstr("a future without a task"));
  });
}

}  // namespace
}  // namespace hocket

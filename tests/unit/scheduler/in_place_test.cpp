// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <latch>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

runtime_options in_place(const char* cpu = "") {
  runtime_options options;
  options.devices = "NUMA0";
  options.data_tasks = data_path::in_place;
  if (*cpu != 0) options.backends = {{"cpu", cpu}};
  return options;
}

TEST(InPlaceTasks, AreRefusedWhereThereIsSomethingToPlace) {
  runtime_options options = in_place();
  options.devices = "NUMA0,Sim0";
  options.backends = {{"sim", "1"}};
  runtime rt(options);
  try {
    (void)rt.devices();
    FAIL() << "does not throw";
  } catch (const usage_error& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("data_path::in_place"));
  }
}

TEST(InPlaceTasks, ReadersOfOneBufferRunSideBySide) {
  std::latch both(2);
  runtime rt(in_place());
  if (rt.devices().front().lanes < 2) GTEST_SKIP() << "one core runs one task at a time";
  const buffer<float> x{rt, 4, 1.0F};
  const auto meet = [&](buffer_view<const float>) { both.arrive_and_wait(); };
  const auto one = rt.submit(meet, reads(x));
  const auto other = rt.submit(meet, reads(x));
  while (!one.wait_for(std::chrono::milliseconds(50)) ||
         !other.wait_for(std::chrono::milliseconds(50))) {
  }
}

TEST(InPlaceTasks, OfPartsThatDoNotMeetHaveNoOrder) {
  std::latch released(1);
  runtime rt(in_place());
  const buffer<int> x{rt, 4, 0};
  const auto held = rt.submit([&](buffer_view<int>) { released.wait(); }, updates(x.rows(0, 2)));
  // Waiting for this would never end if it came after the first.
  rt.submit([](buffer_view<int> part) { part(0) = 7; }, updates(x.rows(2, 4))).get();
  released.count_down();
  held.get();
  EXPECT_THAT(x.to_vector(), ElementsAre(0, 0, 7, 0));
}

TEST(InPlaceTasks, OfManyThreadsAreOrderedByTheirData) {
  constexpr int threads = 8, tasks = 500;
  runtime rt(in_place());
  const buffer<long> a{rt, 1, 0L}, b{rt, 1, 0L};
  std::vector<std::jthread> submitting;
  for (int t = 0; t < threads; ++t) {
    submitting.emplace_back([&, t] {
      for (int i = 0; i < tasks; ++i) {
        // In either order: who submits at the same time must not wait in a circle.
        const auto swap = [](buffer_view<long> x, buffer_view<long> y) {
          ++x(0);
          ++y(0);
        };
        if ((t + i) % 2 == 0) {
          rt.submit(swap, updates(a), updates(b));
        } else {
          rt.submit(swap, updates(b), updates(a));
        }
      }
    });
  }
  submitting.clear();
  EXPECT_THAT(a.to_vector(), ElementsAre(threads * tasks));
  EXPECT_THAT(b.to_vector(), ElementsAre(threads * tasks));
}

TEST(InPlaceTasks, WaitForMemoryUntilABufferIsGone) {
  constexpr std::size_t elements = 1 << 18;  // a megabyte
  std::atomic<int> ran{0};
  runtime rt(in_place("memory=2M"));
  for (int i = 0; i < 40; ++i) {
    const buffer<float> x{rt, elements, "x"};
    rt.submit(ops::fill, 1.0F, writes(x));
    rt.submit([&](buffer_view<const float>) { ++ran; }, reads(x));
  }
  rt.wait();
  EXPECT_EQ(ran, 40);
  EXPECT_LE(rt.report().devices.front().peak_bytes, 2U << 20U);
}

TEST(InPlaceTasks, SayThatTheHostHasNoMemoryWhereTheDeviceMayUseMore) {
  runtime rt(in_place("memory=10000000000G"));
  const buffer<float> x{rt, std::size_t{1} << 61U, "x"};  // more than there can be
  const failure why = rt.submit({.label = "big"}, ops::fill, 1.0F, writes(x)).error();
  EXPECT_EQ(why.code(), failure_code::out_of_memory);
  EXPECT_EQ(
      why.message(),
      "Device \"NUMA0\" has no memory for 9223372036854775808 bytes: the host itself has none "
      "left. While running task \"big\" on NUMA0.");
  const buffer<float> y{rt, 4, 1.0F};
  EXPECT_THAT(y.to_vector(), Each(1.0F));
}

TEST(InPlaceTasks, WaitForMemoryWhileATaskRunsThatHoldsIt) {
  constexpr std::size_t elements = 3 << 17;  // one and a half megabytes
  std::atomic<bool> runs = false;
  runtime rt(in_place("memory=2M"));
  std::optional<buffer<float>> x(std::in_place, rt, elements, "x");
  const auto holds = [&](buffer_view<float>) {
    runs = true;
    // For longer than who waits trusts that memory comes back by itself.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  rt.submit(holds, writes(*x));
  while (!runs) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  x.reset();
  const buffer<float> y{rt, elements, "y"};
  const failure why = rt.submit(ops::fill, 2.0F, writes(y)).error();
  EXPECT_FALSE(why) << why.message();
}

TEST(InPlaceTasks, FailWhereNoMemoryWillComeBack) {
  constexpr std::size_t elements = 1 << 18;
  for (const clock_kind clock : {clock_kind::real, clock_kind::simulated}) {
    runtime_options options = in_place("memory=2M");
    options.clock = clock;
    runtime rt(options);
    const buffer<float> a{rt, elements, 1.0F}, b{rt, elements, 1.0F};
    rt.wait();
    const buffer<float> c{rt, elements, "c"};
    const auto too_much = rt.submit({.label = "third"}, ops::fill, 1.0F, writes(c));
    EXPECT_EQ(too_much.error().code(), failure_code::out_of_memory);
    EXPECT_THAT(too_much.error().message(),
                StartsWith("Task \"third\" lacks 1048576 bytes in NUMA0"));
    EXPECT_THAT(a.to_vector(), Each(1.0F));
  }
}

TEST(InPlaceTasks, FailForAnyOfTheirBuffersThatHasNoMemory) {
  constexpr std::size_t elements = 1 << 18;
  runtime rt(in_place("memory=2M"));
  const buffer<float> a{rt, elements, 1.0F}, b{rt, elements, 1.0F};
  rt.wait();
  const buffer<float> c{rt, elements, "c"};
  const auto by_function = rt.submit([](buffer_view<float> v) { v(0) = 1.0F; }, writes(c));
  const auto with_another = rt.submit(ops::copy, reads(a), writes(c));
  const auto by_part = rt.submit(ops::fill, 1.0F, writes(c.rows(0, 4)));
  for (const auto* const each : {&by_function, &with_another, &by_part}) {
    EXPECT_EQ(each->error().code(), failure_code::out_of_memory);
  }
}

TEST(InPlaceTasks, ThatAreCancelledLeaveTheirMemoryToOthers) {
  constexpr std::size_t elements = 1 << 18;
  std::latch released(1);
  runtime rt(in_place("memory=2M"));
  const buffer<float> kept{rt, elements, 1.0F}, c{rt, elements, "c"};
  std::optional<buffer<float>> b(std::in_place, rt, elements, 1.0F);
  rt.wait();
  const future<void> held = rt.async([&] { released.wait(); });
  const future<void> needs_memory = rt.submit({.after = {held}}, ops::fill, 1.0F, writes(c));
  future<void> unwanted = rt.submit({.after = {needs_memory}}, ops::fill, 2.0F, writes(*b));
  b.reset();
  unwanted.cancel();
  released.count_down();
  EXPECT_NO_THROW(needs_memory.get());
}

TEST(InPlaceTasks, AreCounted) {
  runtime rt(in_place());
  const buffer<float> x{rt, 100, 1.0F};
  for (int i = 0; i < 9; ++i)
    rt.submit(ops::axpy, 1.0F, reads(x), updates(buffer<float>(rt, 100, 0.0F)));
  rt.wait();
  const device_report seen = rt.report().devices.front();
  EXPECT_EQ(seen.kernels, 1U + 9U + 9U);
  EXPECT_GT(seen.flops, 0.0);
  EXPECT_GT(seen.busy, nanoseconds(0));
  EXPECT_GE(seen.peak_bytes, 800U);
}

TEST(InPlaceTasks, MayHaveNoArguments) {
  std::atomic<int> ran = 0;
  runtime rt(in_place());
  const kernel<> counts{"counts", host_body{[&] { ++ran; }}};
  const kernel<> fails{"fails", host_body{[] { throw std::runtime_error("it does"); }}};
  const future<void> first = rt.submit(counts);
  for (int i = 1; i < 1000; ++i) rt.submit(counts);
  first.wait();
  EXPECT_EQ(first.label(), "counts");
  EXPECT_FALSE(first.error());
  const future<void> failed = rt.submit(fails);
  const future<void> behind = failed.then([] {});
  EXPECT_EQ(failed.error().code(), failure_code::task_failed);
  EXPECT_EQ(failed.error().message(), "Task \"fails\" failed: Kernel \"fails\" fails: it does");
  EXPECT_THAT(behind.error().message(), HasSubstr("because task \"fails\" failed"));
  rt.wait();
  EXPECT_EQ(ran, 1000);
  EXPECT_EQ(rt.report().devices.front().kernels, 1001U);
}

TEST(InPlaceTasks, WithoutArgumentsMayBeCancelled) {
  std::latch may_end(1);
  std::atomic<bool> ran = false;
  runtime rt(in_place());
  const std::size_t lanes = rt.devices().front().lanes;
  std::latch all_busy(static_cast<std::ptrdiff_t>(lanes) + 1);
  for (std::size_t i = 0; i < lanes; ++i) {
    rt.async([&] {
      all_busy.count_down();
      may_end.wait();
    });
  }
  all_busy.arrive_and_wait();
  const kernel<> late{"late", host_body{[&] { ran = true; }}};
  const future<void> unwanted = rt.submit(late);
  unwanted.cancel();
  EXPECT_EQ(unwanted.error().code(), failure_code::cancelled);
  may_end.count_down();
  rt.wait();
  EXPECT_FALSE(ran);
}

TEST(InPlaceTasks, HaveTheNameOfTheirKernelAndDoNotKeepWhatItHolds) {
  auto content = std::make_shared<float>(1.0F);
  const std::weak_ptr<float> watch = content;
  future<void> kept;
  {
    runtime rt(in_place());
    const buffer<float> x{rt, 1, 0.0F};
    {
      const kernel<inout_buffer<float>> adds{
          "adds", host_body{[c = content](buffer_view<float> to) { to[0] += *c; }}};
      const kernel<> looks{"looks", host_body{[c = content] { (void)*c; }}};
      content.reset();
      for (int i = 0; i < 100; ++i) {
        rt.submit(adds, updates(x));
        rt.submit(looks);
      }
      kept = rt.submit(adds, updates(x));
    }
    EXPECT_EQ(x.to_vector().front(), 101.0F);
  }
  EXPECT_EQ(kept.label(), "adds");
  EXPECT_TRUE(watch.expired());
}

TEST(InPlaceTasks, LeaveNothingBehindWhereABufferOutlivesItsRuntime) {
  std::optional<buffer<float>> kept;
  {
    runtime rt(in_place());
    kept.emplace(rt, std::size_t{16}, 1.0F);
  }
  EXPECT_THROW((void)kept->read(), usage_error);
}

TEST(InPlaceTasks, EndAtOnceWhereTheirTokenOrScopeWasStoppedBefore) {
  std::latch released(1);
  runtime rt(in_place());
  const buffer<int> x{rt, 1, 0};
  rt.submit([&](buffer_view<const int>) { released.wait(); }, reads(x));
  std::stop_source stop;
  stop.request_stop();
  const auto with_token = rt.submit(
      {.stop = stop.get_token()}, [](buffer_view<int> v) { ++v(0); }, updates(x));
  EXPECT_EQ(with_token.error().code(), failure_code::cancelled);
  {
    task_scope scope(rt);
    scope.cancel();
    const auto in_scope = scope.submit([](buffer_view<int> v) { ++v(0); }, updates(x));
    EXPECT_EQ(in_scope.error().code(), failure_code::cancelled);
    released.count_down();
  }
}

TEST(InPlaceTasks, ThatAreCancelledKeepTheirPlace) {
  std::latch released(1);
  std::atomic<bool> read_over{false};
  std::atomic<bool> too_early{false};
  runtime rt(in_place());
  const buffer<int> x{rt, 1, 1};
  rt.submit(
      [&](buffer_view<const int>) {
        released.wait();
        read_over = true;
      },
      reads(x));
  const auto given_up = rt.submit([](buffer_view<int> v) { v(0) = 2; }, updates(x));
  const auto after = rt.submit(
      [&](buffer_view<int> v) {
        too_early = !read_over;
        v(0) = 3;
      },
      writes(x));
  given_up.cancel();
  EXPECT_EQ(given_up.error().code(), failure_code::cancelled);
  released.count_down();
  after.get();
  EXPECT_FALSE(too_early);
  EXPECT_THAT(x.to_vector(), ElementsAre(3));
}

TEST(InPlaceTasks, InLongChainsMayBeCancelledAllAtOnce) {
  constexpr int tasks = 50000;
  std::latch released(1);
  runtime rt(in_place());
  const buffer<int> x{rt, 1, 0};
  rt.submit([&](buffer_view<const int>) { released.wait(); }, reads(x));
  std::vector<future<void>> all;
  for (int i = 0; i < tasks; ++i)
    all.push_back(rt.submit([](buffer_view<int> v) { ++v(0); }, updates(x)));
  for (const auto& each : all) each.cancel();
  released.count_down();
  for (const auto& each : all) EXPECT_EQ(each.error().code(), failure_code::cancelled);
  EXPECT_THROW((void)x.read(), error);
}

TEST(InPlaceTasks, EndAtOnceWhereTheirTokenIsStopped) {
  std::latch released(1);
  runtime rt(in_place());
  const buffer<int> x{rt, 1, 0};
  rt.submit([&](buffer_view<const int>) { released.wait(); }, reads(x));
  std::stop_source stop;
  const auto waiting = rt.submit(
      {.stop = stop.get_token()}, [](buffer_view<int> v) { ++v(0); }, updates(x));
  stop.request_stop();
  EXPECT_EQ(waiting.error().code(), failure_code::cancelled);
  released.count_down();
}

TEST(InPlaceTasks, MayBeWaitedForByOneThreadWhileAnotherSubmitsThem) {
  constexpr int rounds = 3000;
  runtime rt(in_place());
  const buffer<int> x{rt, 1, 0};
  // The one finds tasks of the other in the order of the buffer before they have been started.
  std::jthread other([&] {
    for (int i = 0; i < rounds; ++i) rt.submit([](buffer_view<int> v) { ++v(0); }, updates(x));
  });
  for (int i = 0; i < rounds; ++i) rt.submit([](buffer_view<int> v) { ++v(0); }, updates(x)).get();
  other.join();
  rt.wait();
  EXPECT_THAT(x.to_vector(), ElementsAre(2 * rounds));
}

TEST(InPlaceTasks, LeaveTheRuntimeThereUntilAViewOfAnotherThreadIsClosed) {
  std::jthread looking;
  std::latch opened(1), ends(1);
  std::atomic<bool> closed{false};
  {
    runtime rt(in_place());
    const buffer<int> x{rt, 4, 7};
    looking = std::jthread([&, x] {
      const auto seen = x.read();
      opened.count_down();
      ends.wait();
      EXPECT_THAT(std::vector<int>(seen.begin(), seen.end()), Each(7));
      closed = true;
    });
    opened.wait();
    ends.count_down();
  }
  EXPECT_TRUE(closed);
}

TEST(InPlaceTasks, AreRefusedTheBudgetOfAnotherRuntime) {
  runtime rt(in_place()), other(in_place());
  const budget foreign(other, 100);
  const buffer<int> x{rt, 1, 0};
  EXPECT_THROW(rt.submit(
                   {.takes = foreign.share(10)}, [](buffer_view<int>) {}, updates(x)),
               usage_error);
  rt.wait();
  EXPECT_THAT(x.to_vector(), ElementsAre(0));
}

TEST(InPlaceTasks, InLoopsOverBuffersWithoutElements) {
  runtime rt(in_place());
  const buffer<float> none{rt, std::size_t{0}, "none"};
  int asked = 0;
  const graph nothing = rt.record([&](submitter& s) { s.submit(ops::fill, 1.0F, writes(none)); });
  rt.run_while([&] { return ++asked < 3; }, nothing).get();
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace hocket

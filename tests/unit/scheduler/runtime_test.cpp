// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

/// What a runtime must do on every machine.
struct machine {
  const char* name;
  runtime_options options;
};

runtime_options with_sims(const char* sims, clock_kind clock, bool private_memory) {
  runtime_options options;
  options.backends = {{"sim", sims}};
  options.clock = clock;
  options.private_memory = private_memory;
  return options;
}

runtime_options without_drivers(data_path data_tasks) {
  runtime_options options;
  options.devices = "NUMA0";
  options.data_tasks = data_tasks;
  return options;
}

class Runtimes : public ::testing::TestWithParam<machine> {
 protected:
  runtime rt_{GetParam().options};
};

INSTANTIATE_TEST_SUITE_P(
    , Runtimes,
    ::testing::Values(machine{"cpu", {}}, machine{"placed", without_drivers(data_path::placed)},
                      machine{"in_place", without_drivers(data_path::in_place)},
                      machine{"two_sims", with_sims("2", clock_kind::real, false)},
                      machine{"private_memory", with_sims("1", clock_kind::real, true)},
                      machine{"simulated_time", with_sims("2", clock_kind::simulated, false)},
                      machine{"simulated_private", with_sims("2", clock_kind::simulated, true)}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_P(Runtimes, KeepTheOrderOfTheData) {
  const buffer<float> x{rt_, 1000, 1.0f}, y{rt_, 1000, 2.0f};
  rt_.submit(ops::axpy, 2.0f, reads(x), updates(y));
  const future<float> total = rt_.submit(ops::sum, reads(y));
  rt_.submit(ops::fill, 0.0f, writes(x));
  EXPECT_EQ(total.get(), 4000.0f);
  EXPECT_THAT(x.to_vector(), AllOf(SizeIs(1000), Each(0.0f)));
}

TEST_P(Runtimes, LetLaterTasksWaitForALiveView) {
  const buffer<float> x{rt_, 4, 1.0f};
  future<void> later;
  {
    const auto seen = x.read();
    later = rt_.submit(ops::fill, 2.0f, writes(x));
    EXPECT_FALSE(later.done());
    EXPECT_THAT(std::vector<float>(seen.begin(), seen.end()), Each(1.0f));
  }
  later.get();
  EXPECT_THAT(x.to_vector(), Each(2.0f));
}

TEST_P(Runtimes, LetReadersShareALiveView) {
  const buffer<float> x{rt_, 4, 1.0f};
  const auto seen = x.read();
  const auto also_seen = x.read();
  EXPECT_EQ(rt_.submit(ops::sum, reads(x)).get(), 4.0f);
  EXPECT_EQ(seen[0] + also_seen[3], 2.0f);
}

TEST_P(Runtimes, CopyTheValuesOfARange) {
  std::vector<float> values{1, 2, 3};
  const buffer<float> x{rt_, values, "x"}, two{rt_, std::span<const float>(values).first(2)};
  const buffer<std::int32_t> own{rt_, std::array{4, 5, 6, 7}},
      none{rt_, std::vector<std::int32_t>{}};
  values.assign(3, 0);
  rt_.submit(ops::axpy, 2.0F, reads(x.rows(0, 2)), updates(two));
  EXPECT_THAT(x.to_vector(), ElementsAre(1, 2, 3));
  EXPECT_THAT(two.to_vector(), ElementsAre(3, 6));
  EXPECT_THAT(own.to_vector(), ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(x.label(), "x");
}

// Content is copied by tasks: an assigned handle only names other data.
static_assert(!std::is_assignable_v<region<float>, const region<float>&>);
static_assert(std::is_assignable_v<region<float>&, const region<float>&>);

TEST_P(Runtimes, GiveTheContentOfAPart) {
  const buffer<int, 2> x{rt_, {2, 3}, std::array{1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(x.extent(1), 3U);
  EXPECT_EQ(x.tile({0, 1}, {2, 3}).extent(1), 2U);
  EXPECT_THAT(x.tile({0, 1}, {2, 3}).to_vector(), ElementsAre(2, 3, 5, 6));
}

TEST_P(Runtimes, EndAfterTasksThatStillSubmit) {
  std::vector<float> seen;
  {
    runtime rt(GetParam().options);
    rt.async([&rt, &seen] {
      // Until the destructor waits, where the clock is real.
      if (rt.devices().size() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const buffer<float> x{rt, 4, 1.0F}, y{rt, 4, 2.0F};
      rt.submit(ops::axpy, 1.0F, reads(x), updates(y));
      rt.submit(ops::axpy, 1.0F, reads(x), reduces(y, plus{}));
      rt.submit([&seen](buffer_view<const float> v) { seen.assign(v.begin(), v.end()); }, reads(y));
    });
  }
  EXPECT_THAT(seen, ElementsAre(4, 4, 4, 4));
}

TEST_P(Runtimes, RunAfterOneFuture) {
  const buffer<float> x{rt_, 4, "x"};
  const future<void> filled = rt_.submit(ops::fill, 1.0F, writes(x));
  std::atomic<int> order{0};
  const future<int> first = rt_.async(filled, [&] { return ++order; });
  const any_future any = first;
  const future<int> second = rt_.async(any, [&] { return ++order; });
  const future<int> third = rt_.async({.after = second}, [&] { return ++order; });
  EXPECT_EQ(third.get(), 3);
  EXPECT_EQ(first.get(), 1);
}

TEST_P(Runtimes, TakeInWhatAViewWrites) {
  const buffer<int, 2> x{rt_, {3, 2}, 0};
  {
    const auto all = x.update();
    for (std::size_t i = 0; i < 3; ++i) all(i, 1) = static_cast<int>(i) + 1;
  }
  x.rows(1, 2).write()(0, 0) = 7;
  rt_.submit([](buffer_view<int, 2> part) { part(0, 1) *= 10; }, updates(x.rows(2, 3)));
  EXPECT_THAT(x.rows(0, 1).read()(0, 1), 1);
  EXPECT_EQ(x.rows(2, 3).read()(0, 1), 30);
}

TEST_P(Runtimes, PassFuturesAsNumbers) {
  const buffer<float> x{rt_, 8, 2.0f}, y{rt_, 8, 1.0f};
  const future<float> sum = rt_.submit(ops::sum, reads(x));
  rt_.submit(ops::axpy, sum, reads(x), updates(y));
  EXPECT_THAT(y.to_vector(), Each(33.0f));
  const future<int> three = rt_.async([] { return 3; });
  rt_.submit(ops::fill, three, writes(x));
  EXPECT_THAT(x.to_vector(), Each(3.0f)) << "and converts them";
}

TEST_P(Runtimes, GiveScratchToATask) {
  const buffer<int> x{rt_, 5, 1};
  rt_.submit(
      [](buffer_view<int> out, buffer_view<int, 2> room) {
        for (std::size_t i = 0; i < 5; ++i) room(1, i) = static_cast<int>(i);
        for (std::size_t i = 0; i < 5; ++i) out(i) += room(1, i);
      },
      updates(x), scratch<int, 2>({2, 5}));
  EXPECT_THAT(x.to_vector(), ElementsAre(1, 2, 3, 4, 5));
}

TEST_P(Runtimes, RunARecordingAHundredTimes) {
  const buffer<float> x{rt_, 100, 1.0f}, y{rt_, 100, 0.0f};
  std::atomic<int> calls{0};
  const graph step = rt_.record([&](submitter& s) {
    const future<float> sum = s.submit(ops::sum, reads(x));
    s.submit(ops::axpy, sum, reads(x), updates(y));
    s.async({.after = {sum}}, [&] { ++calls; });
  });
  EXPECT_EQ(step.size(), 3U);
  EXPECT_THAT(y.to_vector(), Each(0.0f)) << "recording runs nothing";
  for (int i = 0; i < 100; ++i) rt_.run(step);
  rt_.wait();
  EXPECT_THAT(y.to_vector(), Each(10000.0f));
  EXPECT_EQ(calls, 100);
}

TEST_P(Runtimes, OutliveNothingThatFuturesHold) {
  future<float> sum;
  {
    runtime other(GetParam().options);
    const buffer<float> x{other, 8, 2.0f};
    sum = other.submit(ops::sum, reads(x));
  }
  EXPECT_EQ(sum.get(), 16.0f);
}

TEST_P(Runtimes, NameATaskAfterItsKernelUnlessItHasALabel) {
  future<void> plain, labelled, function, failed;
  {
    runtime other(GetParam().options);
    const buffer<float> x{other, 8, 2.0f};
    const kernel<inout_buffer<float>> touch{"touch", host_body{[](buffer_view<float>) {}}};
    const kernel<inout_buffer<float>> sulk{
        "sulk", host_body{[](buffer_view<float>) { throw std::runtime_error("not today"); }}};
    plain = other.submit(touch, updates(x));
    labelled = other.submit({.label = "loud"}, touch, updates(x));
    function = other.submit([](buffer_view<float>) {}, updates(x));
    failed = other.submit(sulk, updates(x));
    failed.wait();
  }
  EXPECT_EQ(plain.label(), "touch") << "also when kernel and runtime are gone";
  EXPECT_EQ(labelled.label(), "loud");
  EXPECT_EQ(function.label(), "host function");
  EXPECT_THAT(failed.error().message(), HasSubstr("\"sulk\""));
}

TEST_P(Runtimes, DoNotDisturbOneAnother) {
  runtime other(GetParam().options);
  const buffer<float> mine{rt_, 100, 1.0f}, theirs{other, 100, 2.0f};
  for (int i = 0; i < 50; ++i) {
    rt_.submit(ops::axpy, 1.0f, reads(mine.rows(0, 50)), updates(mine.rows(50, 100)));
    other.submit(ops::axpy, 1.0f, reads(theirs.rows(0, 50)), updates(theirs.rows(50, 100)));
  }
  EXPECT_THAT(mine.rows(50, 100).read()[49], 51.0f);
  EXPECT_THAT(theirs.rows(50, 100).read()[0], 102.0f);
}

/// Sums that depend on their order in the last bits.
float reduced(runtime& rt, const std::vector<device_handle>& devices) {
  const buffer<float> total{rt, 1, 0.0f, "total"};
  static const kernel<float, inout_buffer<float>> add_number{
      "add_number", host_body{[](float number, buffer_view<float> sum) { sum(0) += number; }}};
  for (int i = 0; i < 60; ++i) {
    const float number = 1.0f / static_cast<float>(3 * i + 1);
    const device_handle where = devices[static_cast<std::size_t>(i) % devices.size()];
    rt.submit({.on = where, .priority = i % 7}, add_number, number,
              reduces(static_cast<const region<float>&>(total), plus{}));
  }
  return total.to_vector().front();
}

TEST(Reductions, HaveTheSameBitsWhateverEndsFirst) {
  std::optional<std::uint32_t> bits;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    runtime_options options =
        with_sims("1,flops=1M,launch=1us;1,flops=1G,launch=9us", clock_kind::simulated, false);
    options.seed = seed;
    options.delay_probability = 0.5;
    options.longest_delay = std::chrono::microseconds(20);
    runtime rt(options);
    const float sum = reduced(rt, {rt.device("Sim0"), rt.device("Sim1")});
    const auto found = std::bit_cast<std::uint32_t>(sum);
    EXPECT_EQ(bits.value_or(found), found) << "seed " << seed;
    bits = found;
  }
  runtime rt;
  EXPECT_EQ(std::bit_cast<std::uint32_t>(reduced(rt, {rt.device("NUMA0")})), *bits);
}

TEST(Reductions, CombineWithTheContentThatIsThere) {
  runtime rt;
  const buffer<int> most{rt, 2, 5};
  for (const int number : {3, 9, 4}) {
    rt.submit(
        [number](buffer_view<int> each) {
          for (int& element : each) element = std::max(element, number);
        },
        reduces(static_cast<const region<int>&>(most), maximum{}));
  }
  EXPECT_THAT(most.to_vector(), ElementsAre(9, 9));
}

TEST(Reductions, StartFromInfinity) {
  runtime rt;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const buffer<float> most{rt, 2, -infinity}, least{rt, 2, infinity};
  const auto keep = [](buffer_view<float>) {};
  rt.submit(keep, reduces(static_cast<const region<float>&>(most), maximum{}));
  rt.submit(keep, reduces(static_cast<const region<float>&>(least), minimum{}));
  EXPECT_THAT(most.to_vector(), ElementsAre(-infinity, -infinity));
  EXPECT_THAT(least.to_vector(), ElementsAre(infinity, infinity));
}

TEST(LittleMemory, TakesNoFunctionsThatUseMore) {
  // Its memory, which functions can address, has room for one of the two parts.
  runtime rt({.backends = {{"sim", "1,memory=6K,shared=yes"}}, .clock = clock_kind::simulated});
  const buffer<float, 2> from{rt, {43, 23}, 1.0F}, to{rt, {43, 23}, 2.0F};
  for (int i = 0; i < 50; ++i) {
    rt.submit([](buffer_view<const float, 2> x, buffer_view<float, 2> y) { y(0, 0) += x(0, 0); },
              reads(from.rows(2, 39)), updates(to.rows(3, 40)));
  }
  EXPECT_EQ(to.read()(3, 0), 52.0F);
}

/// Many buffers on a device that has room for two of them.
void work_in_little_memory(clock_kind clock) {
  runtime rt(with_sims("1,memory=8K", clock, false));
  const task_options there{.on = rt.device("Sim0")};
  constexpr std::size_t count = 1024;  // floats: half of the memory
  std::vector<buffer<float>> data;
  for (std::size_t i = 0; i < 10; ++i) {
    data.emplace_back(rt, count);
    rt.submit(there, ops::fill, static_cast<float>(i), writes(data.back()));
  }
  for (std::size_t round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      rt.submit(there, ops::axpy, 1.0f, reads(data[i]), updates(data[(i + 3) % data.size()]));
    }
  }
  std::vector<float> expected(data.size());
  for (std::size_t i = 0; i < data.size(); ++i) expected[i] = static_cast<float>(i);
  for (std::size_t round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i < data.size(); ++i) {
      expected[(i + 3) % data.size()] += expected[i];
    }
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    EXPECT_THAT(data[i].to_vector(), AllOf(SizeIs(count), Each(expected[i]))) << "buffer " << i;
  }
  EXPECT_LE(rt.report().devices.at(rt.device("Sim0").id.value).peak_bytes, 8192U);
}

TEST(LittleMemory, EvictsAndGivesRightResults) { work_in_little_memory(clock_kind::real); }
TEST(LittleMemory, EvictsInSimulatedTime) { work_in_little_memory(clock_kind::simulated); }

TEST(LittleMemory, IsWaitedForWhereARunningTaskUsesIt) {
  for (const clock_kind clock : {clock_kind::real, clock_kind::simulated}) {
    runtime rt(with_sims("1,memory=8K,launch=1ms", clock, false));
    const task_options there{.on = rt.device("Sim0")};
    constexpr std::size_t count = 1024;  // floats: half of the memory
    const buffer<float> first{rt, count, 3.0f};
    const buffer<float> second{rt, count};
    const buffer<float> third{rt, count};
    rt.submit(there, ops::copy, reads(first), writes(second));
    rt.submit(there, ops::copy, reads(second), writes(third));
    EXPECT_THAT(third.to_vector(), Each(3.0f));
  }
}

TEST(Runtime, OnTheVirtualClockRefusesOtherThreads) {
  runtime rt(with_sims("2", clock_kind::simulated, true));
  const buffer<float> x{rt, 100, 1.0f, "x"};
  std::thread([&] {
    EXPECT_THROW(rt.submit(ops::fill, 2.0f, writes(x)), usage_error);
    EXPECT_THROW((void)x.read(), usage_error);
  }).join();
  EXPECT_EQ(x.to_vector(), std::vector<float>(100, 1.0f));
}

TEST(Runtime, UsesEveryNodeOfTheHost) {
  const host_topology host;
  runtime rt;
  const std::vector<device_info> devices = rt.devices();
  ASSERT_EQ(devices.size(), host.nodes().size());
  std::vector<future<float>> sums;
  for (const device_info& each : devices) {
    const task_options there{.on = rt.device(each.name)};
    const buffer<float> x{rt, 5000};
    rt.submit(there, ops::fill, 1.0f, writes(x));
    sums.push_back(rt.submit(there, ops::sum, reads(x)));
  }
  for (const future<float>& sum : sums) EXPECT_EQ(sum.get(), 5000.0f);
  if (const char* synthetic = std::getenv("HWLOC_SYNTHETIC")) {
    EXPECT_STREQ(synthetic, "numa:2 core:2 pu:1");
    EXPECT_EQ(devices.size(), 2U);
    EXPECT_EQ(devices[1].lanes, 2U);
  }
}

TEST(name_list, is_a_text_or_a_list) {
  const std::string second = "b";
  EXPECT_EQ(name_list().text(), "");
  EXPECT_EQ(name_list("a,b").text(), "a,b");
  EXPECT_EQ((name_list{"a", second}).text(), "a,b");
  EXPECT_EQ((name_list{"a", "b"}).text(), "a,b");
  const runtime_options options{.devices = {"NUMA0", "Sim0"}};
  EXPECT_EQ(options.devices.text(), "NUMA0,Sim0");
  EXPECT_TRUE((runtime_options{.devices = {}}).devices.empty());
}

}  // namespace
}  // namespace hocket

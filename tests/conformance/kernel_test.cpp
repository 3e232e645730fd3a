// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <array>
#include <numeric>

#include <hocket/kernels/sequence.hpp>

#include "conformance.hpp"
#include "kernels.hpp"

namespace hocket::testing {

namespace {

std::uint32_t tripled(std::uint32_t x, int times) {
  for (int i = 0; i < times; ++i) x = 3 * x + 1;
  return x;
}

std::vector<std::uint32_t> counted(std::size_t count) {
  std::vector<std::uint32_t> made(count);
  std::iota(made.begin(), made.end(), 1U);
  return made;
}

}  // namespace

TEST_P(conformance, a_kernel_computes) {
  constexpr std::size_t count = 1000;
  std::vector<float> x(count), y(count, 1.0F);
  std::iota(x.begin(), x.end(), 0.0F);
  const allocation a = put(0, x), b = put(0, y);
  const timepoint done =
      submit(first().compute(0), launch_of(add_scaled().definition(),
                                           {whole<float>(a, {count}), whole<float>(b, {count})},
                                           {scalar_argument::of(2.0F)}));
  finish(done);
  ASSERT_FALSE(result(done).why) << result(done).why.message();
  const std::vector<float> sum = take<float>(0, b, done);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(sum[i], 1.0F + 2.0F * x[i]) << i;
  EXPECT_EQ(take<float>(0, a, done), x);
}

TEST_P(conformance, a_kernel_touches_its_region_alone) {
  constexpr std::size_t rows = 13, columns = 37;
  const allocation a = put(0, std::vector<std::int32_t>(rows * columns, -1));
  const placed_buffer b = part<std::int32_t>(a, {rows, columns}, {{2, 5}, {9, 31}});
  const timepoint done = submit(first().compute(0), launch_of(number_places().definition(), {b}));
  const std::vector<std::int32_t> got = take<std::int32_t>(0, a, done);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const bool inside = i >= 2 && i < 9 && j >= 5 && j < 31;
      const auto place = static_cast<std::int32_t>(100 * (i - 2) + j - 5);
      ASSERT_EQ(got[i * columns + j], inside ? place : -1) << i << ", " << j;
    }
  }
}

TEST_P(conformance, a_kernel_of_any_rank_walks_its_region) {
  const index_list extents{5, 4, 7, 6};
  const std::vector<box> regions{box::whole(extents),
                                 {{1, 1, 2, 0}, {4, 3, 6, 6}},
                                 {{0, 2, 3, 1}, {5, 3, 4, 2}},
                                 {{4, 3, 6, 5}, {5, 4, 7, 6}}};
  std::int32_t round = 0;
  for (const box& region : regions) {
    const allocation a = put(0, std::vector<std::int32_t>(volume(extents), -1));
    const placed_buffer b = part<std::int32_t>(a, extents, region);
    const timepoint done = submit(first().compute(0), launch_of(number_elements().definition(), {b},
                                                                {scalar_argument::of(++round)}));
    std::vector<std::int32_t> got = take<std::int32_t>(0, a, done);
    std::erase(got, -1);
    std::vector<std::int32_t> expected(region.elements());
    std::iota(expected.begin(), expected.end(), 1000 * round);
    ASSERT_EQ(got, expected) << to_string(region);
  }
}

// A stream may know a launch again. What it knows of a buffer ends with that buffer, though the
// next one may lie where it was.
TEST_P(conformance, a_launch_that_comes_again_uses_the_buffers_of_today) {
  const std::vector<kernel_ref> kernels{triple_plus_one().definition(),
                                        fill<std::uint32_t>().definition()};
  for (std::uint32_t round = 0; round < 40; ++round) {
    const std::size_t count = round % 3 == 0 ? 70 : 50;
    const allocation x = put(0, counted(count));
    const placed_buffers buffers{whole<std::uint32_t>(x, {count})};
    timepoint last;
    for (int again = 0; again < 3; ++again) {
      last = submit(first().compute(0), launch_of(kernels[0], buffers));
    }
    if (round % 2 == 1) {
      last = submit(first().compute(0),
                    launch_of(kernels[1], buffers, {scalar_argument::of(round / 4)}));
    }
    std::vector<std::uint32_t> expected = counted(count);
    for (std::uint32_t& value : expected) {
      value = round % 2 == 1 ? round / 4 : 27 * value + 13;
    }
    ASSERT_EQ(take<std::uint32_t>(0, x, last), expected) << "round " << round;  // and frees it
  }
}

TEST_P(conformance, a_region_of_nothing_needs_no_memory) {
  placed_buffer none = whole<std::uint32_t>({}, {0});
  const timepoint t = submit(first().compute(0), launch_of(triple_plus_one().definition(), {none}));
  const allocation total = put(0, std::vector<std::uint32_t>{7});
  const timepoint sum =
      submit(first().compute(0),
             launch_of(sum_in_passes().definition(), {none, whole<std::uint32_t>(total, {})}));
  EXPECT_EQ(take<std::uint32_t>(0, total, sum).front(), 0U);
  finish(t);
  EXPECT_FALSE(result(t).why) << result(t).why.message();
  EXPECT_FALSE(result(sum).why) << result(sum).why.message();
}

TEST_P(conformance, passes_share_scratch_and_groups_share_memory) {
  for (const std::size_t count : {1U, 64U, 255U, 257U, 5000U, 100000U}) {
    const allocation x = put(0, counted(count));
    const allocation total = put(0, std::vector<std::uint32_t>{0});
    const timepoint done =
        submit(first().compute(0),
               launch_of(sum_in_passes().definition(),
                         {whole<std::uint32_t>(x, {count}), whole<std::uint32_t>(total, {})}));
    finish(done);
    ASSERT_FALSE(result(done).why) << result(done).why.message();
    EXPECT_EQ(take<std::uint32_t>(0, total, done).front(),
              static_cast<std::uint32_t>(count * (count + 1) / 2));
    memory().deallocate(x);
  }
}

/// Some parts use the same scratch memory, some have nothing to do, some may run beside others.
TEST_P(conformance, a_sequence_is_its_parts_in_order) {
  constexpr std::uint32_t count = 3000;
  enum : std::size_t { x, y, nothing, sum_x, sum_y, list_x, list_y };
  const kernel_ref triple = triple_plus_one().definition(), sum = sum_in_passes().definition();
  const std::vector<kernel_part> parts{
      {triple, {x}},
      {fill<std::uint32_t>().definition(), {y}, {0}, false},
      {triple, {nothing}},
      {sum, {x, sum_x}},
      {sum, {y, sum_y}, {}, false},
      {triple, {list_x}},
      {triple, {list_y}, {}, false},
      {triple, {list_x}},
  };
  const parameter words{parameter::kind::buffer, element_type::u32, access_mode::update, any_rank};
  std::vector<parameter> parameters(7, words);
  parameters.push_back({parameter::kind::scalar, element_type::u32});
  const kernel_ref all = sequence_of("all of it", parameters, parts, {1e4, 1e5});
  const std::vector<std::uint32_t> none{0};
  const allocation a = put(0, counted(count)), b = put(0, counted(count));
  const allocation c = put(0, none), d = put(0, none);
  const placed_buffers buffers{whole<std::uint32_t>(a, {count}), whole<std::uint32_t>(b, {count}),
                               whole<std::uint32_t>({}, {0}),    whole<std::uint32_t>(c, {}),
                               whole<std::uint32_t>(d, {}),      whole<std::uint32_t>(c, {1}),
                               whole<std::uint32_t>(d, {1})};
  // The second time a stream may know it again, the third time a number has changed.
  timepoint last;
  for (const std::uint32_t value : {1U, 1U, 2U}) {
    last = submit(first().compute(0), launch_of(all, buffers, {scalar_argument::of(value)}));
    finish(last);
    ASSERT_FALSE(result(last).why) << result(last).why.message();
  }
  std::vector<std::uint32_t> expected = counted(count);
  for (std::uint32_t& each : expected) each = tripled(each, 3);
  EXPECT_EQ(take<std::uint32_t>(0, a, last), expected);
  EXPECT_EQ(take<std::uint32_t>(0, b, last), std::vector<std::uint32_t>(count, 2));
  EXPECT_EQ(take<std::uint32_t>(0, c, last).front(),
            tripled(std::accumulate(expected.begin(), expected.end(), 0U), 2));
  EXPECT_EQ(take<std::uint32_t>(0, d, last).front(), tripled(2 * count, 1));
}

TEST_P(conformance, a_sequence_fails_as_the_part_that_cannot_run) {
  const kernel_ref plain = fill<float>().definition(), broken = nonsense().definition();
  const std::vector<parameter> parameters{
      {parameter::kind::buffer, element_type::f32, access_mode::update, any_rank},
      {parameter::kind::scalar, element_type::f32}};
  const allocation a = put(0, std::vector<float>{7});
  const placed_buffers buffers{whole<float>(a, {1})};
  const scalar_arguments two{scalar_argument::of(2.0F)};
  const kernel_ref both =
      sequence_of("both", parameters, {{plain, {0}, {0}}, {broken, {0}}}, {1, 4});
  const timepoint bad = submit(first().compute(0), launch_of(both, buffers, two));
  const timepoint good = submit(first().compute(0), launch_of(plain, buffers, two));
  finish(good);
  EXPECT_TRUE(result(bad).why);
  ASSERT_FALSE(result(good).why) << result(good).why.message();
  EXPECT_EQ(take<float>(0, a, good).front(), 2.0F);
}

template <element T>
void fills(std::vector<T>& expected, launch_command& launch, T value) {
  expected.assign(expected.size(), value);
  launch = launch_of(fill<T>().definition(), {}, {scalar_argument::of(value)});
}

#define HOCKET_FILLS(type, value)                                                          \
  TEST_P(conformance, numbers_arrive_as_##type) {                                          \
    if (lacks(0, element_type_of<std::type>)) GTEST_SKIP() << "the device lacks the type"; \
    std::vector<std::type> expected(77);                                                   \
    const allocation a = put(0, expected);                                                 \
    launch_command l;                                                                      \
    fills<std::type>(expected, l, value);                                                  \
    l.buffers = {whole<std::type>(a, {expected.size()})};                                  \
    const timepoint done = submit(first().compute(0), std::move(l));                       \
    finish(done);                                                                          \
    EXPECT_FALSE(result(done).why) << result(done).why.message();                          \
    EXPECT_EQ(take<std::type>(0, a, done), expected);                                      \
  }
HOCKET_FILLS(int8_t, -77)
HOCKET_FILLS(uint8_t, 200)
HOCKET_FILLS(int16_t, -30000)
HOCKET_FILLS(uint16_t, 60000)
HOCKET_FILLS(int32_t, -2000000000)
HOCKET_FILLS(uint32_t, 4000000000U)
HOCKET_FILLS(int64_t, -9000000000000000000)
HOCKET_FILLS(uint64_t, 18000000000000000000U)
#undef HOCKET_FILLS

TEST_P(conformance, numbers_arrive_as_double) {
  if (lacks(0, element_type::f64)) GTEST_SKIP() << "the device lacks the type";
  std::vector<double> expected(77);
  const allocation a = put(0, expected);
  launch_command l;
  fills<double>(expected, l, 1.0 / 3);
  l.buffers = {whole<double>(a, {expected.size()})};
  EXPECT_EQ(take<double>(0, a, submit(first().compute(0), std::move(l))), expected);
}

TEST_P(conformance, a_kernel_takes_many_numbers) {
  for (const std::uint32_t numbers : {1U, 20U, 29U, 30U, 200U}) {
    scalar_arguments given;
    for (std::uint32_t i = 0; i < numbers; ++i) given.push_back(scalar_argument::of(i * i));
    const allocation total = put(0, std::vector<std::uint32_t>{0});
    const timepoint done = submit(
        first().compute(0), launch_of(add_many(numbers), {whole<std::uint32_t>(total, {})}, given));
    EXPECT_EQ(take<std::uint32_t>(0, total, done).front(),
              (numbers - 1) * numbers * (2 * numbers - 1) / 6);
    EXPECT_FALSE(result(done).why) << result(done).why.message();
  }
}

TEST_P(conformance, kernels_of_a_stream_run_one_after_another) {
  constexpr int times = 250;
  const std::vector<std::uint32_t> start = counted(100);
  const allocation a = put(0, start);
  timepoint last;
  for (int i = 0; i < times; ++i) {
    last = submit(first().compute(0), launch_of(triple_plus_one().definition(),
                                                {whole<std::uint32_t>(a, {start.size()})}));
  }
  const std::vector<std::uint32_t> got = take<std::uint32_t>(0, a, last);
  for (std::size_t i = 0; i < start.size(); ++i) ASSERT_EQ(got[i], tripled(start[i], times));
  EXPECT_EQ(sink.results(last.on->stream()).size(), static_cast<std::size_t>(times));
}

TEST_P(conformance, kernels_and_copies_wait_for_one_another) {
  constexpr int rounds = 50;
  const std::vector<std::uint32_t> start = counted(5000);
  const kernel_ref kernel = triple_plus_one().definition();
  std::vector<allocation> all;
  for (std::size_t d = 0; d < devices(); ++d) all.push_back(put(d, counted(start.size())));
  std::vector<std::uint32_t> host = start;
  const std::size_t bytes = host.size() * sizeof host[0];
  timepoint last;
  for (int i = 0; i < rounds; ++i) {
    const std::size_t d = static_cast<std::size_t>(i) % devices();
    last = submit(at(d).inbound(),
                  whole_copy<std::uint32_t>({host.data(), bytes}, all[d], host.size()), {last});
    last = submit(at(d).compute(0),
                  launch_of(kernel, {whole<std::uint32_t>(all[d], {host.size()})}), {last});
    last = submit(at(d).outbound(),
                  whole_copy<std::uint32_t>(all[d], {host.data(), bytes}, host.size()), {last});
  }
  finish(last);
  for (std::size_t i = 0; i < start.size(); ++i) ASSERT_EQ(host[i], tripled(start[i], rounds));
  for (std::size_t d = 0; d < devices(); ++d) memory(d).deallocate(all[d]);
}

TEST_P(conformance, kernels_of_two_devices_wait_for_one_another) {
  if (devices() < 2) GTEST_SKIP() << "one device";
  constexpr int rounds = 50;
  const std::vector<std::uint32_t> start = counted(5000);
  const kernel_ref kernel = triple_plus_one().definition();
  const std::array<allocation, 2> both{put(0, start), put(1, start)};
  timepoint last;
  for (int i = 0; i < rounds; ++i) {
    const std::size_t here = static_cast<std::size_t>(i) % 2, there = 1 - here;
    last = submit(at(here).compute(0),
                  launch_of(kernel, {whole<std::uint32_t>(both[here], {start.size()})}), {last});
    last = submit(at(there).inbound(),
                  whole_copy<std::uint32_t>(both[here], both[there], start.size()), {last});
  }
  const std::vector<std::uint32_t> got = take<std::uint32_t>(0, both[0], last);
  memory(1).deallocate(both[1]);
  for (std::size_t i = 0; i < start.size(); ++i) ASSERT_EQ(got[i], tripled(start[i], rounds));
}

TEST_P(conformance, a_command_that_cannot_be_made_is_one_among_others) {
  const failure why(failure_code::internal, "It cannot be made.");
  timepoint bad, good;
  for (int i = 0; i < 20; ++i) {
    good = submit(first().compute(0), nothing());
    bad = submit(first().compute(0), failed_command{why}, {good});
    good = submit(first().compute(0), nothing(), {bad});
    finish(submit(first().inbound(), failed_command{why}, {bad}));
  }
  finish(good);
  EXPECT_EQ(result(bad).why.message(), why.message());
  EXPECT_FALSE(result(good).why);
}

TEST_P(conformance, times_are_those_of_the_executor) {
  const allocation a = put(0, counted(100000));
  time_stamp before = executor_->now();
  for (int i = 0; i < 20; ++i) {
    const timepoint t = submit(first().compute(0), launch_of(triple_plus_one().definition(),
                                                             {whole<std::uint32_t>(a, {100000})}));
    finish(t);
    const time_stamp after = executor_->now();
    const command_result how = result(t);
    EXPECT_GE(how.begin, before);
    EXPECT_LE(how.begin, how.end);
    EXPECT_LE(how.end, after);
    before = after;
  }
  memory().deallocate(a);
}

TEST_P(conformance, a_text_that_does_not_compile_is_the_tasks_failure) {
  if (runs_host_bodies())
    GTEST_SKIP() << "The device calls bodies in C++, and none that a driver compiles.";
  const allocation a = put(0, counted(10));
  const timepoint bad =
      submit(first().compute(0), launch_of(nonsense().definition(), {whole<float>(a, {10})}));
  const timepoint good = submit(first().compute(0), nothing(), {bad});
  finish(good);
  EXPECT_EQ(result(bad).why.code(), failure_code::compile_failed);
  const std::string message = result(bad).why.message();
  EXPECT_NE(message.find("\"nonsense\""), std::string::npos) << message;
  EXPECT_NE(message.find(first().info().name), std::string::npos) << message;
  EXPECT_NE(message.find("surely_no_body"), std::string::npos) << message;
  EXPECT_FALSE(result(good).why);
  memory().deallocate(a);
}

TEST_P(conformance, a_device_may_go_away_at_once) {
  for (int i = 0; i < 100; ++i) {
    submit(first().compute(0), nothing());
  }
  devices_.clear();
  EXPECT_TRUE(sink.lost().empty());
}

}  // namespace hocket::testing

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Numbers that a kernel's type does not hold are refused, on each path that they may come by.

#include <cstdint>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

const kernel<std::uint8_t, out_buffer<std::uint8_t>> set_all{
    "set_all", host_body{[](std::uint8_t value, buffer_view<std::uint8_t> v) {
      for (std::uint8_t& each : v) each = value;
    }}};

/// Where nothing is placed, and where everything is.
class numbers : public ::testing::TestWithParam<data_path> {
 protected:
  static runtime_options options() {
    runtime_options made;
    made.devices = "NUMA0";
    made.data_tasks = GetParam();
    return made;
  }
  template <class F>
  static std::string refusal(const F& call) {
    try {
      call();
    } catch (const usage_error& e) {
      return e.what();
    }
    return "none";
  }

  runtime rt{options()};
  buffer<std::uint8_t> bytes{rt, 4, std::uint8_t{7}};
};

TEST_P(numbers, that_the_type_does_not_hold_are_refused) {
  const std::string text = refusal([&] { rt.submit(set_all, 300, writes(bytes)); });
  EXPECT_THAT(text,
              AllOf(HasSubstr("Argument 1 of kernel \"set_all\" is 300"), HasSubstr("0 to 255")));
  EXPECT_THAT(refusal([&] { rt.submit(set_all, -1, writes(bytes)); }), HasSubstr("is -1;"));
  EXPECT_THAT(refusal([&] { rt.submit(set_all, 255.5 + 0.5, writes(bytes)); }),
              HasSubstr("is 256;"));
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal([&] { rt.submit(set_all, none, writes(bytes)); }), HasSubstr("is nan;"));
  EXPECT_THAT(refusal([&] { rt.submit(ops::fill, 1LL << 40, writes(bytes)); }),
              HasSubstr("\"fill"));
  rt.wait();
  EXPECT_THAT(bytes.to_vector(), Each(7));
}

TEST_P(numbers, that_the_type_holds_are_converted) {
  rt.submit(set_all, 255LL, writes(bytes));
  EXPECT_THAT(bytes.to_vector(), Each(255));
  rt.submit(set_all, 1.75, writes(bytes));
  EXPECT_THAT(bytes.to_vector(), Each(1));
  rt.submit(set_all, true, writes(bytes));
  EXPECT_THAT(bytes.to_vector(), Each(1));
  const buffer<std::uint64_t> wide{rt, 1, std::uint64_t{0}};
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  rt.submit(ops::fill, most, writes(wide));
  EXPECT_THAT(wide.to_vector(), Each(most));
}

TEST_P(numbers, of_futures_fail_the_task) {
  const future<int> number = rt.async([] { return 300; });
  const future<void> task = rt.submit(set_all, number, writes(bytes));
  constexpr const char* why =
      "Task \"set_all\" is given 300 as argument 1 of kernel \"set_all\"; it has to be a number of "
      "the type uint8, 0 to 255.";
  EXPECT_EQ(task.error().message(), why);
  EXPECT_EQ(refusal([&] { task.get(); }), why);
  EXPECT_THROW((void)bytes.to_vector(), error);
}

/// Arguments are counted with the buffers, and the task is named by its label.
TEST_P(numbers, of_futures_are_named_by_their_place) {
  const kernel<in_buffer<std::uint8_t>, int, out_buffer<std::uint8_t>, std::int16_t> second{
      "second", host_body{[](buffer_view<const std::uint8_t>, int, buffer_view<std::uint8_t> v,
                             std::int16_t) { v[0] = 0; }}};
  const buffer<std::uint8_t> out{rt, 4, std::uint8_t{0}};
  const future<double> good = rt.async([] { return 1.0; });
  const future<double> bad = rt.async([] { return 1e20; });
  const auto wrong = [&](const auto& first, const auto& last) {
    return refusal([&] {
      rt.submit({.label = "mine"}, second, reads(bytes), first, writes(out), last).get();
    });
  };
  EXPECT_EQ(wrong(good, good), "none");
  EXPECT_THAT(wrong(bad, 1), HasSubstr("Task \"mine\" is given 1e+20 as argument 2 "
                                       "of kernel \"second\"; it has to be a number of the type "
                                       "int32, -2147483648 to 2147483647."));
  EXPECT_THAT(wrong(good, bad), HasSubstr("as argument 4 of kernel \"second\""));
}

TEST_P(numbers, of_futures_in_graphs_fail_the_run) {
  int value = 12;
  const graph g = rt.record([&](submitter& to) {
    const future<int> number = to.async([&] { return value; });
    to.submit(set_all, number, writes(bytes));
  });
  rt.run(g).get();
  EXPECT_THAT(bytes.to_vector(), Each(12));
  value = -12;
  EXPECT_THAT(rt.run(g).error().message(),
              HasSubstr("Task \"set_all\" is given -12 as argument 1 of kernel \"set_all\""));
}

TEST_P(numbers, of_run_parameters_are_refused_when_they_are_set) {
  const run_parameter<int> number{3, "number"};
  const graph inner = rt.record([&](submitter& to) { to.submit(set_all, number, writes(bytes)); });
  const graph outer = rt.record([&](submitter& to) { to.run(inner); });
  for (const graph& each : {inner, outer}) {
    EXPECT_THAT(refusal([&] { rt.run(each, {number = 300}); }),
                HasSubstr("Run parameter \"number\" is set to 300; the tasks that take it need a "
                          "number of the type uint8, 0 to 255."));
    rt.run(each, {number = 200}).get();
    EXPECT_THAT(bytes.to_vector(), Each(200));
  }
  const run_parameter<int> wrong{256, "wrong"};
  EXPECT_THAT(refusal([&] { rt.submit(set_all, wrong, writes(bytes)); }), HasSubstr("256"));
}

INSTANTIATE_TEST_SUITE_P(, numbers, ::testing::Values(data_path::in_place, data_path::placed));

}  // namespace
}  // namespace hocket

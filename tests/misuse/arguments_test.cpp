// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

namespace hocket {
namespace {

using hocket::testing::on_the_host_alone;
using hocket::testing::refusal;
using hocket::testing::small_machine;
using ::testing::AllOf;
using ::testing::HasSubstr;

class WrongArguments : public ::testing::Test {
 protected:
  runtime rt_{small_machine()};
};

TEST_F(WrongArguments, RegionOutOfBounds) {
  const buffer<float, 2> x{rt_, {4, 3}, "weights"};
  EXPECT_THAT(refusal([&] { (void)x.rows(2, 5); }),
              AllOf(HasSubstr("\"weights\""), HasSubstr("5"), HasSubstr("is not within")));
  EXPECT_THAT(refusal([&] { (void)x.rows(3, 2); }), HasSubstr("\"weights\""));
  EXPECT_THAT(refusal([&] { (void)x.tile({0, 0}, {4, 4}); }), HasSubstr("\"weights\""));
  EXPECT_THAT(refusal([&] { (void)x.rows(1, 3).rows(1, 3); }), HasSubstr("\"weights\""))
      << "within a part, rows are counted from its beginning";
}

TEST_F(WrongArguments, OverlappingRegions) {
  const buffer<float> x{rt_, 10, 1.0f, "state"};
  EXPECT_THAT(refusal([&] {
                rt_.submit({.label = "shift"}, ops::copy, reads(x.rows(0, 6)),
                           writes(x.rows(4, 10)));
              }),
              AllOf(HasSubstr("Task \"shift\""), HasSubstr("\"state\""), HasSubstr("overlap")));
  rt_.submit(ops::copy, reads(x.rows(0, 5)), writes(x.rows(5, 10))).get();
}

TEST_F(WrongArguments, ShapesThatDoNotFit) {
  const buffer<float, 2> a{rt_, {4, 3}, 1.0f, "a"}, b{rt_, {2, 5}, 1.0f, "b"}, c{rt_, {4, 5}, "c"};
  EXPECT_THAT(refusal([&] { rt_.submit(ops::gemm_nn, reads(a), reads(b), writes(c)); }),
              AllOf(HasSubstr("gemm"), HasSubstr("3 and 2 must be equal")));
  const buffer<float, 2> d{rt_, {3, 5}, 1.0f, "d"}, e{rt_, {5, 4}, "e"};
  EXPECT_THAT(refusal([&] { rt_.submit(ops::gemm_nn, reads(a), reads(d), writes(e)); }),
              HasSubstr("the buffer for it is"));
  const buffer<float> x{rt_, 10, 1.0f}, y{rt_, 11, 1.0f};
  EXPECT_THAT(refusal([&] { rt_.submit(ops::axpy, 1.0f, reads(x), updates(y)); }),
              AllOf(HasSubstr("axpy"), HasSubstr("10"), HasSubstr("11")));
}

TEST_F(WrongArguments, AreRefusedInARecordingToo) {
  const buffer<float> x{rt_, 10, 1.0f}, y{rt_, 11, 1.0f};
  EXPECT_THAT(
      refusal([&] {
        (void)rt_.record([&](submitter& s) { s.submit(ops::axpy, 1.0f, reads(x), updates(y)); });
      }),
      HasSubstr("axpy"));
}

TEST_F(WrongArguments, AKernelThatTheDeviceHasNoBodyFor) {
  const buffer<float> x{rt_, 10, 1.0f};
  const auto twice = kernel<inout_buffer<float>>{"twice"}
                         .with(glsl{"x", "uint i = ITEM(0); if (i < x_extent0) x(i) *= 2.0f;"})
                         .with(opencl_c{"x", "uint i = ITEM(0); if (i < x_extent0) x(i) *= 2.0f;"});
  const std::string wanted =
      "kernel \"twice\" has bodies in OpenCL C, GLSL, and the device runs C++ for the host";
  EXPECT_THAT(
      refusal([&] { rt_.submit({.on = rt_.device("NUMA0"), .label = "t"}, twice, updates(x)); }),
      AllOf(HasSubstr("Task \"t\""), HasSubstr("cannot run on NUMA0: " + wanted)));
  EXPECT_THAT(refusal([&] { rt_.submit(twice, updates(x)); }),
              HasSubstr("cannot run on any device in use: on NUMA0, " + wanted));
  EXPECT_THAT(refusal([&] { rt_.submit(kernel<inout_buffer<float>>{"none"}, updates(x)); }),
              HasSubstr("kernel \"none\" has no body"));
}

// On the host alone the cost is asked for when the task runs.
TEST_F(WrongArguments, ACostThatIsNoAmount) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::pair<launch_work, std::string> costs[] = {{{nan, 0}, "nan operations"},
                                                       {{inf, 0}, "inf operations"},
                                                       {{-1, 0}, "-1 operations"},
                                                       {{0, nan}, "nan bytes"},
                                                       {{0, -inf}, "-inf bytes"}};
  for (const auto& each : costs) {
    const launch_work cost = each.first;
    const auto costly =
        kernel<inout_buffer<float>>{"costly", host_body{[](buffer_view<float>) {}}}.cost(
            [cost](const launch_shape&) { return cost; });
    const buffer<float> x{rt_, 10, 1.0f};
    const auto submit = [&] { return rt_.submit(costly, updates(x)); };
    const std::string told = refusal([&] {
      const future<void> made = submit();
      if (on_the_host_alone()) made.get();
    });
    EXPECT_THAT(told, AllOf(HasSubstr("Kernel \"costly\" has a cost of " + each.second),
                            HasSubstr("must be finite and not negative")));
  }
}

TEST_F(WrongArguments, AnotherNumberOfValues) {
  const std::vector<float> values(7);
  EXPECT_THAT(refusal([&] {
                const buffer<float> x{rt_, {5}, std::span<const float>(values), "input"};
              }),
              AllOf(HasSubstr("\"input\""), HasSubstr("5 elements"), HasSubstr("7 values")));
}

TEST_F(WrongArguments, ABufferThatNoMemoryCanHold) {
  constexpr std::size_t huge = std::size_t{1} << 40U;
  EXPECT_THAT(refusal([&] {
                const buffer<float, 2> x{rt_, {huge, huge}, "galaxy"};
              }),
              HasSubstr("more"));
}

TEST_F(WrongArguments, ABufferWhoseRuntimeIsGone) {
  auto other = std::make_unique<runtime>(small_machine());
  const buffer<float> x{*other, 10, 1.0f, "orphan"};
  other->wait();
  other.reset();
  EXPECT_THAT(refusal([&] { (void)x.read(); }),
              AllOf(HasSubstr("\"orphan\""), HasSubstr("after its runtime is gone")));
}

// Known gap: it throws what a map throws, and the runtime never ends.
TEST_F(WrongArguments, ABufferOfAnotherRuntime) {
  runtime other(small_machine());
  const buffer<float> x{other, 10, 1.0f, "foreign"};
  EXPECT_THAT(refusal([&] { rt_.submit(ops::fill, 0.0f, writes(x)); }), HasSubstr("\"foreign\""));
}

}  // namespace
}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <hocket/hocket.hpp>
#include <hocket/scheduler/untyped_launch.hpp>

namespace hocket {
namespace {

using detail::untyped_access;
using detail::untyped_argument;
using detail::untyped_future;
using detail::untyped_number;
using detail::untyped_parameter;
using detail::untyped_submitter;
using ::testing::Each;
using ::testing::HasSubstr;

/// The kernels come as bindings to other languages have them: without their types.
const kernel_ref& fill_of_floats() {
  return ops::fill.resolve<float, out_buffer<float>>().definition();
}
const kernel_ref& sum_of_floats() { return ops::sum.resolve<in_buffer<float>>().definition(); }

untyped_argument number(float value) { return untyped_number{scalar_argument::of(value)}; }

template <class T>
untyped_argument use(const buffer<T>& b, access_mode mode) {
  return untyped_access{b.ref(), mode};
}

/// A function of the program with one buffer of floats.
kernel_ref function_on_floats(const char* name, access_mode mode,
                              std::function<void(const host_launch&)> body) {
  const auto made = std::make_shared<kernel_definition>();
  made->name = name;
  made->parameters = {{parameter::kind::buffer, element_type::f32, mode, any_rank}};
  made->host = std::move(body);
  return made;
}

/// What submitting throws.
std::string refusal(runtime& rt, const kernel_ref& kernel,
                    const std::vector<untyped_argument>& arguments) {
  try {
    (void)untyped_submitter(rt).launch({}, kernel, arguments);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "nothing";
}

TEST(UntypedLaunch, IsOrderedWithTypedTasksAndHasAValue) {
  runtime rt;
  const buffer<float> x{rt, 100, "x"}, y{rt, 100, "y"};
  untyped_submitter untyped(rt);
  (void)untyped.launch({.label = "fill x"}, fill_of_floats(),
                       {number(2), use(x, access_mode::write)});
  const future<float> sum(untyped.launch({}, sum_of_floats(), {use(x, access_mode::read)}));
  const future<void> filled(
      untyped.launch({}, fill_of_floats(),
                     {untyped_future{sum.state(), element_type::f32}, use(y, access_mode::write)}));
  EXPECT_EQ(sum.get(), 200);
  filled.get();
  EXPECT_THAT(y.to_vector(), Each(200.0f));
}

TEST(UntypedLaunch, CallsAFunctionOfTheProgram) {
  runtime rt;
  const buffer<float> x{rt, 10, 1.0f, "x"};
  const kernel_ref function =
      function_on_floats("twice", access_mode::update, [](const host_launch& launch) {
        auto* const first = static_cast<float*>(launch.buffers[0].base);
        for (std::size_t i = 0; i < launch.buffers[0].extents[0]; ++i) first[i] *= 2;
      });
  const future<void> ended(untyped_submitter(rt).call({}, function, {use(x, access_mode::update)}));
  ended.get();
  EXPECT_THAT(x.to_vector(), Each(2.0f));
}

TEST(UntypedLaunch, FailsAsAFunctionDoes) {
  runtime rt;
  const buffer<float> x{rt, 10, 1.0f, "x"};
  const kernel_ref function = function_on_floats(
      "bad", access_mode::read, [](const host_launch&) { throw std::runtime_error("no luck"); });
  const future<void> ended(untyped_submitter(rt).call({}, function, {use(x, access_mode::read)}));
  EXPECT_THAT(ended.error().message(), HasSubstr("no luck"));
}

TEST(UntypedLaunch, RefusesWhatDoesNotFitTheSignature) {
  runtime rt;
  const buffer<float> x{rt, 10, 1.0f, "x"};
  const buffer<int> n{rt, 10, 1, "n"};
  const kernel_ref& fill = fill_of_floats();
  EXPECT_EQ(refusal(rt, fill, {number(1)}), "Kernel \"fill\" is given 1 arguments; it takes 2.");
  EXPECT_THAT(refusal(rt, fill, {number(1), number(2)}),
              HasSubstr("Argument 2 of kernel \"fill\" is a number; it has to be a buffer"));
  EXPECT_THAT(refusal(rt, fill, {number(1), use(n, access_mode::write)}),
              HasSubstr("Argument 2 of kernel \"fill\", buffer \"n\", has elements of the type"));
  EXPECT_THAT(refusal(rt, fill, {number(1), use(x, access_mode::read)}),
              HasSubstr("buffer \"x\", is passed as one that the task reads"));
  EXPECT_THAT(refusal(rt, fill, {use(x, access_mode::write), use(x, access_mode::write)}),
              HasSubstr("has to be a number"));
  EXPECT_THAT(
      refusal(rt, fill, {untyped_number{scalar_argument::of(1.0)}, use(x, access_mode::write)}),
      HasSubstr("Argument 1 of kernel \"fill\" is a number of the type"));
  EXPECT_THAT(
      refusal(rt, fill, {untyped_future{nullptr, element_type::f32}, use(x, access_mode::write)}),
      HasSubstr("future without a task"));
  const kernel_ref& product =
      ops::gemm_nn.resolve<in_buffer<float, 2>, in_buffer<float, 2>, out_buffer<float, 2>>()
          .definition();
  const untyped_argument read = use(x, access_mode::read);
  EXPECT_THAT(refusal(rt, product, {read, read, use(x, access_mode::write)}),
              HasSubstr("has 1 dimensions; the kernel takes 2"));
}

TEST(UntypedLaunch, TakesParametersOfRuns) {
  runtime rt;
  const buffer<float> x{rt, 10, "x"};
  const run_parameter<int> value{3, "value"};
  const graph fills = rt.record([&](submitter& s) {
    (void)untyped_submitter(s).launch(
        {}, fill_of_floats(), {untyped_parameter{value.state()}, use(x, access_mode::write)});
  });
  rt.run(fills).get();
  EXPECT_THAT(x.to_vector(), Each(3.0f));
  rt.run(fills, {value = 4}).get();
  EXPECT_THAT(x.to_vector(), Each(4.0f));
  EXPECT_THAT(refusal(rt, sum_of_floats(), {untyped_parameter{value.state()}}),
              HasSubstr("Argument 1 of kernel \"sum\" is a run parameter; it has to be a buffer"));
  EXPECT_THAT(
      refusal(rt, fill_of_floats(), {untyped_parameter{nullptr}, use(x, access_mode::write)}),
      HasSubstr("parameter"));
}

TEST(UntypedLaunch, AsksFunctionsOverData) {
  runtime rt;
  const buffer<float> x{rt, 10, 0.0f, "x"}, one{rt, 10, 1.0f, "one"};
  const auto below = std::make_shared<kernel_definition>();
  below->name = "below 5";
  below->parameters = {{parameter::kind::buffer, element_type::f32, access_mode::read, any_rank}};
  below->result = element_type::i64;
  below->host = [](const host_launch& launch) {
    const bool is_below = *static_cast<const float*>(launch.buffers[0].base) < 5;
    *static_cast<std::int64_t*>(launch.buffers[1].base) = is_below ? 1 : 0;
  };
  const graph adds =
      rt.record([&](submitter& s) { s.submit(ops::axpy, 1.0f, reads(one), updates(x)); });
  untyped_submitter untyped(rt);
  const auto repeat = [&](detail::choice_rule rule, std::uint64_t at_most) {
    const std::vector<untyped_argument> arguments{use(x, access_mode::read)};
    future<void>(untyped.choose({}, rule, untyped.ask({}, below, arguments), {&adds, 1}, at_most))
        .get();
    return x.read()(0);
  };
  EXPECT_EQ(repeat(detail::choice_rule::if_true, 3), 3);
  EXPECT_EQ(repeat(detail::choice_rule::if_true, 100), 5);
  EXPECT_EQ(repeat(detail::choice_rule::if_true, 100), 5);
  EXPECT_EQ(repeat(detail::choice_rule::if_false, 2), 7);  // until it is below 5
  EXPECT_THROW((void)untyped.ask({}, sum_of_floats(), {use(x, access_mode::read)}), usage_error);
}

TEST(WaitWithALook, LooksWhileItWaits) {
  runtime rt;
  std::atomic<bool> may_end = false;
  const future<void> waits = rt.async([&] {
    while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  int looks = 0;
  rt.wait([&] { may_end = ++looks == 3; });
  EXPECT_GE(looks, 3);
  EXPECT_TRUE(waits.done());
}

TEST(WaitWithALook, EndsWithWhatTheLookThrows) {
  runtime rt;
  std::atomic<bool> may_end = false;
  const future<void> waits = rt.async([&] {
    while (!may_end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  EXPECT_THROW(rt.wait([] { throw std::runtime_error("Ctrl-C"); }), std::runtime_error);
  EXPECT_FALSE(waits.done());
  may_end = true;
  rt.wait();  // a wait that an exception ended leaves nothing behind
  EXPECT_TRUE(waits.done());
}

}  // namespace
}  // namespace hocket

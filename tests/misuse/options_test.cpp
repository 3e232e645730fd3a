// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <limits>
#include <string>

#include "support.hpp"

namespace hocket {
namespace {

using hocket::testing::refusal;
using hocket::testing::small_machine;
using ::testing::AllOf;
using ::testing::HasSubstr;

class WrongOptions : public ::testing::Test {
 protected:
  runtime rt_{small_machine()};
  buffer<float> x_{rt_, 10, 1.0f, "x"};
};

TEST_F(WrongOptions, UnknownDevice) {
  EXPECT_THAT(refusal([&] { (void)rt_.device("Vulkan0"); }),
              AllOf(HasSubstr("\"Vulkan0\""), HasSubstr("NUMA0, Sim0")));
}

TEST_F(WrongOptions, ADeviceOfALargerMachine) {
  EXPECT_THAT(refusal([&] {
                rt_.submit({.on = device_handle{device_id{7}}, .label = "far"}, ops::fill, 1.0f,
                           writes(x_));
              }),
              AllOf(HasSubstr("Task \"far\""), HasSubstr("7")));
}

TEST_F(WrongOptions, ATaskThatIsTooLargeForItsDevice) {
  const buffer<float> large{rt_, 100000, "large"};
  EXPECT_THAT(
      refusal([&] {
        rt_.submit({.on = rt_.device("Sim0"), .label = "big"}, ops::fill, 1.0f, writes(large));
      }),
      AllOf(HasSubstr("Task \"big\""), HasSubstr("400000 bytes"), HasSubstr("Sim0 has 65536")));
  rt_.submit({.label = "big"}, ops::fill, 1.0f, writes(large)).get();
}

TEST_F(WrongOptions, ATaskThatIsTooLargeForEveryDevice) {
  runtime_options options = small_machine();
  options.devices = "Sim0";
  runtime sims(options);
  const buffer<float> large{sims, 100000, "large"};
  EXPECT_THAT(
      refusal([&] { sims.submit(ops::fill, 1.0f, writes(large)); }),
      AllOf(HasSubstr("Task \"fill\""), HasSubstr("400000 bytes"), HasSubstr("Sim0 has 65536")));
}

/// Why the bytes of that future are not given back.
template <class Future>
std::string refused_return(runtime& rt, const Future& taker) {
  const buffer<float> y{rt, 10, "y"};
  return refusal(
      [&] { rt.submit({.label = "next", .returns = {taker}}, ops::fill, 1.0f, writes(y)); });
}

TEST_F(WrongOptions, BytesThatAnythingElseTook) {
  runtime_options host = small_machine();
  host.devices = "NUMA0";
  runtime in_place(host), other(host), placed(small_machine());
  const buffer<float> theirs{other, 10, "theirs"}, far{placed, 10, "far"};
  const future<void> of_other = other.submit({.label = "theirs"}, ops::fill, 1.0f, writes(theirs));
  const future<void> placed_elsewhere =
      placed.submit({.label = "far"}, ops::fill, 1.0f, writes(far));
  for (runtime* const each : {&rt_, &in_place}) {
    const auto not_data = HasSubstr("which is no task with data of the same runtime");
    EXPECT_THAT(
        refused_return(*each, each->async({.label = "bare"}, [] { return 3; })),
        AllOf(HasSubstr("Task \"next\" is to give back what task \"bare\" took"), not_data));
    EXPECT_THAT(refused_return(*each, ready_future(1)), not_data);
    EXPECT_THAT(refused_return(*each, of_other), AllOf(HasSubstr("task \"theirs\""), not_data));
    EXPECT_THAT(refused_return(*each, placed_elsewhere), not_data);
    EXPECT_THAT(refused_return(*each, future<void>()), HasSubstr("future without a task"));
  }
}

TEST_F(WrongOptions, BytesThatAnythingElseTakesInAGraph) {
  const auto refuses = [&](auto make, const char* what) {
    EXPECT_THAT(refusal([&] {
                  (void)rt_.record([&](submitter& s) {
                    const auto taker = make(s);
                    s.submit({.label = "next", .returns = {taker}}, ops::fill, 1.0f, writes(x_));
                  });
                }),
                HasSubstr(what));
  };
  const graph inner = rt_.record([&](submitter& s) { s.submit(ops::fill, 2.0f, writes(x_)); });
  refuses([](submitter& s) { return s.async({.label = "bare"}, [] {}); },
          "task \"bare\" took, which is no task");
  refuses([&](submitter& s) { return s.run_if(ready_future(true), inner); },
          "which is no task with data");
  refuses([](submitter&) { return ready_future(1); }, "which is no task with data");
}

TEST_F(WrongOptions, AHostFunctionOnASimulatedDevice) {
  EXPECT_THAT(refusal([&] {
                rt_.submit(
                    {.on = rt_.device("Sim0"), .label = "print"}, [](buffer_view<const float>) {},
                    reads(x_));
              }),
              AllOf(HasSubstr("Task \"print\""), HasSubstr("host function"), HasSubstr("Sim0")));
}

TEST_F(WrongOptions, InOrderWithoutADevice) {
  EXPECT_THAT(refusal([&] {
                rt_.submit({.in_order = true, .label = "step"}, ops::fill, 1.0f, writes(x_));
              }),
              AllOf(HasSubstr("Task \"step\""), HasSubstr(".on")));
}

TEST_F(WrongOptions, AFunctionWithoutAccessesOnADeviceThatRunsNone) {
  EXPECT_THAT(refusal([&] { rt_.async({.on = rt_.device("Sim0"), .label = "log"}, [] {}); }),
              AllOf(HasSubstr("Task \"log\""), HasSubstr("Sim0")));
  EXPECT_THAT(
      refusal([&] { rt_.async({.on = device_handle{device_id{7}}, .label = "log"}, [] {}); }),
      AllOf(HasSubstr("Task \"log\""), HasSubstr("device number 7 of 2")));
  rt_.async({.on = rt_.device("NUMA0")}, [] {}).get();
}

TEST_F(WrongOptions, AFunctionWithoutAccessesThatTakesABudget) {
  const budget some(rt_, 1000);
  EXPECT_THAT(refusal([&] { rt_.async({.label = "log", .takes = some.share(1)}, [] {}); }),
              HasSubstr("Task \"log\" is a function without accesses"));
}

TEST_F(WrongOptions, AFutureWithoutATask) {
  EXPECT_THAT(
      refusal([&] { rt_.submit({.after = {future<void>()}}, ops::fill, 1.0f, writes(x_)); }),
      HasSubstr("future without a task"));
  EXPECT_THAT(refusal([&] { (void)future<float>().get(); }), HasSubstr("future without a task"));
}

// Known gap: the task runs, with a zero.
TEST_F(WrongOptions, AFutureWithoutATaskAsANumber) {
  EXPECT_THAT(refusal([&] { rt_.submit(ops::fill, future<float>(), writes(x_)); }),
              HasSubstr("future without a task"));
}

TEST_F(WrongOptions, AShareThatIsLargerThanTheBudget) {
  const budget activations(rt_, 1000);
  EXPECT_THAT(refusal([&] { (void)activations.share(1001); }),
              AllOf(HasSubstr("1001 bytes"), HasSubstr("budget of 1000")));
}

TEST_F(WrongOptions, AnUnknownBackend) {
  runtime_options options;
  options.backends = {{"quantum", "2"}};
  EXPECT_THAT(refusal([&] { (void)runtime(options).devices(); }),
              AllOf(HasSubstr("\"quantum\""), HasSubstr("cpu, ")));
}

TEST_F(WrongOptions, ABadConfiguration) {
  const auto with = [](const char* text) {
    runtime_options options;
    options.backends = {{"sim", text}};
    return options;
  };
  EXPECT_THAT(refusal([&] { (void)runtime(with("many")).devices(); }), HasSubstr("\"many\""));
  EXPECT_THAT(refusal([&] { (void)runtime(with("1,memory=lots")).devices(); }),
              AllOf(HasSubstr("\"memory\""), HasSubstr("\"lots\"")));
  EXPECT_THAT(refusal([&] { (void)runtime(with("1,colour=red")).devices(); }),
              AllOf(HasSubstr("\"colour=red\""), HasSubstr("the keys are: memory")));
}

TEST_F(WrongOptions, ATraceThatNoMemoryHolds) {
  for (const std::size_t most :
       {(std::size_t{1} << 32U) + 1, std::numeric_limits<std::size_t>::max() / 2,
        std::numeric_limits<std::size_t>::max()}) {
    runtime_options options = small_machine();
    options.trace_capacity = most;
    EXPECT_THAT(refusal([&] { const runtime rt(options); }),
                AllOf(HasSubstr("runtime_options::trace_capacity is " + std::to_string(most)),
                      HasSubstr("4294967296 at most")));
  }
}

TEST_F(WrongOptions, DelaysThatAreNone) {
  runtime_options options = small_machine();
  options.clock = clock_kind::simulated;
  for (const double probability : {2.0, -0.1, std::numeric_limits<double>::quiet_NaN()}) {
    options.delay_probability = probability;
    EXPECT_THAT(
        refusal([&] { const runtime rt(options); }),
        AllOf(HasSubstr("runtime_options::delay_probability is "), HasSubstr("from 0 to 1")));
  }
  options.delay_probability = 1;
  options.longest_delay = nanoseconds(-1);
  EXPECT_THAT(refusal([&] { const runtime rt(options); }),
              HasSubstr("runtime_options::longest_delay is -1 ns"));
  options.longest_delay = nanoseconds::max();
  runtime late(options);
  const buffer<float> x{late, 10, 1.0f, "x"};
  for (int i = 0; i < 5; ++i) late.submit(ops::fill, 2.0f, writes(x));
  EXPECT_EQ(x.to_vector().front(), 2.0f);
}

TEST_F(WrongOptions, AnUnknownNameAmongTheDevicesToUse) {
  runtime_options options;
  options.devices = "NUMA0,Vulkan9";
  EXPECT_THAT(refusal([&] { (void)runtime(options).devices(); }),
              AllOf(HasSubstr("\"NUMA0,Vulkan9\""), HasSubstr("there is no \"Vulkan9\"")));
}

}  // namespace
}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "child_program.hpp"
#include "runtimes.hpp"

namespace hocket {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using setting = testing::machine_setting;
using testing::thrown_by;

/// A folder that outlives the runtime whose checkpoints are in it.
class with_folder {
 protected:
  [[nodiscard]] fs::path folder() const { return root_ / "checkpoints"; }

  const testing::scratch_folder root_;
};

class checkpoints_test : public with_folder, public ::testing::TestWithParam<setting> {
 protected:
  /// A device that is not the host, if there is one.
  [[nodiscard]] task_options on_last() {
    const std::string last = rt.devices().back().name;
    return {.on = rt.device(last)};
  }

  runtime rt{options_for(GetParam())};
};

INSTANTIATE_TEST_SUITE_P(
    , checkpoints_test,
    ::testing::Values(setting{"in_place", "NUMA0", "", clock_kind::real, data_path::in_place},
                      setting{"host"}, setting{"devices", "NUMA0,Sim0,Sim1", "2"},
                      setting{"virtual_clock", "NUMA0,Sim0,Sim1", "2", clock_kind::simulated}),
    [](const auto& param) { return std::string(param.param.name); });

const auto add_one = kernel<inout_buffer<float>>{"add one", host_body{[](buffer_view<float> x) {
                                                   for (float& each : x) each += 1;
                                                 }}};

TEST_P(checkpoints_test, are_loaded_as_they_were_saved) {
  std::vector<double> wide(30);
  std::iota(wide.begin(), wide.end(), -4.5);
  const buffer<double, 2> first{rt, {5, 6}, wide, "first"};
  const buffer<std::uint8_t> second{rt, 3, std::uint8_t{200}, "second"};
  const buffer<std::int64_t, 3> empty{rt, {2, 0, 3}, std::int64_t{1}, "empty"};
  checkpoints saved{rt, folder()};
  EXPECT_FALSE(saved.newest());
  const auto number = saved.save({{"step", "7"}, {"seed", "1"}},
                                 {{"one", first}, {"two", second}, {"three", empty}});
  EXPECT_EQ(number.get(), 1U);

  const std::optional<saved_checkpoint> found = saved.newest();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->position, (checkpoint_position{{"seed", "1"}, {"step", "7"}}));
  const buffer<double, 2> first_again{rt, {5, 6}};
  const buffer<std::uint8_t> second_again{rt, 3};
  const buffer<std::int64_t, 3> empty_again{rt, {2, 0, 3}};
  restore(*found, {{"two", second_again}, {"one", first_again}, {"three", empty_again}});
  EXPECT_EQ(first_again.to_vector(), wide);
  EXPECT_THAT(second_again.to_vector(), ElementsAre(200, 200, 200));
}

TEST_P(checkpoints_test, have_buffers_without_types) {
  const buffer<float, 2> x{rt, {5, 6}, 4.0f, "x"};
  const buffer<std::uint8_t> empty{rt, 0, "empty"};
  checkpoints saved{rt, folder()};
  rt.submit(on_last(), ops::fill, 2.0f, writes(x));
  saved.save({}, {{"x", x.ref().data}, {"empty", empty.ref().data}}).get();
  rt.submit(on_last(), ops::fill, 3.0f, writes(x));
  restore(saved.newest().value(), {{"x", x.ref().data}, {"empty", empty.ref().data}});
  EXPECT_THAT(x.to_vector(), Each(2.0f));

  const std::vector<float> mine(10, 1.0f);
  const buffer<float> constant{rt, user_memory(mine), "constant"};
  saved.save({}, {{"constant", constant.ref().data}}).get();
  const std::string why = thrown_by<usage_error>([&] {
                            restore(saved.newest().value(), {{"constant", constant.ref().data}});
                          }).what();
  EXPECT_THAT(why, HasSubstr("constant"));
}

// A save is in the order of tasks: it has what was submitted before, and nothing of what comes
// after.
TEST_P(checkpoints_test, leave_out_the_gaps_of_memory_of_the_program) {
  std::vector<float> mine{1, 2, -1, -1, 3, 4, -1, -1, 5, 6, -7, -7};
  const std::vector<float> before = mine;
  {
    const buffer<float, 2> x{rt, user_memory(mine.data(), shape<2>{3, 2}, shape<2>{4, 1}), "x"};
    checkpoints saved{rt, folder()};
    saved.save({}, {{"x", x}}).get();
    const auto found = saved.newest();
    EXPECT_EQ(found->arrays.front().extents, (index_list{3, 2}));
    EXPECT_EQ(found->arrays.front().bytes.size(), 6 * sizeof(float));
    rt.submit(on_last(), ops::fill, 9.0F, writes(x)).get();
    restore(*found, {{"x", x}});
    EXPECT_THAT(x.to_vector(), ElementsAre(1, 2, 3, 4, 5, 6));
  }
  EXPECT_EQ(mine, before);
}

TEST_P(checkpoints_test, are_ordered_as_tasks_are) {
  constexpr int steps = 20;
  const buffer<float> x{rt, 1000, 0.0f, "x"};
  const buffer<float> result{rt, 1000, "result"};
  checkpoints saved{rt, folder(), {.keep = steps}};
  for (int i = 0; i < steps; ++i) {
    rt.submit(on_last(), add_one, updates(x));
    saved.save({{"step", std::to_string(i + 1)}}, {{"x", x}});
    rt.submit(on_last(), add_one, updates(x));
    if (i % 5 != 4) continue;
    const auto found = saved.newest();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->number, static_cast<std::uint64_t>(i + 1));
    EXPECT_EQ(found->position.at("step"), std::to_string(i + 1));
    restore(*found, {{"x", result}});
    EXPECT_THAT(result.to_vector(), Each(static_cast<float>(2 * i + 1)));
  }
  EXPECT_THAT(x.to_vector(), Each(static_cast<float>(2 * steps)));
  rt.wait();
}

TEST_P(checkpoints_test, are_restored_in_the_order_of_tasks) {
  const buffer<float> x{rt, 10, 1.0f, "x"};
  checkpoints saved{rt, folder()};
  saved.save({}, {{"x", x}});
  const auto found = saved.newest();
  rt.submit(on_last(), add_one, updates(x));
  restore(*found, {{"x", x}});
  rt.submit(on_last(), add_one, updates(x));
  EXPECT_THAT(x.to_vector(), Each(2.0f));
}

TEST_P(checkpoints_test, go_on_in_another_runtime) {
  {
    const buffer<float> x{rt, 10, 3.0f, "x"};
    checkpoints saved{rt, folder()};
    saved.save({}, {{"x", x}});
  }  // waits for it
  runtime other{options_for(GetParam())};
  const buffer<float> x{other, 10, "x"};
  restore(checkpoints{other, folder()}.newest().value(), {{"x", x}});
  EXPECT_THAT(x.to_vector(), Each(3.0f));
}

TEST_P(checkpoints_test, are_not_made_of_buffers_without_content) {
  const buffer<float> x{rt, 10, "x"}, y{rt, 10, 2.0f, "y"};
  checkpoints saved{rt, folder()};
  rt.submit([](buffer_view<float>) { throw std::runtime_error("no luck"); }, writes(x));
  const auto bad = saved.save({}, {{"x", x}, {"y", y}});
  const auto good = saved.save({{"which", "second"}}, {{"y", y}});
  EXPECT_THAT(bad.error().message(), HasSubstr("no luck"));
  EXPECT_EQ(good.get(), 1U);
  EXPECT_EQ(saved.newest()->position.at("which"), "second");
}

TEST_P(checkpoints_test, that_cannot_be_written_fail_and_do_not_stop_the_run) {
  const buffer<float> x{rt, 10, 1.0f, "x"};
  checkpoints saved{rt, folder()};
  saved.save({}, {{"x", x}});
  EXPECT_TRUE(saved.newest());
  fs::remove_all(folder());
  std::ofstream(folder()) << "no folder";
  const auto lost = saved.save({}, {{"x", x}});
  rt.submit(on_last(), add_one, updates(x));
  EXPECT_THAT(x.to_vector(), Each(2.0f));
  EXPECT_EQ(lost.error().code(), failure_code::io);
  EXPECT_EQ(thrown_by<error>([&] { (void)lost.get(); }).code(), failure_code::io);
  EXPECT_THAT(lost.error().message(),
              AllOf(HasSubstr(folder().string()), HasSubstr("Not a directory")));
}

// Functions of the program say by the same code that they cannot write a file. The other codes say
// what became of another task.
TEST_P(checkpoints_test, fail_as_functions_do_that_cannot_write) {
  const buffer<float> x{rt, 10, 1.0f, "x"};
  for (const failure_code code : {failure_code::io, failure_code::device_lost}) {
    const auto fails = [code] { throw error(failure(code, "The file \"a\" is full.")); };
    const auto expected = code == failure_code::io ? code : failure_code::task_failed;
    const future<void> alone = rt.async(fails);
    EXPECT_EQ(alone.error().code(), expected);
    EXPECT_EQ(thrown_by<error>([&] { alone.get(); }).code(), code);
    EXPECT_EQ(rt.submit([=](buffer_view<const float>) { fails(); }, reads(x)).error().code(),
              expected);
    const future<void> recorded =
        rt.run(rt.record([&](submitter& to) { to.async({.label = "recorded"}, fails); }));
    EXPECT_EQ(recorded.error().code(), expected);
  }
}

// A failed save is a failure like those of other tasks.
TEST_P(checkpoints_test, that_fail_are_not_overlooked) {
  const buffer<float> x{rt, 10, 1.0f, "x"};
  {
    checkpoints saved{rt, folder()};
    fs::remove_all(folder());
    saved.save({}, {{"x", x}});
  }
  EXPECT_THAT(thrown_by<error>([&] { rt.wait(); }).what(), HasSubstr(folder().string()));
}

TEST_P(checkpoints_test, that_fail_are_told_while_they_are_open) {
  const buffer<float> x{rt, 10, 1.0f, "x"}, y{rt, 10, "y"}, z{rt, 10, "z"};
  ::testing::internal::CaptureStderr();
  {
    checkpoints saved{rt, folder()};
    saved.save({}, {{"y", y}, {"z", z}});
    EXPECT_THAT(thrown_by<error>([&] { rt.wait(); }).what(), HasSubstr("no earlier task writes"));
    rt.wait();
    // A look at the future is enough.
    EXPECT_TRUE(saved.save({}, {{"y", y}}).error());
    rt.wait();
    fs::remove_all(folder());
    saved.save({}, {{"x", x}});
    EXPECT_THAT(thrown_by<error>([&] { rt.wait(); }).what(), HasSubstr(folder().string()));
    rt.wait();
  }
  rt.wait();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_P(checkpoints_test, behind_a_view_of_this_thread_are_not_waited_for) {
  const buffer<float> x{rt, 10, 1.0f, "x"};
  checkpoints saved{rt, folder()};
  future<std::uint64_t> first;
  {
    const auto view = x.write();
    first = saved.save({}, {{"x", x}});
    const auto refused = AllOf(HasSubstr("\"x\""), HasSubstr("checkpoint"));
    EXPECT_THAT(thrown_by<usage_error>([&] { (void)saved.newest(); }).what(), refused);
    EXPECT_THAT(thrown_by<usage_error>([&] { saved.save({}, {{"x", x}}); }).what(), refused);
    view(0) = 7;
  }
  EXPECT_EQ(first.get(), 1U);
  const auto found = saved.newest();
  EXPECT_EQ(found->number, 1U);
  restore(*found, {{"x", x}});
  EXPECT_EQ(x.read()(0), 7.0f);
}

TEST_P(checkpoints_test, behind_a_view_of_this_thread_are_cancelled_aloud) {
  const buffer<float> x{rt, 10, 1.0f, "x"};
  future<std::uint64_t> last;
  {
    const auto view = x.write();
    ::testing::internal::CaptureStderr();
    {
      checkpoints saved{rt, folder()};
      last = saved.save({}, {{"x", x}});
    }
    EXPECT_THAT(::testing::internal::GetCapturedStderr(),
                AllOf(HasSubstr("checkpoint in \"" + folder().string() + "\" is cancelled"),
                      HasSubstr("\"x\"")));
  }
  EXPECT_THAT(last.error().message(), HasSubstr("cancelled"));
}

class wrong_checkpoints : public with_folder, public ::testing::Test {
 protected:
  runtime rt{{.devices = "NUMA0", .topology = testing::machine("numa:1 core:2 pu:1")}};
};

TEST_F(wrong_checkpoints, are_refused) {
  const buffer<float, 2> x{rt, {2, 3}, 1.0f, "the buffer"};
  EXPECT_THAT(thrown_by<usage_error>([&] { checkpoints none(rt, folder(), {.keep = 0}); }).what(),
              HasSubstr("at least 1"));
  checkpoints saved{rt, folder()};
  EXPECT_THAT(thrown_by<usage_error>([&] {
                saved.save({}, {{"x", x}, {"x", x}});
              }).what(),
              HasSubstr("\"x\""));
  saved.save({}, {{"x", x}}).get();
  const saved_checkpoint found = saved.newest().value();
  const std::string file = found.file.string();

  EXPECT_THAT(thrown_by<usage_error>([&] {
                restore(found, {{"y", x}});
              }).what(),
              AllOf(HasSubstr(file), HasSubstr("no \"y\""), HasSubstr("it has \"x\"")));
  const buffer<float, 2> turned{rt, {3, 2}, 5.0f, "turned"};
  EXPECT_THAT(thrown_by<usage_error>([&] {
                restore(found, {{"x", turned}});
              }).what(),
              AllOf(HasSubstr(file), HasSubstr("2 x 3 elements of float"),
                    HasSubstr("\"turned\" has 3 x 2 elements of float")));
  const buffer<std::int32_t, 2> whole{rt, {2, 3}, 5, "whole"};
  EXPECT_THAT(thrown_by<usage_error>([&] {
                restore(found, {{"x", whole}});
              }).what(),
              HasSubstr("\"whole\" has 2 x 3 elements of int32"));
  // Nothing is changed where one of several buffers does not fit.
  rt.submit(ops::fill, 9.0f, writes(x));
  EXPECT_THROW(restore(found, {{"x", x}, {"z", x}}), usage_error);
  EXPECT_THAT(x.to_vector(), Each(9.0f));
}

TEST_F(wrong_checkpoints, of_another_runtime_are_refused) {
  runtime other{{.devices = "NUMA0", .topology = testing::machine("numa:1 core:2 pu:1")}};
  const buffer<float> x{other, 3, 1.0f, "x"};
  checkpoints saved{rt, folder()};
  EXPECT_THROW(saved.save({}, {{"x", x}}), usage_error);
}

TEST_F(wrong_checkpoints, are_of_one_owner) {
  const checkpoints first{rt, folder()};
  EXPECT_THAT(thrown_by<error>([&] { checkpoints second(rt, folder()); }).what(),
              HasSubstr("uses the folder"));
}

// An exception that leaves the block of the checkpoints leaves no half of one.
TEST_F(wrong_checkpoints, left_by_an_exception_are_whole) {
  const buffer<float> x{rt, 1000, 1.0f, "x"};
  EXPECT_THROW(
      {
        checkpoints saved(rt, folder());
        saved.save({}, {{"x", x}});
        saved.save({}, {{"x", x}});
        throw std::runtime_error("The run ends.");
      },
      std::runtime_error);
  const auto found = checkpoints{rt, folder()}.newest();
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->newer.empty());
}

/// The devices that this machine has, each alone with the host.
TEST(checkpoints_of_drivers, are_loaded_as_they_were_saved_on_every_device) {
  const testing::scratch_folder root;
  runtime rt{{.data_tasks = data_path::placed}};
  std::vector<float> values(1000);
  std::iota(values.begin(), values.end(), 0.5f);
  for (const device_info& each : rt.devices()) {
    const device_handle on = rt.device(each.name);
    const buffer<float> x{rt, {1000}, values, "x"}, y{rt, 1000, 1.0f, "y"};
    rt.submit({.on = on}, ops::axpy, 2.0f, reads(x), updates(y));
    checkpoints saved{rt, root / each.name};
    saved.save({}, {{"x", x}, {"y", y}});
    rt.submit({.on = on}, ops::fill, 0.0f, writes(x));
    rt.submit({.on = on}, ops::fill, 0.0f, writes(y));
    restore(saved.newest().value(), {{"x", x}, {"y", y}});
    rt.submit({.on = on}, ops::axpy, -2.0f, reads(x), updates(y));
    EXPECT_THAT(y.to_vector(), Each(1.0f)) << each.name;
    EXPECT_EQ(x.to_vector(), values) << each.name;
  }
}

}  // namespace
}  // namespace hocket

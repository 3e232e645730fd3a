// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/launch_planner.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace hocket {

namespace {

struct program {};

kernel_ref kernel(kernel_format format = kernel_format::glsl) {
  auto made = std::make_shared<kernel_definition>();
  made->name = "a";
  kernel_source body;
  body.format = format;
  body.passes = {{"", {1, 1, 1}, [](const launch_shape&) { return grid{1, 1, 1}; }}};
  made->sources.push_back(std::move(body));
  return made;
}

class planner : public ::testing::Test {
 protected:
  static command launch(kernel_ref of, std::uint64_t value, scalar_arguments scalars = {}) {
    launch_command what;
    what.kernel = std::move(of);
    what.scalars = std::move(scalars);
    command it;
    it.value = value;
    it.what = launch_ref(new counted_launch(std::move(what)));
    return it;
  }

  int made = 0;
  launch_planner<program, int> plans{
      {kernel_format::glsl},
      device_style::gpu,
      "X0",
      [this](const kernel_ref&, const kernel_source&,
             const program_variant&) -> result<std::shared_ptr<program>> {
        ++made;
        return std::make_shared<program>();
      }};
};

}  // namespace

TEST_F(planner, a_launch_that_comes_again_has_its_plan) {
  const kernel_ref of = kernel();
  const command first = launch(of, 1), second = launch(of, 2);
  EXPECT_FALSE(plans.prepared(first));
  EXPECT_FALSE(plans.prepare());
  EXPECT_TRUE(plans.prepared(first));
  plans.kept() = 7;
  EXPECT_TRUE(plans.prepared(second)) << "it has the program of the first";
  EXPECT_EQ(plans.kept(), 7);
  EXPECT_EQ(plans.plan().parts.front().what, second.launch()) << "the first is gone";
  EXPECT_EQ(plans.value(), 2U);
  EXPECT_EQ(made, 1);
}

TEST_F(planner, other_arguments_are_planned_anew) {
  const kernel_ref of = kernel();
  const command first = launch(of, 1, {scalar_argument::of(1.0F)});
  const command second = launch(of, 2, {scalar_argument::of(2.0F)});
  EXPECT_FALSE(plans.prepared(first));
  plans.kept() = 7;
  EXPECT_FALSE(plans.prepared(second));
  EXPECT_EQ(plans.kept(), 0);
}

TEST_F(planner, a_launch_that_cannot_be_planned_says_why) {
  const command bad = launch(kernel(kernel_format::opencl_c), 1);
  EXPECT_TRUE(plans.prepared(bad));
  EXPECT_EQ(plans.plan().why.code(), failure_code::task_failed);
}

TEST_F(planner, plans_go_with_their_kernels) {
  kernel_ref of = kernel();
  std::weak_ptr<const kernel_definition> gone = of;
  {
    const command only = launch(std::move(of), 1);
    EXPECT_FALSE(plans.prepared(only));
    EXPECT_FALSE(plans.prepare());
  }
  EXPECT_TRUE(gone.expired());
}

}  // namespace hocket

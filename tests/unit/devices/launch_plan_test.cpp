// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/launch_plan.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>

namespace hocket {

namespace {

using program = std::string;

kernel_source body(kernel_format format) {
  kernel_source made;
  made.format = format;
  made.passes = {{"", {1, 1, 1}, [](const launch_shape&) { return grid{1, 1, 1}; }}};
  return made;
}

kernel_ref kernel(const std::string& name, kernel_format format = kernel_format::glsl) {
  auto made = std::make_shared<kernel_definition>();
  made->name = name;
  made->sources.push_back(body(format));
  return made;
}

launch_plan<program> planned(const launch_command& what) {
  return plan_launch<program>(what, std::array{kernel_format::glsl}, device_style::gpu, "X0");
}

/// Makes programs that are called as their kernels, and counts them.
struct compiler {
  int made = 0;
  program_table<program> table{[this](const kernel_ref& of, const kernel_source&,
                                      const program_variant&) -> result<std::shared_ptr<program>> {
    if (of->name == "bad") return failure(failure_code::compile_failed, "It is bad.");
    ++made;
    return std::make_shared<program>(of->name);
  }};
};

}  // namespace

TEST(launch_plan, a_launch_is_one_part) {
  launch_command what;
  what.kernel = kernel("a");
  const auto plan = planned(what);
  ASSERT_FALSE(plan.why);
  ASSERT_EQ(plan.parts.size(), 1U);
  EXPECT_EQ(plan.parts.front().what, &what);
  EXPECT_EQ(plan.parts.front().source, &what.kernel->sources.front());
  EXPECT_EQ(plan.parts.front().lowered.passes.size(), 1U);
}

TEST(launch_plan, a_kernel_without_a_body_says_so) {
  launch_command what;
  what.kernel = kernel("a", kernel_format::opencl_c);
  const auto plan = planned(what);
  EXPECT_EQ(plan.why.code(), failure_code::task_failed);
  EXPECT_EQ(plan.why.message(), "Kernel \"a\" has no body for device \"X0\".");
}

TEST(launch_plan, passes_wait_for_those_whose_results_they_may_use) {
  kernel_source plain = body(kernel_format::glsl), with_scratch = plain;
  with_scratch.scratch = [](const launch_shape&) { return std::size_t{1}; };
  launch_plan<program> plan;
  const auto add = [&](const kernel_source& of, bool after_others, std::size_t passes) {
    launch_part<program>& part = plan.parts.emplace_back();
    part.source = &of;
    part.after_others = after_others;
    part.lowered.passes.resize(passes);
  };
  add(plain, true, 2);
  add(plain, false, 1);
  add(with_scratch, false, 2);
  add(with_scratch, false, 1);
  add(plain, true, 1);
  plan.parts.back().lowered.passes.front().groups = {0, 1, 1};
  add(plain, false, 1);
  add(with_scratch, false, 1);
  std::string seen;
  for_each_pass(plan, [&](std::size_t part, std::size_t pass, bool waits) {
    seen += (waits ? "|" : " ") + std::to_string(part) + "." + std::to_string(pass);
  });
  EXPECT_EQ(seen,
            " 0.0|0.1 1.0 2.0|2.1"
            "|3.0"    // the scratch memory is used
            "|5.0"    // as the part before it has to, which has no work
            " 6.0");  // the scratch memory was used before what it waits for
}

TEST(launch_plan, groups_that_are_too_large_are_refused) {
  kernel_definition kernel;
  kernel.name = "a";
  kernel_source source = body(kernel_format::glsl);
  source.passes.front().local = {8, 4, 1};
  EXPECT_FALSE(check_groups(kernel, source, {8, 4, 1}, 32, "X0"));
  const failure all = check_groups(kernel, source, {8, 4, 1}, 31, "X0");
  EXPECT_EQ(all.code(), failure_code::compile_failed);
  EXPECT_EQ(all.message(),
            "Kernel \"a\" does not compile for device \"X0\": its groups have 32 work-items, and "
            "the device allows 31.");
  EXPECT_TRUE(check_groups(kernel, source, {8, 2, 1}, 32, "X0")) << "one dimension";
}

TEST(program_table, a_program_is_made_once_for_each_kernel) {
  compiler own;
  launch_command what;
  what.kernel = kernel("a");
  auto first = planned(what);
  EXPECT_FALSE(own.table.find(first));
  EXPECT_FALSE(own.table.make(first, "device"));
  EXPECT_EQ(*first.parts.front().made, "a");
  auto second = planned(what);
  EXPECT_TRUE(own.table.find(second));
  EXPECT_EQ(second.parts.front().made, first.parts.front().made);
  EXPECT_EQ(own.made, 1);
}

TEST(program_table, says_what_is_compiled_meanwhile) {
  std::vector<compilation> seen;
  program_table<program> table(
      [&](const kernel_ref& of, const kernel_source&, const program_variant&) {
        seen = compilations_under_way();
        return result<std::shared_ptr<program>>(std::make_shared<program>(of->name));
      });
  launch_command what;
  what.kernel = kernel("a");
  auto plan = planned(what);
  EXPECT_FALSE(table.make(plan, "X0"));
  EXPECT_EQ(seen, (std::vector<compilation>{{"X0", "a"}}));
  EXPECT_TRUE(compilations_under_way().empty());
}

TEST(program_table, a_failure_is_the_launchs) {
  compiler own;
  launch_command what;
  what.kernel = kernel("bad");
  auto plan = planned(what);
  EXPECT_EQ(own.table.make(plan, "device").code(), failure_code::compile_failed);
  EXPECT_FALSE(own.table.find(plan));
}

TEST(program_table, programs_go_with_their_kernels) {
  compiler own;
  std::weak_ptr<program> gone;
  {
    launch_command what;
    what.kernel = kernel("a");
    auto plan = planned(what);
    EXPECT_FALSE(own.table.make(plan, "device"));
    gone = plan.parts.front().made;
  }
  EXPECT_FALSE(gone.expired()) << "until another is made";
  launch_command other;
  other.kernel = kernel("b");
  auto plan = planned(other);
  EXPECT_FALSE(own.table.make(plan, "device"));
  EXPECT_TRUE(gone.expired());
}

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <hocket/devices/cost_store.hpp>
#include <hocket/hocket.hpp>

#include "child_program.hpp"
#include "runtime/runtime_core.hpp"

namespace hocket {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t elements = 1 << 12;

const kernel_definition& axpy_kernel() {
  return *resolve<float, in_buffer<float>, inout_buffer<float>>(ops::axpy).definition();
}

/// Runtimes that keep costs in a folder of the test.
class kept_costs_test : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path folder() const { return scratch_ / "costs"; }
  [[nodiscard]] runtime_options host_alone(data_path way = data_path::placed) const {
    return {.devices = "NUMA0", .data_tasks = way, .costs = folder().string()};
  }
  [[nodiscard]] cost_table kept() const { return cost_store(folder().string()).load(); }

  static void compute(runtime& rt) {
    const buffer<float> x{rt, elements, 1.0F}, y{rt, elements, 2.0F};
    for (const device_info& each : rt.devices()) {
      task_options options;
      options.on = rt.device(each.name);
      for (int i = 0; i < 4; ++i) rt.submit(options, ops::axpy, 0.5F, reads(x), updates(y));
    }
    EXPECT_EQ(y.read()(0), 2.0F + 2.0F * static_cast<float>(rt.devices().size()));
  }
  /// The time that a runtime predicts for axpy on a device, before it has run anything.
  static placement::time_estimate estimate_of_axpy(runtime& rt, device_id device) {
    launch_command launch;
    launch.kernel = resolve<float, in_buffer<float>, inout_buffer<float>>(ops::axpy).definition();
    launch.cost = axpy_kernel().work_of({{elements}, {elements}});
    launch.width = axpy_kernel().width_of({{elements}, {elements}});
    placement::time_estimate made;
    rt.core()->events().inspect([&](const placement::engine& e) {
      made = e.state().costs.estimate_of(launch, device);
      EXPECT_EQ(e.state().costs.knows(launch, device), made.known != nullptr);
    });
    return made;
  }

  testing::scratch_folder scratch_;
};

TEST_F(kept_costs_test, a_later_runtime_predicts_from_them_on_every_device) {
  {
    runtime first({.data_tasks = data_path::placed, .costs = folder().string()});
    compute(first);
    EXPECT_EQ(estimate_of_axpy(first, device_id{0}).known->was_kept, false);
  }
  const cost_table all = kept();
  runtime second({.data_tasks = data_path::placed, .costs = folder().string()});
  const std::vector<device_info> devices = second.devices();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto cost = std::ranges::find_if(all.launches, [&](const launch_cost& each) {
      return each.kernel == axpy_kernel().name && each.device.ends_with(identity_of(devices[i]));
    });
    ASSERT_NE(cost, all.launches.end()) << devices[i].name;
    EXPECT_EQ(cost->definition, identity_of(axpy_kernel()));
    const placement::time_estimate now = estimate_of_axpy(second, device_id{i});
    ASSERT_NE(now.known, nullptr) << devices[i].name;
    EXPECT_TRUE(now.known->was_kept);
    EXPECT_NEAR(static_cast<double>(now.time.count()), static_cast<double>(cost->time.count()), 1);
  }
  compute(second);
}

TEST_F(kept_costs_test, are_not_read_or_written_where_nothing_is_placed) {
  fs::create_directories(folder());
  fs::permissions(folder(), fs::perms::others_all, fs::perm_options::add);  // would be said
  ::testing::internal::CaptureStderr();
  {
    runtime in_place(host_alone(data_path::in_place));
    compute(in_place);
    runtime functions({.costs = folder().string()});
    EXPECT_EQ(functions.async([] { return 7; }).get(), 7);
    runtime listed(host_alone());
    EXPECT_EQ(listed.devices().size(), 1U);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(fs::is_empty(folder()));
}

TEST_F(kept_costs_test, are_neither_kept_of_simulated_devices_nor_on_the_virtual_clock) {
  {
    runtime simulated({.devices = "Sim0", .backends = {{"sim", "1"}}, .costs = folder().string()});
    compute(simulated);
    runtime_options options = host_alone();
    options.clock = clock_kind::simulated;
    runtime virtual_clock(options);
    compute(virtual_clock);
    // Costs of the real device alone are kept.
    runtime both({.devices = "NUMA0,Sim0", .backends = {{"sim", "1"}}, .costs = "off"});
    compute(both);
  }
  EXPECT_FALSE(fs::exists(folder()));
  {
    runtime both({.devices = "NUMA0,Sim0", .backends = {{"sim", "1"}}, .costs = folder().string()});
    compute(both);
  }
  for (const launch_cost& each : kept().launches) {
    EXPECT_EQ(each.device.find("Sim0"), std::string::npos) << each.device;
  }
  for (const copy_cost& each : kept().copies) {
    EXPECT_EQ((each.from + each.to).find("Sim0"), std::string::npos) << each.to;
  }
  EXPECT_FALSE(kept().launches.empty());
}

TEST_F(kept_costs_test, are_not_kept_of_functions_which_have_no_name) {
  const kernel<inout_buffer<float>> named{"named",
                                          host_body{[](buffer_view<float> v) { v(0) = 3; }}};
  {
    runtime rt(host_alone());
    const buffer<float> x{rt, elements, 1.0F};
    for (int i = 0; i < 3; ++i) {
      rt.submit([](buffer_view<float> v) { v(0) = 2; }, updates(x));
      rt.submit(named, updates(x));
    }
    rt.wait();
  }
  const auto has = [all = kept()](const std::string& kernel) {
    return std::ranges::find(all.launches, kernel, &launch_cost::kernel) != all.launches.end();
  };
  EXPECT_TRUE(has("named"));
  EXPECT_FALSE(has(unlabelled_function));
}

TEST_F(kept_costs_test, the_variable_says_where_if_the_options_do_not) {
  const std::string before =
      std::getenv("HOCKET_COSTS") == nullptr ? "" : std::getenv("HOCKET_COSTS");
  ASSERT_EQ(::setenv("HOCKET_COSTS", folder().c_str(), 1), 0);
  {
    runtime_options options = host_alone();
    options.costs = "off";
    runtime rt(options);
    compute(rt);
  }
  EXPECT_FALSE(fs::exists(folder()));
  {
    runtime_options options = host_alone();
    options.costs = "";
    runtime rt(options);
    compute(rt);
  }
  ASSERT_EQ(::setenv("HOCKET_COSTS", before.c_str(), 1), 0);
  EXPECT_FALSE(kept().launches.empty());
}

}  // namespace
}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A memory that refuses an allocation, for each kind of access: the task or the view fails and says
// why, nothing else does, and when there is room again everything works and no byte is
// still counted as used.

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <optional>
#include <vector>

#include <hocket/devices/sim.hpp>
#include <hocket/hocket.hpp>

#include "driver_in_process.hpp"
#include "runtime/device_set.hpp"
#include "runtime/runtime_core.hpp"

namespace hocket::testing {

namespace {

constexpr std::size_t capacity = std::size_t{1} << 20U;  // bytes of the memory
constexpr std::size_t all_of_it = capacity / sizeof(float), count = all_of_it / 5;

/// A device, and what makes the memory refuse that its tasks use.
struct target {
  std::string name;
  std::string device;
  backend_configurations backends;
  data_path path = data_path::placed;
  bool refuses_host = false;    ///< the memory that views use
  bool refuses_device = false;  ///< the memory that kernels use
  std::function<void(runtime&, bool)> refuse;
};

void PrintTo(const target& t, std::ostream* out) { *out << t.name; }

void refuse_in_simulation(runtime& rt, bool on) {
  auto& device = rt.core()->connection().machine().at(device_id{0});
  dynamic_cast<sim_device&>(device).refuse_memory(on);
}

std::vector<target> targets() {
  const auto sim = [](std::string name, const std::string& more, bool shared) {
    return target{std::move(name),     "Sim0", {{"sim", "1,memory=1M" + more}},
                  data_path::placed,   shared, true,
                  refuse_in_simulation};
  };
  const auto driver = [](std::string name, const char* file, std::string device,
                         const char* backend, const std::string& more) {
    return target{std::move(name),
                  std::move(device),
                  {{backend, "memory=1M" + more}},
                  data_path::placed,
                  false,
                  true,
                  [file](runtime&, bool on) { driver_in_process(file).refuse_memory(on); }};
  };
  return {sim("sim", "", false), sim("sim_host", ",shared=yes", true),
          driver("opencl", FAKE_OPENCL, "OpenCL0", "opencl", ",import=no"),
          driver("vulkan", FAKE_VULKAN, "Vulkan0", "vulkan", ",import=no"),
          driver("vulkan_staging", FAKE_VULKAN, "Vulkan0", "vulkan", ",import=no,staging=yes")};
}

/// Something that needs memory; throws as it fails.
struct need_of_memory {
  const char* name;
  bool on_host;  ///< of the host alone, as views do
  std::function<void(runtime&, const task_options&, const buffer<float>& x, const buffer<float>& y)>
      use;
};

const need_of_memory needs[] = {
    {"reads", false,
     [](runtime& rt, const task_options& on, const buffer<float>& x, const buffer<float>&) {
       EXPECT_EQ(rt.submit(on, ops::sum, reads(x)).get(), static_cast<float>(count));
     }},
    {"writes", false,
     [](runtime& rt, const task_options& on, const buffer<float>&, const buffer<float>& y) {
       rt.submit(on, ops::fill, 3.0F, writes(y)).get();
       EXPECT_EQ(y.to_vector(), std::vector<float>(count, 3.0F));
     }},
    {"updates", false,
     [](runtime& rt, const task_options& on, const buffer<float>& x, const buffer<float>&) {
       const buffer<float> own{
           rt, {count}, std::span<const float>(std::vector<float>(count, 2.0F))};
       rt.submit(on, ops::axpy, 2.0F, reads(x), updates(own)).get();
       EXPECT_EQ(own.to_vector(), std::vector<float>(count, 4.0F));
     }},
    {"reduces", false,
     [](runtime& rt, const task_options& on, const buffer<float>& x, const buffer<float>&) {
       const buffer<float> own{
           rt, {count}, std::span<const float>(std::vector<float>(count, 2.0F))};
       rt.submit(on, ops::axpy, 1.0F, reads(x), reduces(own, plus{})).get();
       EXPECT_EQ(own.to_vector(), std::vector<float>(count, 3.0F));
     }},
    {"scratch", false,
     [](runtime& rt, const task_options& on, const buffer<float>&, const buffer<float>&) {
       rt.submit(on, ops::fill, 1.0F, scratch<float>(count)).get();
     }},
    {"write view", true,
     [](runtime&, const task_options&, const buffer<float>&, const buffer<float>& y) {
       {
         const auto view = y.write();
         ASSERT_NE(view.data(), nullptr);
         std::fill(view.begin(), view.end(), 5.0F);
       }
       EXPECT_EQ(y.to_vector(), std::vector<float>(count, 5.0F));
     }},
};

class no_memory : public ::testing::TestWithParam<target> {
 protected:
  static void SetUpTestSuite() { static const drivers_in_process all("memory"); }

  void begin() {
    runtime_options options;
    options.devices = GetParam().device;
    options.backends = GetParam().backends;
    options.data_tasks = GetParam().path;
    rt_.emplace(options);
    on_.on = rt_->device(GetParam().device);
  }

  void refuse(bool on) { GetParam().refuse(*rt_, on); }

  /// Bytes that are counted as used though nobody has them show here.
  void expect_all_memory_is_free() {
    const buffer<float> big{*rt_, all_of_it, "big"};
    const failure why = rt_->submit(on_, ops::fill, 1.0F, writes(big)).error();
    EXPECT_FALSE(why) << why.message();
  }

  std::optional<runtime> rt_;
  task_options on_;
};

TEST_P(no_memory, is_an_error_and_leaves_nothing_behind) {
  const std::vector<float> ones(count, 1.0F);
  for (const need_of_memory& need : needs) {
    if (need.on_host ? !GetParam().refuses_host : !GetParam().refuses_device) continue;
    SCOPED_TRACE(need.name);
    try {
      begin();
    } catch (const error& why) {
      GTEST_SKIP() << why.what();
    }
    {
      const buffer<float> x{*rt_, {count}, std::span<const float>(ones), "x"}, y{*rt_, count, "y"};
      rt_->wait();
      for (int times = 0; times < 3; ++times) {
        refuse(true);
        try {
          need.use(*rt_, on_, x, y);
          // What was brought for x before is there still.
          EXPECT_TRUE(GetParam().refuses_host) << "the memory refuses nothing";
        } catch (const error& why) {
          // Where a copy had no place to go to, the task did not run for that.
          EXPECT_TRUE(why.code() == failure_code::out_of_memory ||
                      why.code() == failure_code::dependency_failed)
              << why.what();
          EXPECT_NE(std::string(why.what()).find("has no memory for"), std::string::npos)
              << why.what();
        }
        refuse(false);
      }
      need.use(*rt_, on_, x, y);
      rt_->submit(on_, ops::fill, 7.0F, writes(y)).get();
      EXPECT_EQ(y.to_vector(), std::vector<float>(count, 7.0F));
    }
    expect_all_memory_is_free();
  }
}

/// Views take the host's memory unasked, so that a device of the host can be short of it too.
TEST(no_memory_of_the_host, is_an_error_of_the_view_and_leaves_nothing_behind) {
  for (const data_path path : {data_path::placed, data_path::in_place}) {
    SCOPED_TRACE(path == data_path::placed ? "placed" : "in_place");
    runtime_options options;
    options.devices = "NUMA0";
    options.backends = {{"cpu", "memory=1M"}};
    options.data_tasks = path;
    runtime rt(options);
    const std::size_t most = all_of_it / 10 * 9;
    auto first = std::make_unique<buffer<float>>(rt, most, 1.0F, "first");
    const buffer<float> second{rt, most, "second"};
    rt.wait();
    for (int times = 0; times < 3; ++times) {
      EXPECT_THROW((void)second.write(), error);
      EXPECT_TRUE(rt.submit(ops::sum, reads(second)).error()) << "nobody has written it";
    }
    EXPECT_EQ(first->read()[most - 1], 1.0F);
    first.reset();
    for (const float value : {2.0F, 3.0F}) {
      const failure why = rt.submit(ops::fill, value, writes(second)).error();
      EXPECT_FALSE(why) << why.message();
      EXPECT_EQ(second.read()[most - 1], value);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, no_memory, ::testing::ValuesIn(targets()),
                         [](const auto& each) { return each.param.name; });

}  // namespace

}  // namespace hocket::testing

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Texts that the compiler of a device refuses: other devices run the tasks.

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "comparison.hpp"

namespace hocket::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

using update_kernel = kernel<inout_buffer<float>>;

class refused_texts : public kernels_on_devices {
 protected:
  static constexpr std::size_t count = 1000;

  /// Tasks go to the host and to the device in turn.
  [[nodiscard]] runtime_options both() const {
    runtime_options made;
    made.devices = {"NUMA0", name()};
    made.policy = "round-robin";
    return made;
  }
};

update_kernel with_text(const char* label, const std::string& text) {
  const auto add = [](buffer_view<float> x) {
    for (float& each : x) each += 1;
  };
  return update_kernel{label, host_body{add}}
      .with(opencl_c{"x", text})
      .with(glsl{"x", text})
      .with(cuda_c{"x", text});
}

const update_kernel& sound() {
  static const update_kernel made =
      with_text("sound", "uint i = ITEM(0); if (i < x_extent0) x(i) += 1.0f;");
  return made;
}

update_kernel refused() { return with_text("refused", "uint i = ITEM(0);\nx(i) += undeclared;"); }

std::size_t times(const std::string& part, const std::string& in) {
  std::size_t found = 0;
  for (std::size_t at = in.find(part); at != std::string::npos; at = in.find(part, at + 1)) ++found;
  return found;
}

TEST_F(refused_texts, run_elsewhere_and_are_told_once) {
  for_each_device([&] {
    ::testing::internal::CaptureStderr();
    {
      runtime rt(both());
      const update_kernel bad = refused();
      std::vector<buffer<float>> all;
      for (int i = 0; i < 8; ++i) all.emplace_back(rt, count, 0.0F);
      for (int i = 0; i < 5; ++i) {
        for (const buffer<float>& x : all) rt.submit(bad, updates(x));
      }
      for (const buffer<float>& x : all) EXPECT_THAT(x.to_vector(), Each(5.0F)) << name();
    }
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(times("does not compile", said), 1U) << said;
    EXPECT_THAT(said, AllOf(HasSubstr("\"refused\""), HasSubstr(name()), HasSubstr("undeclared"),
                            HasSubstr("Other devices run its tasks.")));
  });
}

TEST_F(refused_texts, are_named_with_their_place) {
  for_each_device([&] {
    runtime rt({.devices = name()});
    // The second text ends before its last brace, which compilers miss behind its last line.
    for (const char* const text :
         {"uint i = ITEM(0);\nx(i) += undeclared;", "if (ITEM(0) == 0u) {\n  x(0) = 1.0f;"}) {
      const buffer<float> x{rt, count, 0.0F};
      const auto bad = update_kernel{"refused"}
                           .with(opencl_c{"x", text})
                           .with(glsl{"x", text})
                           .with(cuda_c{"x", text});
      const auto failed = rt.submit({.on = rt.device(name())}, bad, updates(x));
      ASSERT_TRUE(failed.error()) << name();
      EXPECT_EQ(failed.error().code(), failure_code::compile_failed);
      const std::string why = failed.error().message();
      EXPECT_THAT(why, HasSubstr("refused (" + std::string(__FILE__) + ":")) << name();
    }
  });
}

TEST_F(refused_texts, may_end_in_a_comment_that_goes_on) {
  for_each_device([&] {
    runtime rt({.devices = name()});
    const buffer<float> x{rt, count, 0.0F};
    const auto sound =
        with_text("sound", "uint i = ITEM(0);\nif (i < x_extent0) x(i) = 1.0f; // and so on \\");
    rt.submit({.on = rt.device(name())}, sound, updates(x)).get();
    EXPECT_EQ(x.read()[0], 1.0F) << name();
  });
}

TEST_F(refused_texts, lose_nothing_of_what_comes_before_and_after) {
  for_each_device([&] {
    for (const bool writes_all : {false, true}) {
      runtime rt(both());
      const update_kernel bad = refused();
      std::vector<buffer<float>> all;
      for (int i = 0; i < 8; ++i) all.emplace_back(rt, count, 0.0F);
      const task_options there{.on = rt.device(name())};
      for (const buffer<float>& x : all) {
        if (writes_all) std::ranges::fill(x.write(), 0.0F);
        for (int i = 0; i < 5; ++i) rt.submit(there, sound(), updates(x));
        rt.submit(bad, updates(x));
        rt.submit(there, sound(), updates(x));
        rt.submit(bad, updates(x.rows(0, count / 2)));
        rt.submit(bad, updates(x.rows(count / 2, count)));
      }
      for (const buffer<float>& x : all) EXPECT_THAT(x.to_vector(), Each(8.0F)) << name();
    }
  });
}

TEST_F(refused_texts, run_elsewhere_in_graphs_that_run_again) {
  for_each_device([&] {
    runtime rt(both());
    const update_kernel bad = refused();
    const buffer<float> x{rt, count, 0.0F}, y{rt, count, 0.0F};
    const graph recorded = rt.record([&](submitter& to) {
      for (const buffer<float>* const b : {&x, &y}) {
        to.submit(sound(), updates(*b));
        to.submit(bad, updates(*b));
        to.submit(sound(), updates(*b));
      }
    });
    for (int run = 0; run < 5; ++run) rt.run(recorded);
    EXPECT_THAT(x.to_vector(), Each(15.0F)) << name();
    EXPECT_THAT(y.to_vector(), Each(15.0F)) << name();
  });
}

TEST_F(refused_texts, fail_where_no_other_device_is) {
  for_each_device([&] {
    runtime rt({.devices = name()});
    const buffer<float> x{rt, count, 0.0F};
    const auto failed = rt.submit(refused(), updates(x));
    ASSERT_TRUE(failed.error());
    EXPECT_EQ(failed.error().code(), failure_code::compile_failed) << name();
  });
}

TEST_F(refused_texts, are_others_than_those_of_kernels_with_the_same_name) {
  for_each_device([&] {
    runtime rt(both());
    const task_options there{.on = rt.device(name())};
    const std::string text = "uint i = ITEM(0); if (i < x_extent0) x(i) += 1.0f;";
    const auto alone = update_kernel{"refused"}
                           .with(opencl_c{"x", text})
                           .with(glsl{"x", text})
                           .with(cuda_c{"x", text});
    std::vector<buffer<float>> all;
    for (int i = 0; i < 8; ++i) all.emplace_back(rt, count, 0.0F);
    for (const buffer<float>& x : all) {
      rt.submit(alone, updates(x));
      rt.submit(refused(), updates(x));
      rt.submit(alone, updates(x));
    }
    for (const buffer<float>& x : all) EXPECT_THAT(x.to_vector(), Each(3.0F)) << name();
  });
}

TEST_F(refused_texts, are_told_once_under_each_policy) {
  for_each_device([&] {
    for (const std::string& policy : placement_policies()) {
      SCOPED_TRACE(policy);
      ::testing::internal::CaptureStderr();
      {
        runtime_options options = both();
        options.policy = policy;
        runtime rt(options);
        const update_kernel kept = refused();
        std::vector<buffer<float>> all;
        for (int i = 0; i < 8; ++i) all.emplace_back(rt, count, 0.0F);
        rt.wait();
        const std::size_t filled = rt.report().devices[1].kernels;
        for (int i = 0; i < 6; ++i) {
          for (const buffer<float>& x : all) {
            rt.submit(i % 2 == 0 ? kept : refused(), updates(x));
          }
          rt.wait();
        }
        for (const buffer<float>& x : all) EXPECT_THAT(x.to_vector(), Each(6.0F));
        // In the first round, before the answer is known.
        EXPECT_LE(rt.report().devices[1].kernels - filled, all.size());
      }
      EXPECT_LE(times("does not compile", ::testing::internal::GetCapturedStderr()), 1U);
    }
  });
}

TEST_F(refused_texts, send_tasks_elsewhere_that_wait_for_the_device) {
  for_each_device([&] {
    runtime rt(both());
    std::vector<buffer<float>> all;
    for (int i = 0; i < 100; ++i) all.emplace_back(rt, count, 0.0F);
    rt.wait();
    const std::size_t filled = rt.report().devices[1].kernels;
    for (const buffer<float>& x : all) rt.submit(refused(), updates(x));
    for (const buffer<float>& x : all) EXPECT_THAT(x.to_vector(), Each(1.0F));
    // Half of them were to run there. Its lanes had a few when the first one was refused.
    EXPECT_LT(rt.report().devices[1].kernels - filled, all.size() / 4);
  });
}

TEST_F(refused_texts, fail_as_such_where_the_other_device_has_no_room) {
  for_each_device([&] {
    runtime_options options;
    options.devices = {name(), "Sim0"};
    options.backends = {{"sim", "1,memory=1K"}};
    runtime rt(options);
    const buffer<float> x{rt, count, 0.0F};
    for (int i = 0; i < 3; ++i) {
      const auto failed = rt.submit(refused(), updates(x));
      EXPECT_EQ(failed.error().code(), failure_code::compile_failed) << name();
      std::ranges::fill(x.write(), 0.0F);  // it is poisoned
    }
  });
}

TEST_F(refused_texts, leave_the_memory_of_the_device_to_others) {
  for_each_device([&] {
    runtime_options options = both();
    options.backends = {{"opencl", "memory=1M,import=no"},
                        {"vulkan", "memory=1M,import=no"},
                        {"cuda", "memory=1M"},
                        {"hip", "memory=1M"}};
    std::erase_if(options.backends, [&](const auto& each) { return each.first != backend(); });
    runtime rt(options);
    const update_kernel bad = refused();
    std::vector<buffer<float>> all;
    for (int i = 0; i < 8; ++i) all.emplace_back(rt, 100'000, 0.0F);
    for (const buffer<float>& x : all) rt.submit(bad, updates(x));
    for (const buffer<float>& x : all) {
      rt.submit({.on = rt.device(name())}, sound(), updates(x));
    }
    for (const buffer<float>& x : all) EXPECT_THAT(x.to_vector(), Each(2.0F)) << name();
  });
}

TEST_F(refused_texts, run_elsewhere_where_losses_are_survived) {
  for_each_device([&] {
    runtime_options options = both();
    options.resilience = resilience_kind::survive;
    runtime rt(options);
    const update_kernel bad = refused();
    const buffer<float> x{rt, count, 0.0F};
    for (int i = 0; i < 10; ++i) {
      rt.submit(sound(), updates(x));
      rt.submit(bad, updates(x));
    }
    EXPECT_THAT(x.to_vector(), Each(20.0F)) << name();
  });
}

}  // namespace
}  // namespace hocket::testing

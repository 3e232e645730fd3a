// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Bodies that enqueue an API's own commands, between bodies as text.

#include <atomic>
#include <numeric>
#include <stdexcept>

#include "comparison.hpp"
#include "native_copies.hpp"

namespace hocket::testing {
namespace {

class native : public kernels_on_devices {
 protected:
  static constexpr std::size_t rows = 12, columns = 7;

  [[nodiscard]] static std::vector<std::uint32_t> numbers() {
    std::vector<std::uint32_t> made(rows * columns);
    std::iota(made.begin(), made.end(), 1U);
    return made;
  }
  [[nodiscard]] static buffer<std::uint32_t, 2> matrix(runtime& rt) {
    return {rt, {rows, columns}, std::span<const std::uint32_t>(numbers()), "numbers"};
  }
};

const auto add_rows = elementwise("add", [](auto n, auto& x) { x = x + n; });

TEST_F(native, bodies_run_in_order_with_others) {
  for_each_device([&] {
    runtime rt({.devices = name()});
    const task_options on{.on = rt.device(name())};
    const native_copy copy = native_copy_kernel();
    const auto x = matrix(rt);
    const buffer<std::uint32_t, 2> y{rt, {rows, columns}, 0U, "copied"};
    for (std::uint32_t round = 0; round < 20; ++round) {
      rt.submit(on, add_rows, 1U, updates(x));
      rt.submit(on, copy, reads(x.rows(0, rows / 2)), writes(y.rows(rows / 2, rows)));
      rt.submit(on, copy, reads(y.rows(rows / 2, rows)), writes(x.rows(0, rows / 2)));
    }
    const std::vector<std::uint32_t> from = x.to_vector(), to = y.to_vector();
    for (std::size_t i = 0; i < from.size(); ++i) {
      ASSERT_EQ(from[i], i + 21) << name() << " element " << i;
      ASSERT_EQ(to[i], i < from.size() / 2 ? 0 : from[i - from.size() / 2]) << name();
    }
    EXPECT_EQ(rt.submit(on, native_first_kernel(), reads(x.rows(2, 3))).get(), 2 * columns + 21);
  });
}

TEST_F(native, bodies_are_called_for_every_launch) {
  for_each_device([&] {
    runtime rt({.devices = name()});
    std::atomic<int> calls{0};
    const native_copy copy = native_copy_kernel([&] { ++calls; });
    const auto x = matrix(rt);
    const buffer<std::uint32_t, 2> y{rt, {rows, columns}, 0U, "copied"};
    // Graphs that are run again may be one submission to the driver.
    const graph again = rt.record({.batch = true}, [&](submitter& s) {
      for (int i = 0; i < 6; ++i) {
        s.submit({.on = rt.device(name())}, add_rows, 1U, updates(x));
        s.submit({.on = rt.device(name())}, copy, reads(x), writes(y));
      }
    });
    constexpr int runs = 8;
    for (int run = 0; run < runs; ++run) {
      rt.run(again).wait();
      EXPECT_EQ(y.to_vector(), x.to_vector()) << name();
    }
    EXPECT_EQ(calls, 6 * runs) << name();
    EXPECT_EQ(x.to_vector().front(), 1U + 6 * runs) << name();
  });
}

TEST_F(native, body_that_throws_fails_its_task_alone) {
  for_each_device([&] {
    runtime rt({.devices = name()});
    const task_options on{.on = rt.device(name())};
    std::atomic<bool> throws{true};
    const native_copy copy = native_copy_kernel([&] {
      if (throws) throw std::invalid_argument("no such matrix");
    });
    const auto x = matrix(rt);
    const buffer<std::uint32_t, 2> y{rt, {rows, columns}, 0U, "copied"};
    const auto failed = rt.submit(on, copy, reads(x), writes(y));
    try {
      failed.get();
      ADD_FAILURE() << name();
    } catch (const std::invalid_argument& e) {
      EXPECT_STREQ(e.what(), "no such matrix");
    } catch (const std::exception& e) {
      EXPECT_NE(std::string(e.what()).find("Kernel \"native copy\" fails: no such matrix"),
                std::string::npos)
          << e.what();
    }
    throws = false;
    rt.submit(on, copy, reads(x), writes(y));
    EXPECT_EQ(y.to_vector(), numbers()) << name();
  });
}

TEST_F(native, bodies_come_before_texts) {
  for_each_device([&] {
    runtime rt({.devices = name()});
    std::atomic<int> calls{0};
    const std::string wrong = "uint i = ITEM(0); if (i < to_count) to_[to_offset + i] = 0u;";
    const native_copy copy = native_copy_kernel([&] { ++calls; })
                                 .with(opencl_c{"from, to", wrong})
                                 .with(glsl{"from, to", wrong})
                                 .with(cuda_c{"from, to", wrong});
    const auto x = matrix(rt);
    const buffer<std::uint32_t, 2> y{rt, {rows, columns}, 0U, "copied"};
    rt.submit({.on = rt.device(name())}, copy, reads(x), writes(y));
    EXPECT_EQ(y.to_vector(), numbers()) << name();
    EXPECT_EQ(calls, 1);
  });
}

TEST_F(native, objects_of_vulkan_are_kept_until_their_commands_have_ended) {
  for_each_device([&] {
    if (!name().starts_with("Vulkan")) return;
    std::weak_ptr<const int> object;
    {
      runtime rt({.devices = name()});
      const auto keep = kernel<inout_buffer<std::uint32_t, 2>>{"keep"}.with(
          vulkan_body{[&](const vulkan_place& on, native_view<std::uint32_t, 2>) {
            const auto made = std::make_shared<const int>(1);
            object = made;
            on.keep(made);
          }});
      const auto x = matrix(rt);
      for (int i = 0; i < 3; ++i) rt.submit({.on = rt.device(name())}, keep, updates(x));
      EXPECT_EQ(x.to_vector(), numbers());
    }
    EXPECT_TRUE(object.expired());
  });
}

TEST_F(native, body_is_no_body_of_the_host) {
  runtime rt({.devices = "NUMA0"});
  const auto x = matrix(rt);
  const buffer<std::uint32_t, 2> y{rt, {rows, columns}, 0U, "copied"};
  EXPECT_THROW(rt.submit(native_copy_kernel(), reads(x), writes(y)), usage_error);
}

}  // namespace
}  // namespace hocket::testing

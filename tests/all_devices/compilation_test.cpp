// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Kernels that drivers compile are listed by the runtime meanwhile.

#include <algorithm>
#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/hocket.hpp>

namespace hocket::testing {

TEST(compilation, is_among_what_is_pending) {
  runtime rt;
  for (const device_info& each : rt.devices()) {
    if (each.formats.empty() || each.formats.front() == kernel_format::host) continue;
    SCOPED_TRACE(each.name);
    // A number that is in no text so far, or a cache would have the program.
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto own = static_cast<float>(now.count() % 1'000'003);
    const auto fresh = elementwise("fresh", [own](auto& v) { v = v * sin(v + own) + own; });
    buffer<float> x{rt, 64, 1.0f};
    const future<void> task = rt.submit({.on = rt.device(each.name)}, fresh, updates(x));
    const compilation expected{each.name, "fresh"};
    bool seen = false;
    std::string text;
    while (!task.done() && !seen) {
      const pending_report report = rt.pending();
      seen = std::ranges::find(report.compiled, expected) != report.compiled.end();
      if (seen) text = to_string(report);
    }
    EXPECT_TRUE(seen);
    EXPECT_THAT(text, ::testing::HasSubstr(each.name + " compiles kernel \"fresh\"\n"));
    task.get();
    EXPECT_THAT(rt.pending().compiled, ::testing::Not(::testing::Contains(expected)));
  }
}

}  // namespace hocket::testing

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "any_call.hpp"

#include <gtest/gtest.h>

namespace hocket::testing {

ending run_program(const runtime_options& options, const std::string& device,
                   const std::function<bool(runtime& rt, const task_options& on)>& body) {
  ending how;
  ::testing::internal::CaptureStderr();
  try {
    runtime rt(options);
    how.right = body(rt, {.on = rt.device(device)});
  } catch (const std::exception& why) {
    how.error = why.what();
  }
  how.printed = ::testing::internal::GetCapturedStderr();
  return how;
}

std::set<long> some_of(long calls) { return {1, (calls + 1) / 2, calls}; }

std::set<long> all_of(long calls) {
  std::set<long> made;
  for (long n = 1; n <= calls; ++n) made.insert(n);
  return made;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace hocket::testing

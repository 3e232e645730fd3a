// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <hocket/core/function_ref.hpp>

namespace hocket {
namespace {

int twice(function_ref<int(int)> f) { return f(1) + f(2); }

TEST(function_ref, calls_what_it_refers_to) {
  int calls = 0;
  EXPECT_EQ(twice([&](int n) { return n + 10 * ++calls; }), 33);
  EXPECT_EQ(calls, 2);
}

TEST(function_ref, refers_to_constant_functions_and_to_ones_with_a_state) {
  const auto constant = [](int n) { return 5 * n; };
  EXPECT_EQ(twice(constant), 15);
  auto counts = [n = 0](int) mutable { return ++n; };
  EXPECT_EQ(twice(counts), 3);
  EXPECT_EQ(counts(0), 3);  // it is no copy that was called
}

TEST(function_ref, a_copy_refers_to_the_same_function) {
  int calls = 0;
  const auto count = [&] { ++calls; };
  const function_ref<void()> first = count;
  function_ref<void()> second = first;
  second();
  first();
  EXPECT_EQ(calls, 2);
}

TEST(function_ref, passes_arguments_on_as_they_are) {
  const auto take = [](std::unique_ptr<int> owned, std::string& text) {
    text += std::to_string(*owned);
  };
  std::string text = "a";
  const function_ref<void(std::unique_ptr<int>, std::string&)> passes = take;
  passes(std::make_unique<int>(4), text);
  EXPECT_EQ(text, "a4");
}

TEST(function_ref, drops_a_result_that_nobody_wants) {
  int calls = 0;
  const auto count = [&] { return ++calls; };
  function_ref<void()> ignoring = count;
  ignoring();
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "compiler.hpp"
#include "device_texts.hpp"

namespace hocket::testing {
namespace {

/// True if the compiler may add operations of its own: those of a function.
bool calls_functions(const std::string& text) {
  constexpr const char* names[] = {"exp",  "exp2", "log",  "log2", "sin",  "cos",
                                   "tan",  "EXP",  "LOG",  "sinh", "cosh", "tanh",
                                   "asin", "acos", "atan", "pow",  "fma"};
  return std::ranges::any_of(names, [&](const char* name) {
    return text.find(std::string(name) + "(") != std::string::npos;
  });
}

class cuda_text : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    auto found = cuda::load_compiler(std::nullopt, 0);
    if (!found) GTEST_SKIP() << found.error().message();
    with_.emplace(found.value());
    if (with_->architecture_for(GetParam()) != GetParam()) {
      GTEST_SKIP() << "NVRTC " << with_->version() << " does not compile for it.";
    }
  }

  static std::string architecture() { return cuda::compiler::name_of_architecture(GetParam()); }

  std::optional<cuda::compiler> with_;
};

TEST_P(cuda_text, of_every_kernel_compiles) {
  std::mt19937_64 random(1);
  std::map<std::string, bool> texts = programs_of(built_in_cases(random), *with_);
  texts.merge(programs_of(traced_cases(random), *with_));
  EXPECT_GT(texts.size(), 100u);
  for (const auto& [text, has_doubles] : texts) {
    const cuda::compiler::compiled made = with_->compile(text, architecture());
    ASSERT_EQ(made.log, "") << text;
    EXPECT_NE(made.binary.find(".entry hocket_main"), std::string::npos);
    if (calls_functions(text)) continue;
    EXPECT_EQ(made.binary.find("fma."), std::string::npos) << text;
    EXPECT_TRUE(has_doubles || made.binary.find(".f64") == std::string::npos) << text;
  }
}

TEST_P(cuda_text, with_a_mistake_is_refused_with_what_the_compiler_says) {
  const cuda::compiler::compiled made = with_->compile(
      "extern \"C\" __global__ void hocket_main() { surely_no_body = 1; }", architecture());
  EXPECT_EQ(made.binary, "");
  EXPECT_NE(made.log.find("surely_no_body"), std::string::npos) << made.log;
}

INSTANTIATE_TEST_SUITE_P(compute, cuda_text, ::testing::Values(75, 80, 90),
                         [](const auto& info) { return "of_" + std::to_string(info.param); });

}  // namespace
}  // namespace hocket::testing

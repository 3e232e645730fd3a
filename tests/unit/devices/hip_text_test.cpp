// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gtest/gtest.h>

#include "compiler.hpp"
#include "device_texts.hpp"

namespace hocket::testing {
namespace {

class hip_text : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    auto found = hip::load_compiler(std::nullopt, 0);
    if (!found) GTEST_SKIP() << found.error().message();
    with_.emplace(found.value());
  }

  std::optional<hip::compiler> with_;
};

TEST_P(hip_text, of_every_kernel_compiles) {
  std::mt19937_64 random(1);
  std::map<std::string, bool> texts = programs_of(built_in_cases(random), *with_);
  texts.merge(programs_of(traced_cases(random), *with_));
  EXPECT_GT(texts.size(), 100u);
  for (const auto& [text, has_doubles] : texts) {
    const hip::compiler::compiled made = with_->compile(text, GetParam());
    ASSERT_EQ(made.log, "") << text;
    EXPECT_EQ(made.binary.substr(1, 3), "ELF");
    EXPECT_NE(made.binary.find("hocket_main"), std::string::npos);
  }
}

TEST_P(hip_text, with_a_mistake_is_refused_with_what_the_compiler_says) {
  const hip::compiler::compiled made = with_->compile(
      "extern \"C\" __global__ void hocket_main() { surely_no_body = 1; }", GetParam());
  EXPECT_EQ(made.binary, "");
  EXPECT_NE(made.log.find("surely_no_body"), std::string::npos) << made.log;
}

INSTANTIATE_TEST_SUITE_P(offload, hip_text, ::testing::Values("gfx90a", "gfx1030"),
                         [](const auto& info) { return std::string("of_") + info.param; });

}  // namespace
}  // namespace hocket::testing

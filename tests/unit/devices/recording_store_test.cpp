// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/recording_store.hpp>

#include <gtest/gtest.h>

#include <optional>

#include "commands.hpp"

namespace hocket {

namespace {

struct recording {
  int number = 0;
  std::optional<recorded_launch> content;
  void forget() { content.reset(); }
};

class recordings : public ::testing::Test {
 protected:
  std::unique_ptr<recording> record(const launch_command& what, std::uint64_t releases,
                                    recording_use use = recording_use::again) {
    const auto fill = [](const recording& taken) {
      EXPECT_FALSE(taken.content) << "it was made empty";
      return failure();
    };
    return store.record(what, releases, use, fill).value();
  }

  int made = 0;
  recording_store<recording> store{[this]() -> result<std::unique_ptr<recording>> {
    return std::make_unique<recording>(recording{++made, std::nullopt});
  }};
};

}  // namespace

TEST_F(recordings, a_launch_that_comes_again_is_known) {
  const launch_command a = testing::nothing(), b = testing::nothing();
  EXPECT_EQ(store.take_recorded(a, 0), nullptr);
  store.give_back(record(a, 0));
  EXPECT_EQ(store.take_recorded(b, 0), nullptr) << "another kernel";
  EXPECT_EQ(store.take_recorded(a, 1), nullptr) << "a buffer was given back since";
  const auto again = store.take_recorded(a, 0);
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->number, 1);
  EXPECT_EQ(store.take_recorded(a, 0), nullptr) << "a command uses it";
}

TEST_F(recordings, what_serves_once_is_not_used_again) {
  const launch_command a = testing::nothing(), b = testing::nothing();
  store.give_back(record(a, 0, recording_use::once));
  EXPECT_EQ(store.take_recorded(a, 0), nullptr);
  store.give_back(record(b, 0));
  EXPECT_NE(store.take_recorded(b, 0), nullptr);
}

TEST_F(recordings, no_kernel_is_kept_alive) {
  std::weak_ptr<const kernel_definition> kernel;
  {
    const launch_command a = testing::nothing();
    kernel = a.kernel;
    store.give_back(record(a, 0));
  }
  EXPECT_TRUE(kernel.expired());
}

TEST_F(recordings, some_are_remembered_and_the_oldest_is_used_again) {
  std::vector<launch_command> all;
  for (int i = 0; i < 20; ++i) {
    all.push_back(testing::nothing());
    store.give_back(record(all.back(), 0));
  }
  EXPECT_EQ(made, 16);
  EXPECT_EQ(store.take_recorded(all[3], 0), nullptr);
  EXPECT_NE(store.take_recorded(all[4], 0), nullptr);
}

TEST_F(recordings, one_in_which_recording_failed_is_not_used_again) {
  const launch_command a = testing::nothing();
  const auto refuse = [](const recording&) {
    return failure(failure_code::out_of_memory, "It is full.");
  };
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(store.record(a, 0, recording_use::again, refuse).error().code(),
              failure_code::out_of_memory);
  }
  EXPECT_EQ(store.take_recorded(a, 0), nullptr);
  EXPECT_EQ(made, 20);
  EXPECT_EQ(record(a, 0)->number, 21);
}

}  // namespace hocket

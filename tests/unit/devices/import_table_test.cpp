// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/import_table.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>

namespace hocket {

TEST(import_table, knows_an_allocation_until_it_is_forgotten) {
  std::array<std::byte, 64> memory{};
  const allocation host{memory.data(), memory.size()}, other{memory.data() + 32, 32};
  import_table<std::shared_ptr<int>> table;
  EXPECT_EQ(table.find(host), nullptr);
  const auto import = std::make_shared<int>(1);
  table.add(host, import);
  const auto* const found = table.find(host);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(*found, import);
  EXPECT_EQ(table.find(other), nullptr) << "it begins elsewhere";
  table.add(other, nullptr);
  EXPECT_EQ(table.find(host), found) << "it stays where it is";
  table.forget(host);
  EXPECT_EQ(table.find(host), nullptr);
  EXPECT_EQ(import.use_count(), 1) << "it was given back";
  table.forget(host);
}

TEST(import_table, a_later_import_takes_the_place_of_an_earlier_one) {
  std::array<std::byte, 64> memory{};
  import_table<int> table;
  table.add({memory.data(), 32}, 1);
  table.add({memory.data(), 64}, 2);
  EXPECT_EQ(*table.find({memory.data(), 64}), 2);
}

}  // namespace hocket

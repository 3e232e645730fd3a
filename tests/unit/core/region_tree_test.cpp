// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/region_tree.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

namespace hocket {
namespace {

/// A tree that regions are cut out of, as its users do it.
class cut_tree {
 public:
  explicit cut_tree(const index_list& extents) : tree_(box::whole(extents), 0) {}

  void write(const box& region, int value) {
    box here = tree_.whole();
    write_below(tree_.top(), here, region, value, 0);
    if (!tree_.is_too_deep()) return;
    ++rebalanced_;
    tree_.rebalance([](region_node<int>&) {}, [](region_node<int>&, box&) {});
  }

  [[nodiscard]] std::size_t depth() const { return depth_of(tree_.top()); }
  [[nodiscard]] std::size_t leaves() const { return tree_.leaves(); }
  [[nodiscard]] std::size_t rebalanced() const { return rebalanced_; }
  /// The state of an element, and how many elements are in leaves.
  [[nodiscard]] int at(const index_list& element) {
    box one{element, element};
    for (std::size_t& end : one.end) ++end;
    const region_node<int>* found = &tree_.top();
    while (!found->is_leaf()) {
      const auto& [cut, lower, upper] = *found->below;
      found = element[cut.along] < cut.at ? &lower : &upper;
    }
    return found->state;
  }

 private:
  void write_below(region_node<int>& at, box& here, const box& region, int value,
                   std::size_t depth) {
    if (contains(region, here)) {
      tree_.unite(at);
      at.state = value;
      return;
    }
    if (at.is_leaf()) tree_.divide(at, here, region, depth);
    each_overlapping(*at.below, here, region, [&](region_node<int>& part, box& there) {
      write_below(part, there, region, value, depth + 1);
    });
  }
  static std::size_t depth_of(const region_node<int>& at) {
    if (at.is_leaf()) return 0;
    return 1 + std::max(depth_of(at.below->lower), depth_of(at.below->upper));
  }

  region_tree<int> tree_;
  std::size_t rebalanced_ = 0;
};

std::vector<std::size_t> shuffled(std::size_t count) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937{3});
  return order;
}

TEST(region_tree, of_rows_is_balanced_in_any_order) {
  constexpr std::size_t rows = 1000, size = 3;
  for (const bool in_order : {true, false}) {
    cut_tree tree({rows * size, 5});
    std::vector<std::size_t> order = shuffled(rows);
    if (in_order) std::sort(order.begin(), order.end());
    for (const std::size_t row : order) tree.write({{row * size, 0}, {(row + 1) * size, 5}}, 1);
    EXPECT_EQ(tree.leaves(), rows);
    EXPECT_LE(tree.depth(), std::bit_width(rows));
  }
}

TEST(region_tree, of_tiles_is_balanced_in_any_order) {
  constexpr std::size_t side = 30, size = 4;
  cut_tree tree({side * size, side * size});
  for (const std::size_t at : shuffled(side * side)) {
    const std::size_t r = at / side * size, c = at % side * size;
    tree.write({{r, c}, {r + size, c + size}}, 1);
  }
  EXPECT_EQ(tree.leaves(), side * side);
  EXPECT_LE(tree.depth(), 2 * std::bit_width(side));
}

/// What is left to do of a factorization: each region lies in a corner of the one before.
TEST(region_tree, stays_shallow_when_regions_shrink) {
  constexpr std::size_t side = 600;
  cut_tree tree({side, side});
  std::size_t deepest = 0;
  for (std::size_t k = 0; k < side; ++k) {
    tree.write({{k, k}, {side, side}}, static_cast<int>(k));
    deepest = std::max(deepest, tree.depth());
  }
  EXPECT_GT(tree.rebalanced(), 0U);
  EXPECT_LE(deepest, 160U);
  EXPECT_LE(tree.leaves(), 2 * side * std::bit_width(side));
  for (std::size_t r = 0; r < side; r += 7) {
    for (std::size_t c = 0; c < side; c += 11) {
      ASSERT_EQ(tree.at({r, c}), static_cast<int>(std::min(r, c)));
    }
  }
}

TEST(region_tree, stays_shallow_when_regions_shrink_from_all_sides) {
  constexpr std::size_t steps = 300, side = 2 * steps;
  cut_tree tree({side, side});
  std::size_t deepest = 0;
  for (std::size_t k = 0; k < steps; ++k) {
    tree.write({{k, k}, {side - k, side - k}}, static_cast<int>(k));
    deepest = std::max(deepest, tree.depth());
  }
  EXPECT_LE(deepest, 200U);
  EXPECT_LE(tree.leaves(), 8 * steps * std::bit_width(side));
  for (std::size_t r = 0; r < side; r += 7) {
    for (std::size_t c = 0; c < side; c += 11) {
      const std::size_t frame = std::min({r, c, side - 1 - r, side - 1 - c});
      ASSERT_EQ(tree.at({r, c}), static_cast<int>(frame));
    }
  }
}

}  // namespace
}  // namespace hocket

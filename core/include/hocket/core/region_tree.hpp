// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hocket/core/piece.hpp>
#include <hocket/core/shape.hpp>

namespace hocket {

/// Divides a box: its lower part ends, and its upper part begins, at an index of one dimension.
struct region_cut {
  std::size_t along;
  std::size_t at;
};

/// A cut of the box `leaf`, which `region` overlaps and does not contain: what of the region is in
/// the leaf lies on one side of it. If the leaf contains the region along the dimension of the cut,
/// the cut is the one nearest to the middle of the leaf that is a multiple of the size of the
/// region away from it: tiles of one size make a balanced tree, in any order.
[[nodiscard]] region_cut cut_around(const box& leaf, const box& region) noexcept;

/// A cut of `whole` that leaves few of the boxes, which partition it, on each side, and goes
/// through few of them. There are at least two boxes; on each side are fewer.
[[nodiscard]] region_cut cut_evenly(const box& whole, std::span<const box* const> boxes);

/// A node of a binary tree over a box. Interior nodes cut their box in two; the leaves partition
/// it. What the state of an interior node means is its user's affair.
template <class State>
struct region_node {
  struct fork;

  region_node() = default;
  explicit region_node(State initial) : state(std::move(initial)) {}
  region_node(const region_node& other)
      : state(other.state), below(other.below ? std::make_unique<fork>(*other.below) : nullptr) {}
  region_node& operator=(const region_node& other) { return *this = region_node(other); }
  region_node(region_node&&) noexcept = default;
  region_node& operator=(region_node&&) noexcept = default;
  ~region_node() = default;

  [[nodiscard]] bool is_leaf() const noexcept { return below == nullptr; }

  State state{};
  std::unique_ptr<fork> below;  ///< null: a leaf
};

template <class State>
struct region_node<State>::fork {
  region_cut cut;
  region_node lower;
  region_node upper;
};

/// Calls visit(part, here) for each of the two parts of the fork that overlaps the region, with its
/// box. `here` is the box of the fork, before and after.
template <class Fork, class Visit>
void each_overlapping(Fork& fork, box& here, const box& region, Visit&& visit) {
  const auto [along, at] = fork.cut;
  if (region.begin[along] < at) {
    const std::size_t end = std::exchange(here.end[along], at);
    visit(fork.lower, here);
    here.end[along] = end;
  }
  if (region.end[along] > at) {
    const std::size_t begin = std::exchange(here.begin[along], at);
    visit(fork.upper, here);
    here.begin[along] = begin;
  }
}

/// The root of such a tree, which keeps it shallow: functions that walk it may be recursive. Where
/// it becomes too deep, because boxes were cut again and again at their borders, it is built anew.
template <class State>
class region_tree {
 public:
  using node = region_node<State>;

  region_tree(const box& whole, State initial)
      : whole_(whole), top_(std::move(initial)), leaves_(whole.empty() ? 0 : 1) {}

  [[nodiscard]] const box& whole() const noexcept { return whole_; }
  [[nodiscard]] node& top() noexcept { return top_; }
  [[nodiscard]] const node& top() const noexcept { return top_; }
  /// None of an empty box.
  [[nodiscard]] std::size_t leaves() const noexcept { return leaves_; }

  /// Cuts a leaf with the box `here` around a region; both parts get its state, and it has a new
  /// one. depth: how many nodes are above the leaf.
  void divide(node& leaf, const box& here, const box& region, std::size_t depth) {
    using fork = typename node::fork;
    auto made = std::make_unique<fork>(fork{cut_around(here, region), node(leaf.state), {}});
    made->upper.state = std::exchange(leaf.state, State());
    leaf.below = std::move(made);
    ++leaves_;
    if (depth >= max_depth_) [[unlikely]]
      too_deep_ = here;
  }

  /// Makes one leaf of all that is below the node.
  void unite(node& at) noexcept {
    if (at.is_leaf()) return;
    leaves_ -= count_leaves(at) - 1;
    at.below.reset();
  }

  /// Drops the cut of a node that has a leaf on one side, if a cut below it makes it needless: the
  /// same side of that one, and all that lies between the two, are leaves for which equal(leaf,
  /// first leaf) is true. What is left of a box that is cut off again and again at the same corner
  /// is so kept by a few cuts. may_drop(node) is asked of each node that would get a larger box.
  template <class Equal, class MayDrop>
  void drop_needless_cut(node& at, const Equal& equal, const MayDrop& may_drop) {
    auto& [cut, lower, upper] = *at.below;
    if (lower.is_leaf() == upper.is_leaf()) return;
    const bool is_lower = lower.is_leaf();
    const State& first = (is_lower ? lower : upper).state;
    node& rest = is_lower ? upper : lower;
    const node* next = &rest;
    // A box has two sides along each dimension: between so many cuts two are of the same one.
    for (std::size_t left = 2 * whole_.rank(); left > 0 && !next->is_leaf(); --left) {
      if (!may_drop(*next)) return;
      const auto& [next_cut, next_lower, next_upper] = *next->below;
      const bool is_lower_equal = next_lower.is_leaf() && equal(next_lower.state, first);
      const bool is_upper_equal = next_upper.is_leaf() && equal(next_upper.state, first);
      if (next_cut.along == cut.along && (is_lower ? is_lower_equal : is_upper_equal)) {
        node kept = std::move(rest);
        at = std::move(kept);
        --leaves_;
        return;
      }
      if (!is_lower_equal && !is_upper_equal) return;
      next = is_lower_equal ? &next_upper : &next_lower;
    }
  }

  /// True if rebalance() is to be called, once no node is in use. Only divide() makes it so.
  [[nodiscard]] bool is_too_deep() const noexcept { return too_deep_.has_value(); }

  /// Builds the smallest part of the tree anew that is much deeper than it has to be, of its
  /// leaves, some of which may be cut by that. The states of interior nodes in it are lost.
  /// before(node) and after(node, here) are called with the root of that part.
  template <class Before, class After>
  [[gnu::noinline]] void rebalance(const Before& before, const After& after) {
    std::vector<step> path = path_to(*std::exchange(too_deep_, std::nullopt));
    const std::size_t depth = depth_to_rebuild(path);
    auto& [at, here] = path[depth];
    before(*at);
    pieces all;
    gather(*at, here, all);
    node built;
    const std::size_t height = build(built, here, std::move(all));
    leaves_ = leaves_ - count_leaves(*at) + count_leaves(built);
    *at = std::move(built);
    // Some arrangements of boxes need deep trees: then it is not tried again soon.
    if (2 * height > path.size() - depth) max_depth_ += usual_depth / 2;
    after(*at, here);
  }

 private:
  using pieces = std::vector<piece<const State*>>;
  struct step {
    node* at;
    box here;
  };

  /// Regular tilings stay below 64, whatever the size of the box.
  static constexpr std::size_t usual_depth = 96;
  static constexpr std::size_t all_of_them = std::numeric_limits<std::size_t>::max();

  /// At most about `limit`: what is beyond is not looked at.
  static std::size_t count_leaves(const node& at, std::size_t limit = all_of_them) noexcept {
    if (at.is_leaf()) return 1;
    const std::size_t lower = count_leaves(at.below->lower, limit);
    return lower >= limit ? lower : lower + count_leaves(at.below->upper, limit - lower);
  }

  /// From the root to the node of that box, or to a leaf that it is in.
  std::vector<step> path_to(const box& target) {
    std::vector<step> path{{&top_, whole_}};
    while (!path.back().at->is_leaf()) {
      step next = path.back();
      auto& [cut, lower, upper] = *next.at->below;
      if (target.end[cut.along] <= cut.at) {
        next.at = &lower;
        next.here.end[cut.along] = cut.at;
      } else if (target.begin[cut.along] >= cut.at) {
        next.at = &upper;
        next.here.begin[cut.along] = cut.at;
      } else {
        break;
      }
      path.push_back(std::move(next));
    }
    return path;
  }

  /// Of the node on the path whose part of the tree is to be built anew: the one that saves most
  /// levels for each leaf that is below it, and so many levels that it is not soon too deep again.
  static std::size_t depth_to_rebuild(const std::vector<step>& path) {
    constexpr std::size_t least_gain = 24;
    std::size_t leaves = count_leaves(*path.back().at);
    std::size_t best = 0, best_gain = 0, best_leaves = 1, limit = all_of_them;
    for (std::size_t depth = path.size() - 1; depth > 0 && leaves < limit; --depth) {
      const auto& [cut, lower, upper] = *path[depth - 1].at->below;
      leaves += count_leaves(&lower == path[depth].at ? upper : lower, limit);
      // About what is left of them.
      const auto levels = 2 * static_cast<std::size_t>(std::bit_width(leaves));
      if (path.size() - depth < levels + least_gain) continue;
      const std::size_t gain = path.size() - depth - levels;
      if (gain * best_leaves <= best_gain * leaves) continue;
      best = depth - 1;
      best_gain = gain;
      best_leaves = leaves;
      // A part with more leaves would save less for each, even if no level were left of it.
      limit = best_leaves * path.size() / best_gain;
    }
    return best;
  }

  static void gather(const node& at, box& here, pieces& all) {
    if (at.is_leaf()) {
      all.push_back({here, &at.state});
    } else {
      each_overlapping(*at.below, here, here,
                       [&](const node& part, box& there) { gather(part, there, all); });
    }
  }

  /// Returns how many nodes are above the deepest leaf.
  static std::size_t build(node& to, box& here, pieces&& from) {
    if (from.size() == 1) {
      to.state = *from.front().state;
      return 0;
    }
    std::vector<const box*> boxes;
    boxes.reserve(from.size());
    for (const auto& each : from) boxes.push_back(&each.region);
    const region_cut cut = cut_evenly(here, boxes);
    pieces lower, upper;
    lower.reserve(from.size());
    upper.reserve(from.size());
    for (const auto& each : from) {
      if (each.region.begin[cut.along] < cut.at) {
        lower.push_back(each);
        std::size_t& end = lower.back().region.end[cut.along];
        end = std::min(end, cut.at);
      }
      if (each.region.end[cut.along] > cut.at) {
        upper.push_back(each);
        std::size_t& begin = upper.back().region.begin[cut.along];
        begin = std::max(begin, cut.at);
      }
    }
    pieces().swap(from);
    to.below = std::make_unique<typename node::fork>(typename node::fork{cut, {}, {}});
    std::size_t height = 0;
    each_overlapping(*to.below, here, here, [&](node& part, box& there) {
      pieces& its = &part == &to.below->lower ? lower : upper;
      height = std::max(height, build(part, there, std::move(its)));
    });
    return height + 1;
  }

  box whole_;
  node top_;
  std::size_t leaves_;
  std::size_t max_depth_ = usual_depth;
  std::optional<box> too_deep_;  ///< of a node at that depth
};

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include <hocket/core/region_tree.hpp>
#include <hocket/core/shape.hpp>

namespace hocket {

/// A state for every element of a box, kept by pieces: disjoint boxes that partition it, the leaves
/// of a tree. All regions that are asked about lie in that box. Most often one piece is all of it.
/// An operation costs the logarithm of the number of pieces, and something for each piece in its
/// region.
template <class State>
class region_map {
 public:
  region_map(const box& whole, State initial) : tree_(whole, std::move(initial)) {}

  /// How many pieces there are.
  [[nodiscard]] std::size_t size() const noexcept { return tree_.leaves(); }

  /// Calls function(box, state) for the part of each piece that lies in region.
  template <class Function>
  void visit(const box& region, Function&& function) const {
    if (tree_.leaves() == 1) {
      if (!region.empty()) function(region, tree_.top().state);
      return;
    }
    if (!region.empty()) visit_many(region, function);
  }

  /// True if holds(state) for every piece that has a part in region.
  template <class Predicate>
  [[nodiscard]] bool all(const box& region, Predicate&& holds) const {
    if (tree_.leaves() == 1) return region.empty() || holds(tree_.top().state);
    return region.empty() || all_below(tree_.top(), region, holds);
  }

  /// Calls function(state) for each piece that has a part in region.
  template <class Function>
  void each(const box& region, Function&& function) const {
    (void)all(region, [&](const State& state) {
      function(state);
      return true;
    });
  }

  /// True if holds(state) for some piece.
  template <class Predicate>
  [[nodiscard]] bool any(Predicate&& holds) const {
    return !all(tree_.whole(), [&](const State& state) { return !holds(state); });
  }

  /// The state of the piece that is all of the box; null if there are several.
  [[nodiscard]] State* only() { return tree_.leaves() == 1 ? &tree_.top().state : nullptr; }
  [[nodiscard]] const State* only() const { return const_cast<region_map*>(this)->only(); }

  /// The state of the piece that is region; null if there is none.
  [[nodiscard]] State* exact(const box& region) {
    if (tree_.leaves() != 1) return exact_of_many(region);
    return contains(region, tree_.whole()) ? &tree_.top().state : nullptr;
  }

  /// Calls function(state) for the pieces in region, cut so that none reaches out of it. Joins
  /// neighbours in the tree that are equal afterwards.
  template <class Function>
  void change(const box& region, Function&& function) {
    change_leaves<false>(region, function);
  }

  /// Calls function(state) for the pieces that overlap region, and may so change more than the
  /// region: a piece is cut only if all of the region is within it. Tiles that overlap their
  /// neighbours by a few elements do not cut those into many pieces.
  template <class Function>
  void change_about(const box& region, Function&& function) {
    change_leaves<true>(region, function);
  }

  /// Calls function(state) for every piece.
  template <class Function>
  void change_all(Function&& function) {
    if (tree_.leaves() > 0) change_below(tree_.top(), function);
  }

  /// Gives all elements of the region one state.
  void replace(const box& region, const State& state) {
    if (region.empty()) return;
    change_pieces<false>(region, [&](node& at) {
      tree_.unite(at);
      at.state = state;
      return true;
    });
  }

  /// Joins neighbours in the tree that are equal, also such as only a needless cut keeps apart: if
  /// all pieces are equal, one is left.
  void merge_equal() { join_all(tree_.top()); }

 private:
  using node = region_node<State>;

  // The loops over many pieces are kept out of the way of the common case.
  template <class Function>
  [[gnu::noinline]] void visit_many(const box& region, Function& function) const {
    box here = tree_.whole();
    visit_below(tree_.top(), here, region, function);
  }
  template <class Function>
  static void visit_below(const node& at, box& here, const box& region, Function& function) {
    if (at.is_leaf()) {
      function(intersection(here, region), at.state);
    } else {
      each_overlapping(*at.below, here, region, [&](const node& part, box& there) {
        visit_below(part, there, region, function);
      });
    }
  }

  template <class Predicate>
  static bool all_below(const node& at, const box& region, Predicate& holds) {
    if (at.is_leaf()) return holds(at.state);
    const auto& [cut, lower, upper] = *at.below;
    return (region.begin[cut.along] >= cut.at || all_below(lower, region, holds)) &&
           (region.end[cut.along] <= cut.at || all_below(upper, region, holds));
  }

  [[gnu::noinline]] State* exact_of_many(const box& region) {
    node* at = &tree_.top();
    box here = tree_.whole();
    while (!at->is_leaf()) {
      auto& [cut, lower, upper] = *at->below;
      if (region.end[cut.along] <= cut.at) {
        here.end[cut.along] = cut.at;
        at = &lower;
      } else if (region.begin[cut.along] >= cut.at) {
        here.begin[cut.along] = cut.at;
        at = &upper;
      } else {
        return nullptr;
      }
    }
    return here == region ? &at->state : nullptr;
  }

  template <bool IsAbout, class Function>
  void change_leaves(const box& region, Function& function) {
    if (region.empty()) return;
    change_pieces<IsAbout>(region, [&](node& at) {
      if (!at.is_leaf()) return false;
      function(at.state);
      return true;
    });
  }

  /// Calls function(node) for the highest nodes that are in region, cut so that none reaches out of
  /// it; where it returns false, for those below. IsAbout: as change_about() cuts.
  template <bool IsAbout, class Function>
  [[gnu::noinline]] void change_pieces(const box& region, const Function& function) {
    box here = tree_.whole();
    change_within<IsAbout>(tree_.top(), here, region, 0, function);
    if (!tree_.is_too_deep()) [[likely]]
      return;
    tree_.rebalance([](node&) {}, [](node&, box&) {});
  }
  template <bool IsAbout, class Function>
  void change_within(node& at, box& here, const box& region, std::size_t depth,
                     const Function& function) {
    if (contains(region, here) || (IsAbout && at.is_leaf() && !contains(here, region))) {
      if (function(at)) return;
    } else if (at.is_leaf()) {
      tree_.divide(at, here, region, depth);
    }
    each_overlapping(*at.below, here, region, [&](node& part, box& there) {
      change_within<IsAbout>(part, there, region, depth + 1, function);
    });
    join(at);
  }

  template <class Function>
  static void change_below(node& at, Function& function) {
    if (at.is_leaf()) return function(at.state);
    change_below(at.below->lower, function);
    change_below(at.below->upper, function);
  }

  void join_all(node& at) {
    if (at.is_leaf()) return;
    join_all(at.below->lower);
    join_all(at.below->upper);
    join(at);
    if (at.is_leaf()) return;
    tree_.drop_needless_cut(at, std::equal_to<State>(), [](const node&) { return true; });
  }
  /// Makes a leaf of the node if its parts are equal leaves.
  void join(node& at) {
    auto& [cut, lower, upper] = *at.below;
    if (!lower.is_leaf() || !upper.is_leaf() || !(lower.state == upper.state)) return;
    at.state = std::move(lower.state);
    tree_.unite(at);
  }

  region_tree<State> tree_;
};

}  // namespace hocket

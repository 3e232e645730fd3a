// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <span>
#include <utility>

#include "data/domain_node.hpp"
#include "data/edge_list.hpp"
#include "data/in_place_history.hpp"
#include "data/in_place_node.hpp"

namespace hocket::detail {

/// Enters a node in the histories of the buffers that it uses, and finds what it has to wait for.
/// Only while these are locked. There is a reference to the node for each use, which is taken.
class edge_finder {
 public:
  /// The histories are those within the domain, where it has some; null: there is no domain.
  edge_finder(in_place_node& node, edge_list& found, domain_node* within) noexcept
      : node_(node), found_(found), within_(within) {}

  [[gnu::always_inline]] void find_for(const in_place_use& use) {
    if (!use.empty()) [[likely]] {
      enter(use);
    } else {
      intrusive_ptr_release(&node_);
    }
  }

 private:
  static constexpr auto is_in_place = [](const in_place_node_ptr& node) {
    return !node->has_left();
  };

  [[gnu::always_inline]] void enter(const in_place_use& use) {
    in_place_history& data = *use.data->order();
    node_accesses* history = &data.history();
    if (within_ != nullptr) [[unlikely]] {
      if (node_accesses* const inside = within_->accesses_to(data)) history = inside;
    }
    if (use.part != nullptr || history->is_divided()) [[unlikely]]
      return enter_part(use, *history);
    bool decides = false;
    const auto depend = [&](auto&& earlier, edge_kind by, const box*)
        __attribute__((always_inline)) {
      return add_edge(std::forward<decltype(earlier)>(earlier), by, decides);
    };
    history->append_to_all(in_place_node_ptr(&node_, false), use.mode, is_in_place, depend);
    if (!data.is_sound() && !decides && reads_content(use.mode)) [[unlikely]]
      ask_about(use);
  }

  [[gnu::noinline]] void enter_part(const in_place_use& use, node_accesses& history) {
    bool is_covered = false;
    const auto depend = [&](auto&& earlier, edge_kind by, const box* there) {
      bool decides = false;
      const bool is_there = add_edge(std::forward<decltype(earlier)>(earlier), by, decides);
      if (decides && (there == nullptr || contains(*there, use.where()))) is_covered = true;
      return is_there;
    };
    history.append(in_place_node_ptr(&node_, false), use.part, use.data->whole(), use.mode,
                   is_in_place, depend);
    if (!is_covered) ask_about(use);
  }

  /// Adds an edge unless the earlier node has left its place: then it returns false. Sets decides
  /// if that node alone decides on what is read.
  template <class Earlier>
  [[gnu::always_inline]] bool add_edge(Earlier&& earlier, edge_kind by, bool& decides) {
    if (earlier.get() == &node_) {
      // The node has replaced the content that it reads: only the content state knows the older
      // one.
      if (by == edge_kind::content) node_.before().ask_when_poisoned();
      return true;
    }
    if (earlier->has_left()) return false;
    if (node_.kind().asks_itself) [[unlikely]] {
      // Within a nested domain and within a run each task looks for poison itself.
      if (!node_.is_ordered_with(*earlier)) {
        found_.add_place(std::forward<Earlier>(earlier), host_edge::kind::order);
      }
      return true;
    }
    const bool binds = depends_on_content(*earlier, by);
    decides = decides || binds;
    found_.add_place(std::forward<Earlier>(earlier),
                     binds ? host_edge::kind::content : host_edge::kind::order);
    return true;
  }

  /// True if the edge is to content.
  [[nodiscard]] bool depends_on_content(const in_place_node& earlier, edge_kind by) {
    if (by == edge_kind::order) return false;
    // A domain that ended well may leave poisoned content, and a view that was refused leaves what
    // there was: only the content state knows.
    if (earlier.kind().may_leave_content) node_.before().ask_when_poisoned();
    return true;
  }

  /// No task that is under way decides on what the use reads.
  void ask_about(const in_place_use& use) {
    if (node_.kind().asks_itself || !reads_content(use.mode)) return;
    if (!use.data->order()->is_sound()) node_.before().ask_when_poisoned();
  }

  in_place_node& node_;
  edge_list& found_;
  domain_node* within_;
};

}  // namespace hocket::detail

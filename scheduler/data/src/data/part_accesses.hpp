// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <hocket/core/region_tree.hpp>
#include <hocket/core/shape.hpp>

namespace hocket::detail {

/// How a task depends on an earlier one.
enum class edge_kind : std::uint8_t {
  content,  ///< it reads what the earlier one writes: fails with it
  order,    ///< it replaces what the earlier one reads or writes: only has to be issued after it
};

/// The accesses to the parts of one buffer that a later task could depend on: for each part the
/// last writer, and the readers since. An access costs the logarithm of the number of parts, and
/// something for each access that is reported. See access_history for Task, depend and live.
///
/// Only writes divide the buffer. A reader stands in all leaves that it overlaps; where it reads
/// all that is below a node, it stands there alone until a part of that is written.
template <class Task>
class part_accesses {
 public:
  /// All of the buffer was last written by writer, if it is one, and not read.
  part_accesses(const box& all, Task writer) : tree_(all, {std::move(writer), {}}) {}

  /// Appends a read, and reports the writers that it depends on.
  template <class Depend>
  void read(const Task& task, const box& region, edge_kind kind, const Depend& depend) {
    box here = tree_.whole();
    reporter<Depend> report{kind, depend};
    read_below(tree_.top(), here, {task, region}, false, report);
  }

  /// Appends a write, and reports the writers and, if they are asked for, the readers that it
  /// depends on.
  template <class Depend>
  void write(const Task& task, const box& region, edge_kind kind, bool after_readers,
             const Depend& depend) {
    box here = tree_.whole();
    reporter<Depend> report{kind, depend};
    report.tells_readers = after_readers;
    write_below(tree_.top(), here, {task, region}, 0, report);
    if (tree_.is_too_deep()) [[unlikely]]
      rebalance();
  }

  /// Forgets all tasks that concern no later one any more, if there may be many of them: doubling
  /// keeps the cost constant for each access.
  template <class Live>
  void tidy(const Live& live) {
    if (tree_.leaves() + readers_ < tidy_at_) return;
    tidy_below(tree_.top(), live);
    tidy_at_ = std::max<std::size_t>(16, 2 * (tree_.leaves() + readers_));
  }

  /// Calls visit(task) for each access.
  template <class Visit>
  void each(const Visit& visit) const {
    each_below(tree_.top(), visit);
  }

 private:
  struct access {
    Task task;
    box region;
  };
  /// The tasks that use the box of one node of the tree.
  struct uses {
    Task writer{};                ///< of a leaf: the last one; none: no task has to wait for it
    std::vector<access> readers;  ///< since then

    [[nodiscard]] bool is_empty() const noexcept { return writer == Task() && readers.empty(); }
  };
  using node = region_node<uses>;

  template <class Depend>
  struct reporter {
    edge_kind kind;
    const Depend& depend;
    bool tells_readers = false;
    Task last{};  ///< neighbours often have the same writer
    bool is_last_live = true;

    /// Forgets the writer of a leaf if it concerns no later task any more.
    void tell_writer(uses& leaf, const box& here) {
      if (leaf.writer == Task()) return;
      if (leaf.writer != last) {
        last = leaf.writer;
        is_last_live = depend(std::as_const(leaf.writer), kind, &here);
      }
      if (!is_last_live) leaf.writer = Task();
    }
    void tell_readers(const uses& of) const {
      if (!tells_readers) return;
      for (const access& each : of.readers) {
        (void)depend(each.task, edge_kind::order, &each.region);
      }
    }
  };

  template <class Depend>
  void read_below(node& at, box& here, const access& reader, bool stands_above,
                  reporter<Depend>& report) {
    const bool stands_here = !stands_above && (at.is_leaf() || contains(reader.region, here));
    if (stands_here) add_reader(at.state, reader);
    if (at.is_leaf()) return report.tell_writer(at.state, here);
    const bool is_covered = stands_above || stands_here;
    each_overlapping(*at.below, here, reader.region, [&](node& part, box& there) {
      read_below(part, there, reader, is_covered, report);
    });
    if (is_covered) unite_if_unused(at);
  }

  template <class Depend>
  void write_below(node& at, box& here, const access& writer, std::size_t depth,
                   reporter<Depend>& report) {
    if (contains(writer.region, here)) {
      report_below(at, here, report);
      tree_.unite(at);
      at.state.writer = writer.task;
      return;
    }
    if (at.is_leaf()) {
      tree_.divide(at, here, writer.region, depth);
      readers_ += at.below->lower.state.readers.size();
      each_overlapping(*at.below, here, here,
                       [&](node& part, box& there) { drop_readers_outside(part.state, there); });
    } else {
      push_down_readers(at);
    }
    each_overlapping(*at.below, here, writer.region, [&](node& part, box& there) {
      write_below(part, there, writer, depth + 1, report);
    });
  }

  /// Reports all that is in the box of a node, and forgets its readers.
  template <class Depend>
  void report_below(node& at, box& here, reporter<Depend>& report) {
    report.tell_readers(at.state);
    readers_ -= at.state.readers.size();
    at.state.readers.clear();
    if (at.is_leaf()) return report.tell_writer(at.state, here);
    each_overlapping(*at.below, here, here,
                     [&](node& part, box& there) { report_below(part, there, report); });
  }

  void add_reader(uses& to, const access& reader) {
    to.readers.push_back(reader);
    ++readers_;
  }
  void push_down_readers(node& at) {
    for (const access& each : at.state.readers) {
      add_reader(at.below->lower.state, each);
      add_reader(at.below->upper.state, each);
    }
    drop_readers(at.state, [](const access&) { return true; });
  }
  void drop_readers_outside(uses& of, const box& here) {
    drop_readers(of, [&](const access& each) { return !overlap(each.region, here); });
  }
  template <class Condition>
  void drop_readers(uses& of, const Condition& drops) {
    readers_ -= std::erase_if(of.readers, drops);
  }

  void unite_if_unused(node& at) {
    const auto is_unused = [](const node& part) { return part.is_leaf() && part.state.is_empty(); };
    if (is_unused(at.below->lower) && is_unused(at.below->upper)) tree_.unite(at);
  }

  template <class Live>
  void tidy_below(node& at, const Live& live) {
    drop_readers(at.state, [&](const access& each) { return !live(each.task); });
    if (at.is_leaf()) {
      if (at.state.writer != Task() && !live(at.state.writer)) at.state.writer = Task();
      return;
    }
    tidy_below(at.below->lower, live);
    tidy_below(at.below->upper, live);
    unite_if_unused(at);
    if (at.is_leaf() || !at.state.readers.empty()) return;
    const auto are_unused = [](const uses& a, const uses& b) {
      return a.is_empty() && b.is_empty();
    };
    const auto has_no_readers = [](const node& each) { return each.state.readers.empty(); };
    tree_.drop_needless_cut(at, are_unused, has_no_readers);
  }

  template <class Visit>
  static void each_below(const node& at, const Visit& visit) {
    if (at.state.writer != Task()) visit(at.state.writer);
    for (const access& each : at.state.readers) visit(each.task);
    if (at.is_leaf()) return;
    each_below(at.below->lower, visit);
    each_below(at.below->upper, visit);
  }

  /// Only leaves are kept where the tree is built anew, and each may be cut.
  [[gnu::noinline]] void rebalance() {
    // The count changes only once the part is built: that may fail for want of memory.
    std::size_t replaced = 0;
    const auto before = [&](node& at) {
      push_down_all_readers(at);
      replaced = readers_below(at);
    };
    const auto after = [&](node& at, box& here) {
      readers_ += readers_below(at);
      readers_ -= replaced;
      keep_readers_inside(at, here);
    };
    tree_.rebalance(before, after);
  }
  void push_down_all_readers(node& at) {
    if (at.is_leaf()) return;
    push_down_readers(at);
    push_down_all_readers(at.below->lower);
    push_down_all_readers(at.below->upper);
  }
  static std::size_t readers_below(const node& at) noexcept {
    if (at.is_leaf()) return at.state.readers.size();
    return readers_below(at.below->lower) + readers_below(at.below->upper);
  }
  void keep_readers_inside(node& at, box& here) {
    if (at.is_leaf()) return drop_readers_outside(at.state, here);
    each_overlapping(*at.below, here, here,
                     [&](node& part, box& there) { keep_readers_inside(part, there); });
  }

  region_tree<uses> tree_;
  std::size_t readers_ = 0;   ///< entries for them in all nodes
  std::size_t tidy_at_ = 16;  ///< entries and leaves
};

}  // namespace hocket::detail

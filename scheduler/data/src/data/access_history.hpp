// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <hocket/core/access.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/core/shape.hpp>

#include "data/seeded_bug.hpp"

namespace hocket::detail {

/// How a task depends on an earlier one.
enum class edge_kind : std::uint8_t {
  content,  ///< it reads what the earlier one writes: fails with it
  order,    ///< it replaces what the earlier one reads or writes: only has to be issued after it
};

/// The accesses to one buffer that a later task could depend on, in the order of submission. What a
/// later access replaces is cut out of an earlier one; an access is forgotten when nothing is left
/// of it, or when its task has ended. Task is what names a task.
template <class Task>
class basic_access_history {
 public:
  /// Appends an access and reports what it depends on: depend(earlier, edge_kind), or with the
  /// region of the earlier one for a third. The same earlier task may be reported twice. live(task)
  /// tells whether it has not ended.
  template <class Live, class Depend>
  void append(const Task& task, const box& region, access_mode mode, const Live& live,
              const Depend& depend) {
    append(task, region, mode, live, live, depend);
  }

  /// The same, where what has read may be forgotten earlier than what has written.
  template <class Live, class Reads, class Depend>
  void append(const Task& task, const box& region, access_mode mode, const Live& live,
              const Reads& reads, const Depend& depend) {
    const bool bound = reads_content(mode) && !seeded_bug(bug::forget_writers);
    report(writers_, region, bound ? edge_kind::content : edge_kind::order, depend);
    if (!writes_content(mode)) {
      readers_.push_back({task, region});
    } else {
      if (!seeded_bug(bug::forget_readers)) report(readers_, region, edge_kind::order, depend);
      replace(task, region);
    }
    if (writers_.size() + readers_.size() < tidy_at_) return;
    forget([&](const Task& each) { return !live(each); },
           [&](const Task& each) { return !reads(each); });
    // Doubling keeps the cost of tidying constant for each access.
    tidy_at_ = std::max<std::size_t>(16, 2 * (writers_.size() + readers_.size()));
  }

  /// The first task, in order of submission, that still has to use the buffer; none if there is
  /// none.
  template <class Unissued>
  [[nodiscard]] Task next_user(const Unissued& unissued) const {
    Task first;
    for (const auto* entries : {&writers_, &readers_}) {
      for (const entry& e : *entries) {
        if (e.task < first && unissued(e.task)) first = e.task;
      }
    }
    return first;
  }

  /// The same without those that have only read.
  [[nodiscard]] basic_access_history writers() const {
    basic_access_history made;
    made.writers_ = writers_;
    return made;
  }

  /// Calls visit(task, region) for each that has written what is there.
  template <class Visit>
  void each_writer(const box& region, const Visit& visit) const {
    for (const entry& e : writers_) {
      if (overlap(e.region, region)) visit(e.task, intersection(e.region, region));
    }
  }

  /// Calls expand(task, region, add) for each that has written what is there: if it returns true,
  /// those that it has called add(task, region) for come in its place.
  template <class Expand>
  void expand_writers(const Expand& expand) {
    std::vector<entry> others;
    std::erase_if(writers_, [&](const entry& e) {
      return expand(e.task, e.region, [&](const Task& task, const box& region) {
        others.push_back({task, region});
      });
    });
    writers_.insert(writers_.end(), others.begin(), others.end());
  }

  /// Forgets what tasks have written and read for which the one or the other is true.
  template <class Writer, class Reader>
  void forget(const Writer& writer_gone, const Reader& reader_gone) {
    std::erase_if(writers_, [&](const entry& e) { return writer_gone(e.task); });
    std::erase_if(readers_, [&](const entry& e) { return reader_gone(e.task); });
  }
  [[nodiscard]] bool empty() const noexcept { return writers_.empty() && readers_.empty(); }

 private:
  struct entry {
    Task task;
    box region;
  };

  template <class Depend>
  static void report(const std::vector<entry>& entries, const box& region, edge_kind kind,
                     const Depend& depend) {
    for (const entry& earlier : entries) {
      if (!overlap(earlier.region, region)) continue;
      if constexpr (std::is_invocable_v<const Depend&, const Task&, edge_kind, const box&>) {
        depend(earlier.task, kind, earlier.region);
      } else {
        depend(earlier.task, kind);
      }
    }
  }

  void replace(const Task& task, const box& region) {
    // Later tasks depend on this one, and through it on everything it replaces.
    cut_out(readers_, region);
    if (writers_.size() == 1 && writers_.front().region == region) {
      writers_.front().task = task;  // as it mostly is
      return;
    }
    cut_out(writers_, region);
    writers_.push_back({task, region});
  }

  static void cut_out(std::vector<entry>& entries, const box& region) {
    if (entries.empty()) return;
    std::vector<entry> remains;
    std::erase_if(entries, [&](const entry& e) {
      if (!overlap(e.region, region)) return false;
      if (contains(region, e.region)) return true;
      for (const box& rest : difference(e.region, region)) remains.push_back({e.task, rest});
      return true;
    });
    entries.insert(entries.end(), remains.begin(), remains.end());
  }

  std::vector<entry> writers_;
  std::vector<entry> readers_;
  std::size_t tidy_at_ = 16;
};

using access_history = basic_access_history<task_id>;

}  // namespace hocket::detail

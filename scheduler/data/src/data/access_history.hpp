// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <hocket/core/access.hpp>
#include <hocket/core/shape.hpp>

#include "data/part_accesses.hpp"
#include "data/seeded_bug.hpp"

namespace hocket::detail {

/// The accesses to one buffer that a later task could depend on, in the order of submission. What a
/// later access replaces is cut out of an earlier one; an access is forgotten when nothing is left
/// of it, or when its task concerns no later one any more. As long as tasks use the whole buffer,
/// no boxes are compared: the first access to a part divides it, and a write of the whole ends
/// that. Task names a task; one that is made by default names none. No thread, lock or clock is in
/// it.
template <class Task>
class access_history {
 public:
  /// Appends an access to a part of the buffer, null for all of it, and reports what it depends on:
  /// depend(earlier, edge_kind, part) with a part that the earlier task uses, null for all. An
  /// earlier task that the history does not need any more is given as an rvalue. The same task may
  /// be reported twice, and the one that is appended too. depend returns, as live(task) does,
  /// whether the earlier task may still concern a later one. all: the box of the buffer.
  template <class Live, class Depend>
  void append(Task task, const box* part, const box& all, access_mode mode, const Live& live,
              const Depend& depend) {
    if (!is_divided()) [[likely]] {
      if (part == nullptr) [[likely]]
        return append_to_all(std::move(task), mode, live, depend);
      divide(all);
    }
    append_to_part(task, part != nullptr ? *part : all, mode, live, depend);
    if (part == nullptr && writes_content(mode)) begin_anew(std::move(task));
  }

  /// False if only all of the buffer was used since all of it was written.
  [[nodiscard]] bool is_divided() const noexcept { return parts_ != nullptr; }
  /// Appends an access to all of a buffer that is not divided, as append() does.
  template <class Live, class Depend>
  [[gnu::always_inline]] void append_to_all(Task&& task, access_mode mode, const Live& live,
                                            const Depend& depend) {
    if (writes_content(mode)) {
      if (writer_ != Task()) (void)depend(std::move(writer_), kind_of(mode), nullptr);
      if (!readers_.empty()) [[unlikely]] {
        if (!seeded_bug(bug::forget_readers)) {
          for (Task& each : readers_) (void)depend(std::move(each), edge_kind::order, nullptr);
        }
        readers_.clear();
      }
      writer_ = std::move(task);
      return;
    }
    if (readers_.size() >= tidy_at_) [[unlikely]]
      tidy(live);
    readers_.push_back(std::move(task));
    if (writer_ == Task()) return;
    const Task& writer = writer_;
    if (!depend(writer, kind_of(mode), nullptr)) writer_ = Task();
  }

  /// The task concerns no later one any more. Optional: it saves reports.
  void forget(const Task& task) noexcept {
    if (writer_ == task) writer_ = Task();
  }

  /// Calls visit(task) for each task that a later one could depend on, perhaps more than once.
  template <class Visit>
  void each(const Visit& visit) const {
    if (writer_ != Task()) visit(writer_);
    for (const Task& reader : readers_) visit(reader);
    if (parts_ != nullptr) parts_->each(visit);
  }

 private:
  static edge_kind kind_of(access_mode mode) {
    const bool bound = reads_content(mode) && !seeded_bug(bug::forget_writers);
    return bound ? edge_kind::content : edge_kind::order;
  }

  template <class Live>
  [[gnu::noinline]] void tidy(const Live& live) {
    std::erase_if(readers_, [&](const Task& each) { return !live(each); });
    tidy_at_ = next_tidying(readers_.size());
  }
  /// Doubling keeps the cost of tidying constant for each access.
  [[nodiscard]] static std::size_t next_tidying(std::size_t left) {
    return std::max<std::size_t>(16, 2 * left);
  }

  [[gnu::noinline]] void divide(const box& all) {
    parts_ = std::make_unique<part_accesses<Task>>(all, std::exchange(writer_, Task()));
    const auto ignore = [](const Task&, edge_kind, const box*) { return true; };
    for (const Task& each : readers_) parts_->read(each, all, edge_kind::order, ignore);
    readers_.clear();
  }

  void begin_anew(Task&& writer) {
    parts_.reset();
    writer_ = std::move(writer);
  }

  template <class Live, class Depend>
  [[gnu::noinline]] void append_to_part(const Task& task, const box& region, access_mode mode,
                                        const Live& live, const Depend& depend) {
    if (writes_content(mode)) {
      const bool after_readers = !seeded_bug(bug::forget_readers);
      parts_->write(task, region, kind_of(mode), after_readers, depend);
    } else {
      parts_->read(task, region, kind_of(mode), depend);
    }
    parts_->tidy(live);
  }

  Task writer_{};  ///< the last one of the whole buffer; none: no task has to wait for it
  std::vector<Task> readers_;                   ///< of the whole buffer, since then
  std::size_t tidy_at_ = 16;                    ///< entries
  std::unique_ptr<part_accesses<Task>> parts_;  ///< if not null, used instead of these
};

}  // namespace hocket::detail

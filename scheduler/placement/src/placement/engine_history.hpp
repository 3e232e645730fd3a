// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "data/access_history.hpp"
#include "placement/request.hpp"

namespace hocket::placement {

using detail::access_history;
using detail::bug;
using detail::edge_kind;
using detail::seeded_bug;

/// The access history of one buffer. As long as tasks use the whole buffer, no boxes are compared;
/// the first access to a part switches to access_history, a write of the whole buffer back.
class engine_history {
 public:
  /// Appends an access and reports what it depends on, as access_history does. all: the box of the
  /// buffer.
  template <class Live, class Depend>
  void append(task_id task, const task_access& access, const box& all, const Live& live,
              const Depend& depend) {
    if (parts_ == nullptr) {
      if (access.is_all) return append_to_all(task, access.mode, live, depend);
      divide(all);
    }
    parts_->append(task, access.region(), access.mode, live, depend);
    if (access.is_all && writes_content(access.mode)) begin_anew(task);
  }

  /// The task has ended, and later tasks need not be ordered behind it. Optional: it saves edges.
  void ended(task_id task) noexcept {
    if (writer_ == task) writer_ = {};
  }

  /// The first task, in order of submission, that still has to use the buffer; none if there is
  /// none.
  template <class Unissued>
  [[nodiscard]] task_id next_user(const Unissued& unissued) const {
    if (parts_ != nullptr) return parts_->next_user(unissued);
    task_id first;
    const auto look = [&](task_id each) {
      if (each.valid() && each < first && unissued(each)) first = each;
    };
    look(writer_);
    std::ranges::for_each(readers_, look);
    return first;
  }

 private:
  template <class Live, class Depend>
  void append_to_all(task_id task, access_mode mode, const Live& live, const Depend& depend) {
    const bool bound = reads_content(mode) && !seeded_bug(bug::forget_writers);
    if (writer_.valid()) depend(writer_, bound ? edge_kind::content : edge_kind::order);
    if (writes_content(mode)) {
      if (!seeded_bug(bug::forget_readers)) {
        for (const task_id reader : readers_) depend(reader, edge_kind::order);
      }
      readers_.clear();
      writer_ = task;
      return;
    }
    if (readers_.size() >= tidy_at_) tidy(live);
    readers_.push_back(task);
  }

  template <class Live>
  [[gnu::noinline]] void tidy(const Live& live) {
    std::erase_if(readers_, [&](task_id each) { return !live(each); });
    // Doubling keeps the cost of tidying constant for each access.
    tidy_at_ = std::max<std::size_t>(16, 2 * readers_.size());
  }

  [[gnu::noinline]] void divide(const box& all) {
    parts_ = std::make_unique<access_history>();
    const auto nobody = [](auto&&...) { return true; };
    if (writer_.valid()) parts_->append(writer_, all, access_mode::write, nobody, nobody);
    for (const task_id reader : readers_) {
      parts_->append(reader, all, access_mode::read, nobody, nobody);
    }
  }

  void begin_anew(task_id writer) {
    parts_.reset();
    readers_.clear();
    writer_ = writer;
  }

  task_id writer_;                ///< the last one of the whole buffer
  std::vector<task_id> readers_;  ///< of the whole buffer, since then
  std::size_t tidy_at_ = 16;
  std::unique_ptr<access_history> parts_;  ///< if not null, used instead of these
};

}  // namespace hocket::placement

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <memory>

#include <hocket/core/error.hpp>
#include <hocket/core/function_ref.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/core/region_map.hpp>
#include <hocket/core/shape.hpp>

namespace hocket {

/// Where the content of a part of a buffer comes from.
struct origin {
  bool written = false;
  task_id writer;  ///< the task that wrote it last, or failed to; none: its name is not kept
  failure poison;  ///< why it must not be read; empty: it may

  [[nodiscard]] bool sound() const noexcept { return written && !poison; }

  friend bool operator==(const origin& a, const origin& b) noexcept {
    return a.written == b.written && a.writer == b.writer && !a.poison && !b.poison;
  }
};

/// The state of the content of one buffer, part by part, in the order in which tasks commit: which
/// parts are written, by which task, and which are poisoned and why. A new state is unwritten.
/// Regions lie in the buffer. Functions that divide the buffer into parts take the box of all of it
/// first; as long as one origin holds for all of the buffer, no boxes are kept. Not thread-safe. A
/// copy is a snapshot.
class content_state {
 public:
  content_state() = default;
  content_state(const content_state& other)
      : whole_(other.whole_),
        parts_(other.parts_ ? std::make_unique<parts>(*other.parts_) : nullptr) {}
  content_state& operator=(const content_state& other) { return *this = content_state(other); }
  content_state(content_state&&) noexcept = default;
  content_state& operator=(content_state&&) noexcept = default;
  ~content_state() = default;

  /// The task wrote the region: a poison is healed.
  void write(const box& all, const box& region, task_id task) {
    replace(all, region, {.written = true, .writer = task, .poison = {}});
  }
  /// The task was to write the region and did not: it is poisoned, whatever it held.
  void poison(const box& all, const box& region, task_id task, const failure& why) {
    replace(all, region, {.written = true, .writer = task, .poison = why});
  }
  /// The content of the region is lost: written parts are poisoned; an older failure stays.
  void lose(const box& all, const box& region, const failure& why);
  /// Poisons all of the buffer, without the name of a task. Allocates nothing.
  void poison_all(const failure& why) noexcept;

  [[nodiscard]] bool is_written(const box& region) const;
  /// Why the region must not be read: the first failure found; empty if there is none.
  [[nodiscard]] failure poison_of(const box& region) const;
  /// True if every part is written and not poisoned.
  [[nodiscard]] bool is_sound() const;

  /// Forgets the names of tasks for which is_live is false, as far as they divide the buffer, and
  /// joins parts that no longer differ. Returns whether others are left.
  bool forget_writers(function_ref<bool(task_id)> is_live);

  /// Calls function(box, origin) for each part of the region with one origin.
  template <class Function>
  void visit(const box& region, Function&& function) const {
    if (parts_ != nullptr) return parts_->visit(region, function);
    if (!region.empty()) function(region, whole_);
  }

  /// The origin of all of the buffer; null if its parts differ. Valid until the next change.
  [[nodiscard]] origin* only() noexcept { return parts_ == nullptr ? &whole_ : nullptr; }
  /// In how many parts it is kept. Neighbours that no longer differ become one sooner or later, and
  /// all of them at once if none differs from another.
  [[nodiscard]] std::size_t parts_count() const noexcept {
    return parts_ == nullptr ? 1 : parts_->size();
  }

 private:
  using parts = region_map<origin>;

  void replace(const box& all, const box& region, origin&& now);
  [[nodiscard]] parts& divide(const box& all);
  void end_division_if_equal();

  origin whole_;
  std::unique_ptr<parts> parts_;  ///< if not null, used instead
};

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

#include <hocket/execution/executor.hpp>
#include <hocket/execution/item_local.hpp>

namespace hocket {

/// Says, while it lives, what the calling stack is working on. The notes of one stack form a list,
/// innermost first, which goes with an item that is suspended. Only that stack reads the list.
class item_note {
 public:
  enum class kind : std::uint8_t {
    task,    ///< what is a task of the scheduler
    run,     ///< what is the slot of a worker in a run of a graph
    chain,   ///< what is a pointer to the task at hand; the item runs one task after another
    launch,  ///< what is a counted_launch that a host stream performs
    context  ///< what is a context of the scheduler, whose tasks the stack runs while it waits
  };

  item_note(kind of, const void* what) noexcept : kind_(of), what_(what), outer_(innermost()) {
    set_item_local(this);
  }
  item_note(const item_note&) = delete;
  item_note& operator=(const item_note&) = delete;
  ~item_note() { set_item_local(outer_); }

  [[nodiscard]] static item_note* innermost() noexcept {
    return static_cast<item_note*>(item_local());
  }
  [[nodiscard]] kind of() const noexcept { return kind_; }
  [[nodiscard]] const void* what() const noexcept { return what_; }
  [[nodiscard]] const item_note* outer() const noexcept { return outer_; }

 private:
  kind kind_;
  const void* what_;
  item_note* outer_;
};

/// What the bare item is called with that the calling stack is in. Null outside of items, in items
/// with memory of their own, and over the seeded executor.
[[nodiscard]] void* bare_item_at_hand() noexcept;

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include <hocket/execution/inbox.hpp>

namespace hocket {

/// Steps events through a handler one after another, on whatever threads they come from: who posts
/// to a strand that nobody owns becomes its owner and steps. There are never two owners, and never
/// an event without one. Events of one thread are stepped in the order in which it posted them.
/// Before a strand is destroyed, owned() must be false and nobody may post any more.
template <class Event, class Atomics = real_atomics>
class strand {
 public:
  using handler = std::function<void(Event&&)>;

  /// step must not throw. later is called by an owner that goes away with events left; it arranges
  /// that resume() is called once, soon, on any thread, and must not throw. bound is the number of
  /// events that one call of post or resume steps at most.
  strand(handler step, std::function<void()> later, std::size_t bound)
      : step_(std::move(step)), later_(std::move(later)), bound_(bound) {}

  /// Steps event here, and up to bound events in all, if nobody owns the strand; else leaves it to
  /// the owner. A handler may post to its own strand: the event is stepped after it has returned.
  void post(Event event) {
    if (inbox_.poll()) {
      step_(std::move(event));
      step_all(1);
    } else if (inbox_.push(std::move(event))) {
      resume();
    }
  }

  /// Never steps here: for threads of a driver, which have to be back soon.
  void post_only(Event event) {
    if (inbox_.push(std::move(event))) give_away();
  }

  /// For any thread: false once every event was stepped and the owner has gone; it then touches the
  /// strand no more. What the last event tells a thread is not enough: its owner is still here.
  [[nodiscard]] bool owned() const noexcept { return inbox_.attended(); }

  /// Called once for each call of later, by what that arranged: the caller is the owner now.
  void resume() noexcept { step_all(0); }

 private:
  /// The caller owns the strand, and has stepped so many.
  void step_all(std::size_t stepped) noexcept {
    while (!inbox_.leave()) {
      if (stepped++ == bound_) return give_away();
      step_(inbox_.pop());
    }
  }

  // An owner that could not hand over would leave events behind for ever: better to end here.
  void give_away() noexcept { later_(); }

  handler step_;
  std::function<void()> later_;
  std::size_t bound_;
  inbox<Event, Atomics> inbox_;
};

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <utility>

#include <hocket/execution/inbox.hpp>

namespace hocket {

/// Steps events through a handler one after another, on whatever threads they come from: a thread
/// that posts to a strand without an owner becomes the owner and steps. There are never two owners,
/// and never an event without one. Events of one thread are stepped in the order in which it posted
/// them. Before a strand is destroyed it must have no owner, and no thread may post any more.
///
/// The handler has, called by the owner alone:
/// - begin_run(), before one or several events that are stepped together;
/// - step(Event&&);
/// - end_run(), after them. What it posts to this strand is stepped afterwards;
/// - resume_later(), when `bound` events were stepped and others are left: it arranges that
///   resume() is called once, soon, on any thread. Must not throw.
template <class Event, class Handler, class Atomics = real_atomics, class Memory = heap_memory>
class strand {
 public:
  /// The handler is kept by reference. bound: so many events one call of post() or resume() steps
  /// at most.
  strand(Handler& handler, std::size_t bound) noexcept : handler_(handler), bound_(bound) {}

  /// Steps the event here, and up to `bound` events in all, if the strand has no owner; else leaves
  /// it to the owner. A handler may post to its own strand.
  void post(Event&& event) {
    if (inbox_.poll()) {
      handler_.begin_run();
      handler_.step(std::move(event));
      handler_.end_run();
      step_all(1);
    } else if (inbox_.push(std::move(event))) {
      resume();
    }
  }

  /// The caller becomes the owner if there is none and nothing is left. It has to call resume().
  [[nodiscard]] bool try_own() noexcept { return inbox_.poll(); }

  /// By the owner: after try_own(), or once for each resume_later().
  void resume() { step_all(0); }

  /// Any thread: false once every event was stepped and the owner has gone; it then touches the
  /// strand no more. What the last event tells a thread is not enough: its owner is still here.
  [[nodiscard]] bool owned() const noexcept { return inbox_.attended(); }

 private:
  /// The caller owns the strand, and has stepped so many.
  void step_all(std::size_t stepped) {
    while (!inbox_.leave()) {
      if (stepped >= bound_) return handler_.resume_later();
      handler_.begin_run();
      do {
        handler_.step(inbox_.pop());
      } while (++stepped < bound_ && !inbox_.empty());
      handler_.end_run();
    }
  }

  Handler& handler_;
  const std::size_t bound_;
  inbox<Event, Atomics, Memory> inbox_;
};

}  // namespace hocket

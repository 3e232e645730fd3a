// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "host_seat.hpp"

#include <utility>

#include "host_run.hpp"

namespace hocket::detail {

namespace {

thread_local host_seat* seat_of_thread = nullptr;

// Not inlined: a function that was suspended may go on with another thread, and the compiler must
// not keep the address of the first one's variable.
[[gnu::noinline]] host_seat* current_seat() noexcept { return seat_of_thread; }
[[gnu::noinline]] void set_current_seat(host_seat* seat) noexcept { seat_of_thread = seat; }

}  // namespace

void host_seat::let_go() noexcept {
  for (host_seat* seat = current_seat(); seat != nullptr; seat = seat->outer_) {
    if (!std::exchange(seat->left_alone_, true)) seat->run_->leave_alone();
  }
  set_current_seat(nullptr);
}

void host_seat::sit_down(host_run& run) noexcept {
  run_ = &run;
  outer_ = current_seat();
  set_current_seat(this);
}

void host_seat::stand_up() noexcept { set_current_seat(outer_); }

bool host_seat::sit_down_again() noexcept {
  left_alone_ = false;
  set_current_seat(this);
  return true;
}

}  // namespace hocket::detail

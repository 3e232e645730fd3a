// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "fault_stream.hpp"

#include <algorithm>
#include <utility>

#include <boost/container/static_vector.hpp>

#include <hocket/streams/perform.hpp>

namespace hocket::faults {

namespace {

bool runs_on_host(const device_info& of) {
  return std::ranges::find(of.formats, kernel_format::host) != of.formats.end();
}

}  // namespace

fault_stream::fault_stream(parts given, stream& inner, fault_call copies)
    : given_(std::move(given)),
      inner_(inner),
      copies_(copies),
      staging_(device_title(given_.of.name)) {}

fault_stream::~fault_stream() {
  // The device, which may have read it until now, is gone.
  if (staged_.chunk != nullptr) staging_.deallocate(staged_);
}

std::optional<injected_fault> fault_stream::next_fault(const command& what) {
  // The first launch is what counts as a compilation.
  if (what.prepares_only) return {};
  boost::container::static_vector<fault_call, 4> calls;
  if (const launch_command* const launch = what.launch()) {
    calls.push_back(fault_call::launch);
    if (given_.rules.is_first_launch(launch->kernel)) calls.push_back(fault_call::compile);
  } else if (std::holds_alternative<copy_command>(what.what)) {
    calls.push_back(fault_call::copy);
    calls.push_back(copies_);
  }
  if (!calls.empty() && !what.after.empty()) calls.push_back(fault_call::wait);
  if (calls.empty()) return {};
  auto fault =
      given_.rules.next({calls.data(), calls.size()}, given_.where.now() - given_.connected);
  if (fault && fault->action == fault_action::fail && what.launch() != nullptr) {
    given_.rules.forget(what.launch()->kernel);
  }
  return fault;
}

/// Carries out a fault for which nothing has to be held back.
void fault_stream::change(held_command& next) {
  const injected_fault& fault = *next.fault;
  if (fault.action == fault_action::lose) {
    given_.lose(fault);
  } else if (fault.action == fault_action::fail) {
    next.what.what = failed_command{fault.why};
  } else if (fault.action == fault_action::corrupt && next.what.launch() != nullptr) {
    auto& launch = std::get<launch_ref>(next.what.what);
    launch = given_.home->flips().corrupted(launch, runs_on_host(given_.of));
  } else {
    return;
  }
  next.fault.reset();
}

void fault_stream::submit(command&& what) {
  held_command next{std::move(what), {}, {}};
  next.fault = next_fault(next.what);
  if (next.fault) change(next);
  if (hold_back(next)) {
    step();
  } else {
    inner_.submit(std::move(next.what));
  }
}

/// Returns false for a command that is to be passed on at once.
bool fault_stream::hold_back(held_command& next) {
  const std::lock_guard lock(guard_);
  if (is_closed_ || is_dropped_) return false;
  const bool is_first = held_.empty() && !is_stepping_;
  if (is_first && !next.fault && may_start(next)) return false;
  if (next.fault && next.fault->action == fault_action::corrupt && next_corrupted_ == 0) {
    next_corrupted_ = next.what.value;
  }
  if (held_.empty()) given_.home->holding_begins();
  held_.push_back(std::move(next));
  return true;
}

void fault_stream::step() {
  std::unique_lock lock(guard_);
  if (std::exchange(is_stepping_, true)) {
    steps_again_ = true;
    return;
  }
  do {
    steps_again_ = false;
    while (!held_.empty() && may_start(held_.front())) {
      command next = std::move(held_.front().what);
      held_.pop_front();
      if (held_.empty()) given_.home->holding_ends();
      lock.unlock();
      // The command may be reported within, and the report calls step() again.
      inner_.submit(std::move(next));
      lock.lock();
    }
  } while (steps_again_);
  is_stepping_ = false;
  stepped_.notify_all();
}

bool fault_stream::may_start(held_command& head) {
  if (corrupting_ != 0) return false;
  if (!head.fault) {
    // A copy that it waits for is not reported, and so not corrupted, when the device has ended it.
    return std::ranges::all_of(head.what.after, [this](const timepoint& t) {
      const auto on = t.on == nullptr ? nullptr : given_.home->find(t.on->stream());
      return on == nullptr || on->has_corrupted(t.value);
    });
  }
  switch (head.fault->action) {
    case fault_action::hang:
      if (!given_.home->releases_hangs()) return false;
      head.what.what = failed_command{head.fault->why};
      return true;
    case fault_action::delay:
      return is_over(head);
    default:
      if (!is_ready(head.what)) return false;
      begin_corruption(head.what);
      return true;
  }
}

bool fault_stream::is_ready(const command& what) const {
  if (inner_.time().completed() + 1 < what.value) return false;
  return std::ranges::all_of(what.after, [this](const timepoint& t) {
    const auto on = t.on == nullptr ? nullptr : given_.home->find(t.on->stream());
    return on == nullptr || on->has_ended(t.value);
  });
}

bool fault_stream::is_over(held_command& delayed) {
  if (delayed.due) return given_.where.now() >= *delayed.due;
  if (!is_ready(delayed.what)) return false;
  delayed.due = given_.where.now() + delayed.fault->by;
  given_.where.post_at(*delayed.due, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->step();
  });
  return false;
}

/// The copy is the only command of the stream until it has ended: its source and its target do not
/// change meanwhile.
void fault_stream::begin_corruption(command& what) {
  auto& copy = std::get<copy_command>(what.what);
  corrupting_ = what.value;
  if (copies_ == fault_call::copy_out || runs_on_host(given_.of)) {
    corrupted_ = copy;
    return;
  }
  // The host cannot reach the target; it reaches the source, because the device has no copies from
  // others of its kind. The device is given a copy of the source that has other bits.
  auto staged = staging_.allocate(copy.from.bytes, std::max<std::size_t>(given_.of.alignment, 64));
  if (!staged) {
    what.what = failed_command{staged.error()};
    return;
  }
  staged_ = staged.value();
  copy_command within = copy;
  within.to = staged_;
  copy_box(within);
  flip_bits(within, what.value);
  copy.from = staged_;
}

void fault_stream::ended(std::uint64_t value, const command_result& how) {
  const std::lock_guard lock(guard_);
  if (corrupting_ != value) return;
  if (corrupted_ && !how.why) flip_bits(*corrupted_, value);
  corrupted_.reset();
  if (staged_.chunk != nullptr) staging_.deallocate(std::exchange(staged_, {}));
  corrupting_ = 0;
  note_next_corrupted();
}

void fault_stream::note_next_corrupted() noexcept {
  const auto next = std::ranges::find_if(held_, [](const held_command& each) {
    return each.fault && each.fault->action == fault_action::corrupt;
  });
  next_corrupted_ = next == held_.end() ? 0 : next->what.value;
}

fault_stream::held_commands fault_stream::take_all() noexcept {
  if (!held_.empty()) given_.home->holding_ends();
  next_corrupted_ = 0;
  return std::exchange(held_, {});
}

void fault_stream::drop() {
  held_commands dropped;  // goes without the lock: it may hold the last references of tasks
  const std::lock_guard lock(guard_);
  is_dropped_ = true;
  dropped = take_all();
  if (staged_.chunk != nullptr) staging_.deallocate(std::exchange(staged_, {}));
}

void fault_stream::close() {
  held_commands dropped;
  std::unique_lock lock(guard_);
  is_closed_ = true;
  dropped = take_all();
  stepped_.wait(lock, [this] { return !is_stepping_; });
}

}  // namespace hocket::faults

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/streams/driver_stream.hpp>

#include <algorithm>
#include <cassert>
#include <utility>

namespace hocket {

driver_stream* driver_domain::find(const timeline* of) const {
  const auto found =
      std::ranges::find_if(streams_, [&](const driver_stream* s) { return &s->time() == of; });
  return found == streams_.end() ? nullptr : *found;
}

driver_stream::driver_stream(driver_domain& domain, executor& where,
                             std::shared_ptr<host_epoch> epoch, stream_id id)
    : domain_(domain), where_(where), epoch_(std::move(epoch)), time_(id) {
  const std::scoped_lock lock(domain_.guard_);
  domain_.streams_.push_back(this);
}

driver_stream::~driver_stream() {
  const std::scoped_lock lock(domain_.guard_);
  assert(closed_);
  std::erase(domain_.streams_, this);
}

void driver_stream::submit(command what) {
  {
    const std::scoped_lock lock(domain_.guard_);
    if (closed_ || lost()) return;
    waiting_.push_back(std::move(what));
  }
  step_all(domain_);
}

void driver_stream::step_all(driver_domain& domain) {
  for (bool again = true; std::exchange(again, false);) {
    for (const ending& e : step_some(domain)) {
      if (e.loses_device) e.of->epoch_->end(e.how.why);
      e.of->conclude(e.value, e.how);
      e.of->leave();
      // Who waits for a stream of the lost device is not stepped by anybody else.
      again = again || e.loses_device;
    }
  }
}

driver_stream::endings driver_stream::step_some(driver_domain& domain) {
  endings failed;
  const std::scoped_lock lock(domain.guard_);
  for (bool progress = true; progress;) {
    progress = false;
    for (driver_stream* s : domain.streams_) {
      while (s->step(failed)) progress = true;
    }
  }
  return failed;
}

bool driver_stream::step(endings& failed) {
  if (preparing_) return false;  // it looks at the first command that waits
  if (closed_ || lost()) waiting_.clear();
  if (waiting_.empty()) return false;
  const command& head = waiting_.front();
  std::vector<device_wait> waits;
  failure why = std::exchange(not_prepared_, {});
  if (const auto* given_up = std::get_if<failed_command>(&head.what)) why = given_up->why;
  if (!why && !waits_of(head, waits, why)) return false;
  if (!why && !prepared(head)) {
    prepare_later(head);
    return false;
  }
  if (why) {
    fail(failed, why, false);
  } else {
    hand_over(failed, waits);
  }
  return true;
}

/// Takes the first command away, for who steps to conclude.
void driver_stream::fail(endings& failed, const failure& why, bool loses_device) {
  const time_stamp now = where_.now();
  passed_ = waiting_.front().value;
  failed.push_back({this, passed_, {why, now, now}, loses_device});
  ++busy_;
  waiting_.pop_front();
}

bool driver_stream::waits_of(const command& what, std::vector<device_wait>& waits,
                             failure& why) const {
  for (const timepoint& before : what.after) {
    if (before.done()) continue;
    driver_stream* const on = domain_.find(before.on);
    assert(on != nullptr);
    if (on->lost()) {
      why = failure(failure_code::device_lost,
                    "The device of a command that has to come first was lost.");
      return true;
    }
    if (on->passed_ < before.value) return false;
    // A command that failed on the way to the driver has nothing there that could be waited for;
    // those before it have.
    const std::uint64_t value = std::min(before.value, on->handed_);
    if (on != this && value > on->time_.completed()) waits.push_back({on, value});
  }
  return true;
}

void driver_stream::hand_over(endings& failed, std::span<const device_wait> waits) {
  const command& head = waiting_.front();
  if (!epoch_->enter()) return waiting_.clear();
  if (const failure why = enqueue(head, waits)) {
    epoch_->leave();
    return fail(failed, why, why.code() == failure_code::device_lost);
  }
  handed_ = passed_ = head.value;
  ++busy_;
  waiting_.pop_front();
}

void driver_stream::prepare_later(const command& what) {
  // What is prepared may use the memory of the device, which goes when the loss is told.
  if (!epoch_->enter()) return waiting_.clear();
  preparing_ = true;
  ++busy_;
  where_.post(0, 1, [this, &what] {
    failure why = prepare(what);
    {
      const std::scoped_lock lock(domain_.guard_);
      preparing_ = false;
      not_prepared_ = std::move(why);
    }
    epoch_->leave();
    step_all(domain_);
    leave();
  });
}

void driver_stream::ended(std::uint64_t value, const command_result& how) {
  conclude(value, how);
  epoch_->leave();
  leave();
}

/// Who closes the stream may destroy it at once.
void driver_stream::leave() {
  const std::scoped_lock lock(domain_.guard_);
  if (--busy_ == 0) changed_.notify_all();
}

void driver_stream::conclude(std::uint64_t value, const command_result& how) {
  std::unique_lock lock(report_guard_);
  results_.emplace(value, how);
  if (reporting_) return;
  reporting_ = true;
  while (!results_.empty() && results_.begin()->first == time_.completed() + 1) {
    auto next = results_.extract(results_.begin());
    // One that failed on the way has no place among those that ran; they end one after another.
    command_result& what = next.mapped();
    what.begin = std::max(what.begin, latest_);
    what.end = latest_ = std::max(what.begin, what.end);
    lock.unlock();
    time_.advance(next.key());
    (void)epoch_->report(time_.stream(), next.key(), next.mapped());
    lock.lock();
  }
  reporting_ = false;
}

void driver_stream::lose(const failure& why) {
  epoch_->end(why);
  step_all(domain_);
}

void driver_stream::close() {
  std::unique_lock lock(domain_.guard_);
  closed_ = true;
  if (!preparing_) waiting_.clear();
  changed_.wait(lock, [this] { return busy_ == 0; });
  waiting_.clear();
}

}  // namespace hocket

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
  endings failed;
  {
    const std::scoped_lock lock(domain.guard_);
    for (bool progress = true; progress;) {
      progress = false;
      for (driver_stream* s : domain.streams_) {
        while (s->step(failed)) progress = true;
      }
    }
  }
  for (const auto& [stream, ending] : failed) stream->conclude(ending.first, ending.second);
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
    const time_stamp now = where_.now();
    failed.push_back({this, {head.value, {why, now, now}}});
    passed_ = head.value;
    waiting_.pop_front();
  } else {
    hand_over(failed, waits);
  }
  return true;
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
    const time_stamp now = where_.now();
    failed.push_back({this, {head.value, {why, now, now}}});
  } else {
    handed_ = head.value;
    ++in_driver_;
  }
  passed_ = head.value;
  waiting_.pop_front();
}

void driver_stream::prepare_later(const command& what) {
  preparing_ = true;
  where_.post(0, 1, [this, &what] {
    failure why = prepare(what);
    driver_domain& domain = domain_;
    {
      const std::scoped_lock lock(domain.guard_);
      preparing_ = false;
      not_prepared_ = std::move(why);
      if (closed_) {
        // Who closes the stream waits for this, and may destroy it at once.
        changed_.notify_all();
        return;
      }
    }
    step_all(domain);
  });
}

void driver_stream::ended(std::uint64_t value, const command_result& how) {
  conclude(value, how);
  epoch_->leave();
  const std::scoped_lock lock(domain_.guard_);
  if (--in_driver_ == 0) changed_.notify_all();
}

void driver_stream::conclude(std::uint64_t value, const command_result& how) {
  std::unique_lock lock(report_guard_);
  results_.emplace(value, how);
  if (reporting_) return;
  reporting_ = true;
  while (!results_.empty() && results_.begin()->first == time_.completed() + 1) {
    const auto next = results_.extract(results_.begin());
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
  changed_.wait(lock, [this] { return !preparing_ && in_driver_ == 0; });
  waiting_.clear();
}

}  // namespace hocket

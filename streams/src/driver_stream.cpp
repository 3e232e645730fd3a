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
  // The constructor of a derived class may have thrown, before anything could be submitted.
  assert(closed_ || (passed_ == 0 && waiting_.empty() && busy_ == 0));
  std::erase(domain_.streams_, this);
}

void driver_stream::submit(command&& what) {
  endings failed;
  {
    const std::scoped_lock lock(domain_.guard_);
    if (closed_ || lost()) return;
    // Most commands find nothing in their way, and need no place to wait.
    const bool first = waiting_.empty() && !preparing_;
    if (!first || pass(what, failed) != passing::passed) {
      waiting_.push_back(std::move(what));
      ++domain_.waiting_;
    }
    step_some(domain_, failed);
    if (!is_batching_) flush_now();
  }
  settle(domain_, failed);
}

void driver_stream::begin_batch() {
  const std::scoped_lock lock(domain_.guard_);
  is_batching_ = true;
}

void driver_stream::end_batch() {
  const std::scoped_lock lock(domain_.guard_);
  is_batching_ = false;
  flush_now();
}

/// Under the domain's lock.
void driver_stream::flush_now() {
  if (!std::exchange(flushed_, true)) flush();
}

void driver_stream::step_all(driver_domain& domain) {
  endings failed;
  {
    const std::scoped_lock lock(domain.guard_);
    step_some(domain, failed);
  }
  settle(domain, failed);
}

/// Concludes what failed on the way, without the lock.
void driver_stream::settle(driver_domain& domain, const endings& failed) {
  bool again = false;
  for (const ending& e : failed) {
    if (e.loses_device) e.of->epoch_->end(e.how.why);
    command_result how = e.how;
    e.of->conclude(e.value, {&how, 1});
    if (e.of->ends_are_awaited()) step_all(domain);
    e.of->leave();
    // Who waits for a stream of the lost device is not stepped by anybody else.
    again = again || e.loses_device;
  }
  if (again) step_all(domain);
}

/// Under the domain's lock.
void driver_stream::step_some(driver_domain& domain, endings& failed) {
  for (bool progress = true; progress && domain.waiting_ > 0;) {
    progress = false;
    for (driver_stream* s : domain.streams_) {
      while (s->step(failed)) progress = true;
      if (!s->is_batching_) s->flush_now();
    }
  }
}

bool driver_stream::step(endings& failed) {
  if (waiting_.empty() || preparing_) return false;  // who prepares looks at the first one
  if (closed_ || lost()) {
    drop_waiting();
    return false;
  }
  const passing how = pass(waiting_.front(), failed);
  if (how == passing::lacks_something) prepare_later(waiting_.front());
  if (how != passing::passed) return false;
  waiting_.pop_front();
  --domain_.waiting_;
  return true;
}

/// Hands over the command that is next, or gives it up, if nothing is in its way.
driver_stream::passing driver_stream::pass(const command& head, endings& failed) {
  std::vector<device_wait> waits;
  failure why = std::exchange(not_prepared_, {});
  if (const auto* given_up = std::get_if<failed_command>(&head.what)) why = given_up->why;
  if (!why && !waits_of(head, waits, why)) return passing::waits;
  if (!why && !prepared(head)) return passing::lacks_something;
  const std::optional<time_stamp> since = std::exchange(preparing_since_, std::nullopt);
  if (why || head.prepares_only) {
    const time_stamp now = where_.now();
    end_here(head.value, failed, {why, since.value_or(now), now}, false);
  } else {
    hand_over(head, failed, waits);
  }
  return passing::passed;
}

/// The command ends without the driver, for who steps to conclude.
void driver_stream::end_here(std::uint64_t value, endings& failed, command_result&& how,
                             bool loses_device) {
  passed_ = value;
  failed.push_back({this, value, std::move(how), loses_device});
  ++busy_;
}

void driver_stream::drop_waiting() {
  domain_.waiting_ -= waiting_.size();
  waiting_.clear();
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
    if (on == this || value <= on->time_.completed()) continue;
    if (starts_early(what, *on)) return false;
    waits.push_back({on, value});
  }
  return true;
}

void driver_stream::hand_over(const command& head, endings& failed,
                              std::span<const device_wait> waits) {
  if (!epoch_->enter()) return;  // it is dropped, as all that follow will be
  flushed_ = false;
  if (const failure why = enqueue(head, waits)) {
    epoch_->leave();
    const time_stamp now = where_.now();
    return end_here(head.value, failed, {why, now, now}, why.code() == failure_code::device_lost);
  }
  handed_ = passed_ = head.value;
  ++busy_;
}

void driver_stream::prepare_later(const command& what) {
  // What is prepared may use the memory of the device, which goes when the loss is told.
  if (!epoch_->enter()) return drop_waiting();
  preparing_ = true;
  preparing_since_ = where_.now();
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

void driver_stream::ended_or_lost(std::uint64_t first, std::span<command_result> how) {
  const auto lost = std::ranges::find_if(how, [](const command_result& each) {
    return each.why && each.why.code() == failure_code::device_lost;
  });
  const auto before = static_cast<std::size_t>(lost - how.begin());
  if (before > 0) ended_in_a_row(first, how.first(before));
  if (lost == how.end()) return;
  lose(lost->why);
  ended_in_a_row(first + before, how.subspan(before));
}

void driver_stream::ended_in_a_row(std::uint64_t first, std::span<command_result> how) {
  conclude(first, how);
  if (ends_are_awaited()) step_all(domain_);
  epoch_->leave(how.size());
  leave(how.size());
}

/// Who closes the stream may destroy it at once.
void driver_stream::leave(std::size_t times) {
  std::size_t seen = busy_;
  while (seen > times) {
    if (busy_.compare_exchange_weak(seen, seen - times)) return;
  }
  const std::scoped_lock lock(domain_.guard_);
  if ((busy_ -= times) == 0) changed_.notify_all();
}

void driver_stream::conclude(std::uint64_t first, std::span<command_result> how) {
  std::unique_lock lock(report_guard_);
  if (reporting_ || first != time_.completed() + 1) {
    for (const command_result& each : how) results_.emplace(first++, each);
    if (reporting_) return;
    reporting_ = true;
  } else {
    reporting_ = true;
    report(lock, first, how);
  }
  while (!results_.empty() && results_.begin()->first == time_.completed() + 1) {
    auto next = results_.extract(results_.begin());
    report(lock, next.key(), {&next.mapped(), 1});
  }
  reporting_ = false;
}

/// Without the lock, which is taken again.
void driver_stream::report(std::unique_lock<std::mutex>& lock, std::uint64_t first,
                           std::span<command_result> how) {
  // One that failed on the way has no place among those that ran; they end one after another.
  for (command_result& each : how) {
    each.begin = std::max(each.begin, latest_);
    each.end = latest_ = std::max(each.begin, each.end);
  }
  lock.unlock();
  time_.advance(first + how.size() - 1);
  (void)epoch_->report_in_a_row(time_.stream(), first, how);
  lock.lock();
}

void driver_stream::lose(const failure& why) {
  epoch_->end(why);
  step_all(domain_);
}

void driver_stream::close() {
  std::unique_lock lock(domain_.guard_);
  closed_ = true;
  if (!preparing_) drop_waiting();
  changed_.wait(lock, [this] { return busy_ == 0; });
  drop_waiting();
}

}  // namespace hocket

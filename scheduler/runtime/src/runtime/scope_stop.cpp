// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/scope_stop.hpp"

#include <memory>

#include <hocket/scheduler/detail/task_state.hpp>

#include "tasks/deadline.hpp"
#include "tasks/timer_queue.hpp"

namespace hocket::detail {

/// Rings at the deadline of the scope, which it keeps.
class scope_stop::own_timer final : public timer {
 public:
  explicit own_timer(scope_stop& stop) : stop_(stop), scope_(stop.scope_) { scope_.kept(); }
  own_timer(const own_timer&) = delete;
  own_timer& operator=(const own_timer&) = delete;
  ~own_timer() override { scope_.dropped(); }

  void ring() noexcept override { stop_.request(reason::late); }

 private:
  scope_stop& stop_;
  host_context& scope_;
};

/// Tells those who have a token of the scope that it is stopped, or one around it.
class scope_stop::teller {
 public:
  teller(scope_stop& stop, const std::stop_token& outer)
      : by_outer_(outer, stop_call{&stop, reason::outer}) {}

  [[nodiscard]] const std::stop_token& token() const noexcept { return token_; }
  void tell() noexcept {
    // A task that is stopped here may have been the last to keep the scope, which owns the teller.
    std::stop_source source = source_;
    source.request_stop();
  }

 private:
  std::stop_source source_;
  std::stop_token token_ = source_.get_token();
  std::stop_callback<stop_call> by_outer_;
};

scope_stop::scope_stop(host_context& scope, host_context& around)
    : context_stop(around.home().stops()), scope_(scope), around_(around.stop()) {}

scope_stop::~scope_stop() { delete teller_.load(); }

void scope_stop::open(const scope_options& options) {
  if (options.timeout < nanoseconds::zero()) {
    check_timeout("The " + scope_.title(), options.timeout);
  }
  executor& where = scope_.where();
  const time_stamp deadline = first_deadline(options.timeout, options.deadline, where);
  if (options.stop.stop_possible()) {
    by_user_.emplace(options.stop, stop_call{this, reason::cancelled});
  }
  if (deadline == time_stamp::max()) return;
  if (deadline <= where.now()) return request(reason::late);
  const boost::intrusive_ptr<own_timer> rings(new own_timer(*this));
  scope_.timers()->set(rings, deadline);
  timer_ = rings;
  has_deadline_ = true;
}

void scope_stop::close() noexcept {
  by_user_.reset();
  if (timer_) scope_.timers()->call_off(*timer_);
  timer_.reset();
}

void scope_stop::request(reason why) noexcept {
  reason none = reason::none;
  why_.compare_exchange_strong(none, why);
  count();
  // Either this sees the teller, or who makes it sees that the scope was stopped.
  if (teller* const known = teller_) known->tell();
}

bool scope_stop::was_requested() const noexcept {
  if (why_ != reason::none) return true;
  if (!around_.is_requested()) return false;
  reason none = reason::none;
  why_.compare_exchange_strong(none, reason::outer);
  return true;
}

const std::stop_token& scope_stop::make_token() {
  auto made = std::make_unique<teller>(*this, around_.token());
  teller* known = nullptr;
  if (!teller_.compare_exchange_strong(known, made.get())) return known->token();
  teller& fresh = *made.release();
  set_token(fresh.token());
  if (is_requested()) fresh.tell();
  return fresh.token();
}

bool scope_stop::is_late() const noexcept {
  const reason why = why_;
  return why == reason::late || (why == reason::outer && around_.is_late());
}

failure scope_stop::refusal_of(const task_state& task) const {
  const std::string name = scope_.title();
  switch (why_.load()) {
    case reason::none:  // the thread that cancelled it has not said so yet
    case reason::cancelled:
      return {failure_code::cancelled,
              task.name() + " was cancelled, because its " + name + " was."};
    case reason::failed:
      return {failure_code::cancelled,
              task.name() + " was cancelled, because another task of its " + name + " failed."};
    case reason::late:
      return {failure_code::timed_out,
              task.name() + " did not end before the deadline of its " + name + "."};
    case reason::outer:
      break;
  }
  return around_.refusal_of(task);
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "completion.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "errors.hpp"

namespace hocket::opencl {

namespace {

// The first of the commands that are waited for together is heard of about so much later.
constexpr nanoseconds kept_back{100'000};

/// Zero where the driver does not say.
cl_ulong profiled(const api& cl, cl_event event, cl_profiling_info what) {
  cl_ulong time = 0;
  return cl.clGetEventProfilingInfo(event, what, sizeof time, &time, nullptr) == CL_SUCCESS ? time
                                                                                            : 0;
}

}  // namespace

void completions::add(std::uint64_t value, enqueued what, time_stamp handed) {
  entry made;
  made.value = value;
  made.first = std::move(what.first);
  made.last = std::make_shared<const handle<cl_event>>(std::move(what.last));
  made.why = std::move(what.why);
  made.handed = handed;
  {
    const std::lock_guard lock(guard_);
    in_driver_.push_back(std::move(made));
  }
  watch_.added();
}

std::shared_ptr<const handle<cl_event>> completions::last_event(std::uint64_t value) const {
  const std::lock_guard lock(guard_);
  const auto after = std::ranges::upper_bound(in_driver_, value, {}, &entry::value);
  return after == in_driver_.begin() ? nullptr : std::prev(after)->last;
}

/// Under the lock: so many are told of together.
std::size_t completions::how_many() const {
  const auto most = static_cast<std::size_t>(kept_back / std::max(each_, nanoseconds(1)));
  const auto count = std::clamp<std::size_t>(most, 1, (in_driver_.size() + 1) / 2);
  // A command that failed on the way has a number as well; driver_stream reports it.
  std::size_t in_a_row = 1;
  while (in_a_row < count && in_driver_[in_a_row].value == in_driver_.front().value + in_a_row) {
    ++in_a_row;
  }
  return in_a_row;
}

std::size_t completions::finish_some() {
  std::size_t count = 0;
  std::shared_ptr<const handle<cl_event>> event;
  {
    const std::lock_guard lock(guard_);
    count = how_many();
    event = in_driver_[count - 1].last;
  }
  // The queue is in order: those before it have ended as well.
  const cl_int of_last = wait_for(event->get());
  const time_stamp heard = where_.now();
  event.reset();
  {
    const std::lock_guard lock(guard_);
    for (std::size_t i = 0; i < count; ++i) {
      ended_.push_back(std::move(in_driver_.front()));
      in_driver_.pop_front();
    }
  }
  const std::uint64_t first = ended_.front().value;
  for (const entry& e : ended_) {
    const bool is_last = &e == &ended_.back();
    results_.push_back(result_of(e, is_last ? of_last : outcome_of(e.last->get()), heard));
  }
  each_ = (results_.back().end - results_.front().begin) / static_cast<std::int64_t>(count);
  ended_.clear();  // their events are gone before their ends are reported
  told_(first, results_);
  results_.clear();
  return count;
}

/// CL_COMPLETE where the driver does not say.
cl_int completions::status_of(cl_event event) const {
  cl_int now = CL_COMPLETE;
  const cl_int code = context_->cl().clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                    sizeof now, &now, nullptr);
  return code == CL_SUCCESS ? now : CL_COMPLETE;
}

/// CL_COMPLETE, or what went wrong, of a command before one that has ended.
cl_int completions::outcome_of(cl_event event) const {
  const cl_int status = status_of(event);
  return status > CL_COMPLETE ? wait_for(event) : status;
}

/// CL_COMPLETE, or what went wrong.
cl_int completions::wait_for(cl_event event) const {
  const cl_int code = context_->cl().clWaitForEvents(1, &event);
  // The wait alone may have failed: the command then still uses objects that are given back after
  // its end. A device that says neither is not waited for without end.
  constexpr auto pause = std::chrono::milliseconds(1), longest = std::chrono::milliseconds(5000);
  cl_int last = status_of(event);
  const time_stamp until = where_.now() + longest;
  while (code != CL_SUCCESS && last > CL_COMPLETE && where_.now() < until) {
    where_.wait([](const std::shared_ptr<executor::gate>&) {}, where_.now() + pause);
    last = status_of(event);
  }
  return last < CL_COMPLETE ? last : code;
}

command_result completions::result_of(const entry& e, cl_int status, time_stamp heard) const {
  const api& cl = context_->cl();
  const cl_event last = e.last->get(), first = e.first ? e.first.get() : last;
  command_result how{e.why, e.handed, std::max(e.handed, heard)};
  if (status != CL_COMPLETE) {
    if (!how.why) how.why = failure_of(status, device_, "to run a command");
    return how;
  }
  std::tie(how.begin, how.end) =
      clock_->on_host(profiled(cl, first, CL_PROFILING_COMMAND_START),
                      profiled(cl, last, CL_PROFILING_COMMAND_END), how.begin, how.end);
  return how;
}

}  // namespace hocket::opencl

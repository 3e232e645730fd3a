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

/// Zero where the driver does not say.
cl_ulong profiled(const api& cl, cl_event event, cl_profiling_info what) {
  cl_ulong time = 0;
  return cl.clGetEventProfilingInfo(event, what, sizeof time, &time, nullptr) == CL_SUCCESS ? time
                                                                                            : 0;
}

}  // namespace

struct completions::call {
  std::shared_ptr<completions> to;
  std::uint64_t value;
};

void completions::add(std::uint64_t value, enqueued what, time_stamp handed) {
  entry made;
  made.value = value;
  made.first = std::move(what.first);
  made.last = std::make_shared<const handle<cl_event>>(std::move(what.last));
  made.why = std::move(what.why);
  made.handed = handed;
  const auto last = made.last;
  {
    const std::lock_guard lock(guard_);
    in_driver_.push_back(std::move(made));
  }
  auto data = std::make_unique<call>(call{shared_from_this(), value});
  if (context_->cl().clSetEventCallback(last->get(), CL_COMPLETE, called, data.get()) ==
      CL_SUCCESS) {
    (void)data.release();
    return;
  }
  wait_for(last, value);
}

/// A driver that does not call back is waited for.
void completions::wait_for(const std::shared_ptr<const handle<cl_event>>& event,
                           std::uint64_t value) {
  where_.post(0, 0, [self = shared_from_this(), event, value] {
    const cl_event one = event->get();
    self->heard(value, self->context_->cl().clWaitForEvents(1, &one));
  });
}

std::shared_ptr<const handle<cl_event>> completions::last_event(std::uint64_t value) const {
  const std::lock_guard lock(guard_);
  const auto after = std::ranges::upper_bound(in_driver_, value, {}, &entry::value);
  return after == in_driver_.begin() ? nullptr : std::prev(after)->last;
}

void CL_CALLBACK completions::called(cl_event, cl_int status, void* data) {
  const std::unique_ptr<call> what(static_cast<call*>(data));
  what->to->heard(what->value, status);
}

void completions::heard(std::uint64_t value, cl_int status) {
  {
    const time_stamp now = where_.now();
    const std::lock_guard lock(guard_);
    const auto at = std::ranges::lower_bound(in_driver_, value, {}, &entry::value);
    at->heard = now;
    at->status = status < 0 ? status : CL_COMPLETE;
    if (std::exchange(draining_, true)) return;
  }
  where_.post(0, 1, [self = shared_from_this()] { self->drain(); });
}

void completions::drain() {
  while (true) {
    std::vector<entry> ready;
    {
      const std::lock_guard lock(guard_);
      while (!in_driver_.empty() && in_driver_.front().status <= CL_COMPLETE) {
        ready.push_back(std::move(in_driver_.front()));
        in_driver_.pop_front();
      }
      if (ready.empty()) {
        draining_ = false;
        return;
      }
    }
    for (entry& e : ready) {
      const std::uint64_t value = e.value;
      const command_result how = result_of(e);
      e = {};  // the command's events are gone before anybody hears that it has ended
      told_(value, how);
    }
  }
}

command_result completions::result_of(const entry& e) const {
  const api& cl = context_->cl();
  const cl_event last = e.last->get(), first = e.first ? e.first.get() : last;
  command_result how{e.why, e.handed, std::max(e.handed, e.heard)};
  if (e.status < 0 && !how.why) how.why = failure_of(e.status, device_, "to run a command");
  if (e.status >= 0) {
    std::tie(how.begin, how.end) =
        clock_->on_host(profiled(cl, first, CL_PROFILING_COMMAND_START),
                        profiled(cl, last, CL_PROFILING_COMMAND_END), how.begin, how.end);
  }
  return how;
}

}  // namespace hocket::opencl

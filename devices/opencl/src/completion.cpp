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

completions::completions(std::shared_ptr<context> of, std::shared_ptr<device_clock> clock,
                         executor& where, const std::string& device, report told)
    : context_(std::move(of)),
      clock_(std::move(clock)),
      where_(where),
      device_(device),
      commands_(device,
                {[](const auto& all, std::size_t most) {
                   return std::clamp<std::size_t>(most, 1, (all.size() + 1) / 2);
                 },
                 [this](commands::entry& e) { e.item.status = wait_for(e.item.last->get()); },
                 [this](auto ended, auto& results) { finish(ended, results); }, std::move(told)}) {}

void completions::add(std::uint64_t value, enqueued what, time_stamp handed) {
  auto last = std::make_shared<const handle<cl_event>>(std::move(what.last));
  commands::entry made{
      value, {std::move(what.first), std::move(last), std::move(what.why), CL_COMPLETE}, handed};
  commands_.add({&made, 1});
}

void completions::finish(std::span<commands::entry> ended,
                         std::vector<command_result>& results) const {
  const time_stamp heard = where_.now();
  // The queue is in order, and the last one was waited for: the others have ended as well.
  for (commands::entry& e : ended.first(ended.size() - 1)) {
    e.item.status = outcome_of(e.item.last->get());
  }
  for (const commands::entry& e : ended) results.push_back(result_of(e, heard));
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

command_result completions::result_of(const commands::entry& e, time_stamp heard) const {
  const api& cl = context_->cl();
  const auto& [first, last, why, status] = e.item;
  command_result how{why, e.handed, std::max(e.handed, heard)};
  if (status != CL_COMPLETE) {
    failure end = failure_of(status, device_, "to run a command");
    // A library in a native body may have failed first, without saying that the device is lost.
    if (!how.why || end.code() == failure_code::device_lost) how.why = std::move(end);
    return how;
  }
  const cl_event begun = first ? first.get() : last->get();
  std::tie(how.begin, how.end) =
      clock_->on_host(profiled(cl, begun, CL_PROFILING_COMMAND_START),
                      profiled(cl, last->get(), CL_PROFILING_COMMAND_END), how.begin, how.end);
  return how;
}

}  // namespace hocket::opencl

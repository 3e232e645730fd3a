// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/completion.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <thread>
#include <tuple>
#include <utility>

#include "gpu/errors.hpp"

namespace hocket::gpu {

completions::completions(std::shared_ptr<context> in, event_ref start, executor& where,
                         std::string device, report told)
    : in_(std::move(in)),
      where_(where),
      device_(std::move(device)),
      start_(std::move(start)),
      commands_(device_,
                {[](const auto& all, std::size_t most) {
                   return std::clamp<std::size_t>(most, 1, (all.size() + 1) / 2);
                 },
                 [this](commands::entry& e) { e.item.status = wait_for(e.item.what.end); },
                 [this](auto ended, auto& results) { finish(ended, results); }, std::move(told)}) {}

void completions::add(std::uint64_t value, enqueued what, time_stamp handed) {
  commands::entry made{value, {std::move(what), success}, handed};
  commands_.add({&made, 1});
}

code completions::wait_for(const event_ref& event) const {
  const current in(*in_);
  if (in.why() != success) return in.why();
  // Falling asleep and being woken takes longer than many commands.
  constexpr auto awake = std::chrono::microseconds(50);
  const time_stamp until = where_.now() + awake;
  while (where_.now() < until) {
    const code now = in_->driver().event_query(event.get());
    if (now != not_ready) return now;
    std::this_thread::yield();
  }
  return in_->driver().event_synchronize(event.get());
}

/// The wait for a command has failed, which may still use memory of the host that others get next.
/// The driver ends it, or says that nothing of the context runs any more. A device that says
/// neither is not waited for without end.
void completions::await_failed(const event_ref& event) const {
  constexpr auto pause = std::chrono::milliseconds(1), longest = std::chrono::milliseconds(5000);
  const time_stamp until = where_.now() + longest;
  while (in_->driver().event_query(event.get()) == not_ready && where_.now() < until) {
    where_.wait([](const std::shared_ptr<executor::gate>&) {}, where_.now() + pause);
  }
}

/// The stream is in order, and the last command was waited for: the others have ended as well.
void completions::finish(std::span<commands::entry> ended, std::vector<command_result>& results) {
  const current in(*in_);
  const time_stamp heard = where_.now();
  const code status = in.why() != success ? in.why() : ended.back().item.status;
  if (status != success && in.why() == success) await_failed(ended.back().item.what.end);
  std::uint64_t end = 0;
  for (const commands::entry& e : ended) {
    const enqueued& what = e.item.what;
    command_result how{what.why, e.handed, std::max(e.handed, heard)};
    if (status != success) {
      // The driver did not wait, whatever the code: nothing of the stream can be trusted.
      in_->cancel(what.used);
      const failure why = failure_of(in_->driver(), status, device_, "to run a command");
      how.why = {failure_code::device_lost, why.message()};
    } else {
      // The longer ago the start is, the less precise is the time since then.
      end = nanoseconds_of(what.end);
      set_times(how, what, end);
      last_end_ = what.end;
    }
    results.push_back(std::move(how));
  }
  if (status == success) move_start(ended.back().item.what.end, end);
}

/// The times are those between which the command can have run. end: by the device's clock.
void completions::set_times(command_result& how, const enqueued& what, std::uint64_t end) {
  const std::uint64_t length = std::min(end, between(what.begin, what.end));
  if (what.begin != last_end_ || end == 0) {
    std::tie(how.begin, how.end) = clock_.on_host(end - length, end, how.begin, how.end);
    return;
  }
  // The one before it may have ended when this one was handed over.
  const time_stamp handed = how.begin;
  how.end = clock_.on_host(end, end, how.begin, how.end).second;
  const time_stamp begin = how.end - nanoseconds(static_cast<nanoseconds::rep>(length));
  how.begin = std::clamp(begin, std::min(handed, how.end), how.end);
}

/// In nanoseconds; the greatest number where the driver does not say.
std::uint64_t completions::between(const event_ref& begin, const event_ref& end) const {
  constexpr double in_a_millisecond = 1e6;
  float milliseconds = 0;
  const code said = in_->driver().event_elapsed(&milliseconds, begin.get(), end.get());
  if (said != success || !(milliseconds >= 0)) return UINT64_MAX;
  return static_cast<std::uint64_t>(milliseconds * in_a_millisecond);
}

/// Zero where the driver does not say.
std::uint64_t completions::nanoseconds_of(const event_ref& event) const {
  const std::uint64_t since = between(start_, event);
  return since == UINT64_MAX ? 0 : start_time_ + since;
}

/// time: of the event, in nanoseconds.
void completions::move_start(const event_ref& to, std::uint64_t time) {
  constexpr std::uint64_t long_enough = 1'000'000'000;
  if (time < start_time_ + long_enough) return;
  start_ = to;
  start_time_ = time;
}

}  // namespace hocket::gpu

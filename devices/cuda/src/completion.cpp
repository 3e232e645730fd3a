// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "completion.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "errors.hpp"

namespace hocket::cuda {

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
  return in.why() != success ? in.why() : in_->driver().cuEventSynchronize(event.get());
}

/// The stream is in order, and the last command was waited for: the others have ended as well.
void completions::finish(std::span<commands::entry> ended, std::vector<command_result>& results) {
  const current in(*in_);
  const time_stamp heard = where_.now();
  const code status = in.why() != success ? in.why() : ended.back().item.status;
  for (const commands::entry& e : ended) {
    const enqueued& what = e.item.what;
    command_result how{what.why, e.handed, std::max(e.handed, heard)};
    if (status != success) {
      // A wait that failed in another way has not waited.
      const failure why = failure_of(status, device_, "to run a command");
      how.why = {failure_code::device_lost, why.message()};
    } else {
      std::tie(how.begin, how.end) =
          clock_.on_host(nanoseconds_of(what.begin), nanoseconds_of(what.end), how.begin, how.end);
    }
    results.push_back(std::move(how));
  }
  if (status == success) move_start(ended.back().item.what.end);
}

/// Zero where the driver does not say.
std::uint64_t completions::nanoseconds_of(const event_ref& event) const {
  constexpr double in_a_millisecond = 1e6;
  float milliseconds = 0;
  if (in_->driver().cuEventElapsedTime(&milliseconds, start_.get(), event.get()) != success) {
    return 0;
  }
  if (!(milliseconds >= 0)) return 0;
  return start_time_ + static_cast<std::uint64_t>(milliseconds * in_a_millisecond);
}

void completions::move_start(const event_ref& to) {
  constexpr std::uint64_t long_enough = 1'000'000'000;
  const std::uint64_t time = nanoseconds_of(to);
  if (time < start_time_ + long_enough) return;
  start_ = to;
  start_time_ = time;
}

}  // namespace hocket::cuda

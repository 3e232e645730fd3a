// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// How long a lost device holds up the others, beside what that may take: on a simulated machine and
// the virtual clock. A device is lost at moments that lie equally far apart.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <hocket/hocket.hpp>

#include "harness/command.hpp"
#include "problems/run.hpp"

namespace hocket::bench {

namespace {

using std::chrono::microseconds;

/// The trace numbers tasks that are run again from here on.
constexpr std::uint64_t first_again = std::uint64_t{1} << 62U;

bool is_again(const trace_record& span) { return span.task.value >= first_again; }
bool is_kernel(const trace_record& span) { return span.kind == trace_kind::kernel; }

/// One loss, in milliseconds.
struct loss {
  double lost = 0;       ///< from the loss to the first task that does not run again
  double in_flight = 0;  ///< the longest kernel or copy at the moment of the loss
  double again = 0;      ///< from the first task that runs again to the end of the last
  /// Twice what was in flight, and what had to run again.
  [[nodiscard]] double allowed() const { return 2 * in_flight + again; }
  [[nodiscard]] double ratio() const { return allowed() > 0 ? lost / allowed() : 0; }
};

double milliseconds_of(nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

double longest_at(const std::vector<trace_record>& spans, time_stamp moment) {
  nanoseconds longest{0};
  for (const trace_record& span : spans) {
    const bool is_command = is_kernel(span) || span.kind == trace_kind::transfer;
    if (is_command && span.begin <= moment && span.end > moment) {
      longest = std::max(longest, span.end - span.begin);
    }
  }
  return milliseconds_of(longest);
}

/// The price of a loss at that moment. before: the spans of the run in which nothing is lost.
loss measured(const std::vector<trace_record>& before, const schedule& with_loss,
              time_stamp moment) {
  loss made;
  made.in_flight = longest_at(before, moment);
  time_stamp begin = time_stamp::max(), end{}, next = time_stamp::max();
  for (const trace_record& span : with_loss.spans) {
    if (!is_again(span)) continue;
    begin = std::min(begin, span.begin);
    end = std::max(end, span.end);
  }
  if (end > begin) made.again = milliseconds_of(end - begin);
  for (const trace_record& span : with_loss.spans) {
    if (is_kernel(span) && !is_again(span) && span.begin >= std::max(moment, end)) {
      next = std::min(next, span.begin);
    }
  }
  // Where no task comes after them, all has been done when those that run again end.
  if (next == time_stamp::max()) next = std::max(moment, end);
  made.lost = milliseconds_of(next - moment);
  return made;
}

/// The losses of one device at so many moments of one problem, by their ratios.
std::vector<loss> losses_of(const problem& what, const sim_machine& machine,
                            const std::string& device, int moments) {
  run_setup how{.keep_spans = true, .survive = true};
  const schedule undisturbed = run(what, machine, how);
  std::vector<loss> all;
  for (int i = 1; i <= moments; ++i) {
    const auto moment =
        microseconds(static_cast<std::int64_t>(undisturbed.makespan * 1e6 * i / (moments + 1)));
    how.faults = "lose " + device + " after " + std::to_string(moment.count()) + "us";
    const schedule with_loss = run(what, machine, how);
    if (with_loss.given_up > 0) throw std::runtime_error("The loss was not made good.");
    all.push_back(measured(undisturbed.spans, with_loss, time_stamp(moment)));
  }
  std::ranges::sort(all, {}, &loss::ratio);
  return all;
}

/// The median loss of the device by its ratio, and the one with the highest.
std::vector<comparison> comparisons_of_device(const sim_machine& machine, const problem& what,
                                              const std::string& device, int moments) {
  const auto found = std::make_shared<std::vector<loss>>();
  const auto answering = [=](bool is_worst, double (*value)(const loss&)) {
    return [=] {
      if (found->empty()) *found = losses_of(what, machine, device, moments);
      return [=] { return value(is_worst ? found->back() : (*found)[found->size() / 2]); };
    };
  };
  std::vector<comparison> made;
  for (const bool is_worst : {false, true}) {
    made.push_back(
        {.name = machine.name + ", " + what.name + ", " + device,
         .metric = (is_worst ? "worst of " : "median of ") + std::to_string(moments),
         .unit = "ms",
         .contenders = {{"hocket", answering(is_worst, [](const loss& of) { return of.lost; })},
                        {"allowed",
                         answering(is_worst, [](const loss& of) { return of.allowed(); })}},
         .once = true});
  }
  return made;
}

std::vector<comparison> comparisons_of(const settings& wanted) {
  constexpr int moments = 50, few = 3;
  const problem what = cholesky(wanted.quick ? 8 : 20);
  const sim_machine machine = find_machine("unequal-gpus");
  std::vector<comparison> all;
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    if (machine.devices[i].shares_host_memory) continue;
    std::ranges::move(comparisons_of_device(machine, what, "Sim" + std::to_string(i),
                                            wanted.quick ? few : moments),
                      std::back_inserter(all));
  }
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  return hocket::bench::run_bench(
      argc, argv, "bench_recovery",
      "How long other tasks wait when a device is lost, beside what that may take.",
      hocket::bench::comparisons_of);
}

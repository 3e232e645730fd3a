// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "explain_findings.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace tools {

namespace {

using hocket::nanoseconds;
using hocket::traced_candidate;
using hocket::traced_choice;
using hocket::traced_task;

constexpr std::size_t most_mispredicted = 5;

nanoseconds beyond_prediction(const traced_task* t) { return t->end - t->begin - t->predicted; }

const traced_candidate* candidate_at(const traced_task& of, hocket::device_id device) {
  const auto at = std::ranges::find(of.candidates, device, &traced_candidate::device);
  return at == of.candidates.end() ? nullptr : &*at;
}

/// The best of the others by what the policy compares; null if there is no other.
const traced_candidate* next_best(const traced_task& of) {
  const traced_candidate* best = nullptr;
  for (const traced_candidate& each : of.candidates) {
    if (each.device == of.device) continue;
    if (best == nullptr || sum_of(each) < sum_of(*best)) best = &each;
  }
  return best;
}

/// The terms that made up for the later end of the winner.
std::string advantage(const traced_candidate& winner, const traced_candidate& other) {
  struct term {
    nanoseconds saved;
    const char* text;
  };
  const term terms[] = {
      {other.links - winner.links, "links are spared"},
      {other.staying - winner.staying, "later tasks find its buffers where they are faster"},
      {other.price - winner.price, "the other device is worth more to other tasks"}};
  return std::ranges::max_element(terms, {}, &term::saved)->text;
}

std::string policy_text(const recorded_run& run, const traced_task& of) {
  const traced_candidate* const winner = candidate_at(of, of.device);
  const traced_candidate* const other = next_best(of);
  if (winner == nullptr || other == nullptr) return "the policy chose it";
  const std::string& other_name = run.name_of(other->device);
  const nanoseconds margin = sum_of(*other) - sum_of(*winner);
  if (margin < nanoseconds{0}) {
    return fmt::format("the policy \"{}\" chose it, though {} would have been better by {}",
                       run.policy, other_name, time_text(-margin));
  }
  if (winner->end <= other->end) {
    const bool has_data = winner->bytes == 0 && other->bytes > 0;
    return fmt::format("it ends there first{}; {} would end {} later",
                       has_data ? ", where its data are" : "", other_name,
                       time_text(other->end - winner->end));
  }
  return fmt::format("{}: it ends {} later than on {}, which is behind by {} in all",
                     advantage(*winner, *other), time_text(winner->end - other->end), other_name,
                     time_text(margin));
}

}  // namespace

std::string time_text(nanoseconds time) {
  const auto count = static_cast<double>(time.count());
  if (time >= std::chrono::seconds(1)) return fmt::format("{:.4g} s", count / 1e9);
  if (time >= std::chrono::milliseconds(1)) return fmt::format("{:.4g} ms", count / 1e6);
  return fmt::format("{:.4g} us", count / 1e3);
}

run_findings find_in(const recorded_run& run, const wait_finder& waits) {
  run_findings made;
  made.path = waits.critical_path();
  std::array<nanoseconds, names_of_causes.size()> longest{};
  for (const traced_task& t : run.tasks) {
    if (!ran(t)) continue;
    ++made.chosen[static_cast<std::size_t>(t.why)];
    if (beyond_prediction(&t) > nanoseconds{0}) made.mispredicted.push_back(&t);
    const task_waits waited = waits.waits_of(t);
    for (std::size_t i = 0; i < longest.size(); ++i) {
      if (waited.by_cause[i] <= longest[i]) continue;
      longest[i] = waited.by_cause[i];
      made.longest[i] = &t;
    }
  }
  const std::size_t kept = std::min(most_mispredicted, made.mispredicted.size());
  std::ranges::stable_sort(made.mispredicted, std::ranges::greater{}, beyond_prediction);
  made.mispredicted.resize(kept);
  return made;
}

std::vector<const traced_task*> tasks_called(const recorded_run& run, const std::string& name) {
  std::vector<const traced_task*> made;
  for (const traced_task& t : run.tasks) {
    if (t.name == name) made.push_back(&t);
  }
  std::uint64_t id = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data(), end, id);
  if (!made.empty() || read.ec != std::errc() || read.ptr != end) return made;
  if (const traced_task* const found = run.find(hocket::task_id{id})) made.push_back(found);
  return made;
}

std::string why_text(const recorded_run& run, const traced_task& of) {
  switch (of.why) {
    case traced_choice::none:
      return "it was given to no device";
    case traced_choice::named:
      return "the task names it";
    case traced_choice::only:
      return "no other device can run it";
    case traced_choice::behind:
      return "it was queued behind a task before it";
    case traced_choice::moved:
      return "it stood idle and took the task from the queue of another device";
    case traced_choice::kept:
      return "it ran there in the run of its graph whose schedule is repeated";
    case traced_choice::policy:
      break;
  }
  return policy_text(run, of);
}

}  // namespace tools

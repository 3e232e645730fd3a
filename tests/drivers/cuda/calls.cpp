// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "calls.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <vector>

#include "driver.hpp"
#include "names.hpp"

namespace standin {

namespace {

struct fault {
  std::string name;
  std::uint64_t call = 0;
  std::string action;
  int reason = 0;
};

struct call_record {
  std::mutex mutex;
  std::map<std::string, std::uint64_t> counts;
  std::vector<fault> plan;
};

std::vector<fault> read_plan(const char* text) {
  std::vector<fault> plan;
  std::istringstream entries(text);
  for (std::string one; std::getline(entries, one, ';');) {
    std::istringstream words(one);
    fault f;
    if (!(words >> f.name)) continue;
    const bool known = (words >> f.call >> f.action) &&
                       (f.action == "fail" || f.action == "hang" || f.action == "lose");
    if (!known) {
      std::fprintf(stderr, "%s: a fault is not understood: %s\n", names.title, one.c_str());
      std::abort();
    }
    if (!(words >> f.reason)) f.reason = f.action == "lose" ? ecc_uncorrectable : unknown;
    plan.push_back(f);
  }
  return plan;
}

call_record& record() {
  static call_record& only = *[] {
    auto* made = new call_record;
    if (const char* const text = std::getenv(names.faults)) {
      made->plan = read_plan(text);
    }
    return made;
  }();
  return only;
}

bool& hang_flag() {
  thread_local bool due = false;
  return due;
}

/// The device of the current context, or the first one, is gone with all contexts on it.
void lose_device(int reason) {
  driver& d = driver::get();
  if (d.devices.empty()) return;
  const auto& stack = context_stack();
  device& lost = stack.empty() || !stack.back() ? *d.devices.front() : stack.back()->on;
  lost.lost = reason;
  if (!stack.empty() && stack.back()) stack.back()->error = reason;
  const std::lock_guard lock(lost.mutex);
  if (lost.primary) lost.primary->error = reason;
}

}  // namespace

void say(const std::string& text) {
  static const bool wanted = std::getenv(names.say) != nullptr;
  if (wanted) std::fprintf(stderr, "%s: %s\n", names.title, text.c_str());
}

void begin_call(const char* name) {
  call_record& r = record();
  fault due;
  {
    const std::lock_guard lock(r.mutex);
    const std::uint64_t number = ++r.counts[name];
    hang_flag() = false;
    for (const fault& f : r.plan) {
      if (f.name == name && f.call == number) due = f;
    }
  }
  if (due.action == "hang") {
    hang_flag() = true;
  } else if (due.action == "lose") {
    lose_device(due.reason);
  }
  if (due.action == "fail" || due.action == "lose") {
    throw failure(static_cast<code>(due.reason), "the plan of faults has this call");
  }
}

bool hang_is_due() { return std::exchange(hang_flag(), false); }

std::uint64_t calls_of(const std::string& name) {
  call_record& r = record();
  const std::lock_guard lock(r.mutex);
  const auto found = r.counts.find(name);
  return found == r.counts.end() ? 0 : found->second;
}

}  // namespace standin

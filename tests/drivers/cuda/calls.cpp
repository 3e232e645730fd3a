// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "calls.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>
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
  std::set<std::string> released;
};

constexpr std::string_view actions[]{"fail", "hang", "hold", "lose"};

std::vector<fault> read_plan(const char* text) {
  std::vector<fault> plan;
  std::istringstream entries(text);
  for (std::string one; std::getline(entries, one, ';');) {
    std::istringstream words(one);
    fault f;
    if (!(words >> f.name)) continue;
    const bool known =
        (words >> f.call >> f.action) && std::ranges::find(actions, f.action) != std::end(actions);
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

/// Of the call of this thread that began last.
std::function<bool()>& due_hold() {
  thread_local std::function<bool()> due;
  return due;
}

std::function<bool()> until_released(const std::string& name) {
  return [name] {
    call_record& r = record();
    const std::lock_guard lock(r.mutex);
    return r.released.contains(name);
  };
}

/// The device of the current context, or the first one, is gone with all contexts on it.
void lose_device(int reason) {
  driver& d = driver::get();
  if (d.devices.empty()) return;
  const auto& stack = context_stack();
  device& lost = stack.empty() || !stack.back() ? *d.devices.front() : stack.back()->on;
  std::vector<std::shared_ptr<context>> failed;
  if (!stack.empty()) failed.push_back(stack.back());
  {
    const std::lock_guard lock(lost.mutex);
    failed.push_back(lost.primary);
  }
  std::erase(failed, nullptr);
  for (const auto& each : failed) each->error = reason;
  lost.lost = reason;
  for (const auto& each : failed) each->await_running();
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
    due_hold() = nullptr;
    for (const fault& f : r.plan) {
      if (f.name == name && f.call == number) due = f;
    }
  }
  if (due.action == "hang") {
    due_hold() = [] { return false; };
  } else if (due.action == "hold") {
    due_hold() = until_released(due.name);
  } else if (due.action == "lose") {
    lose_device(due.reason);
  }
  if (due.action == "fail" || due.action == "lose") {
    throw failure(static_cast<code>(due.reason), "the plan of faults has this call");
  }
}

void begin_plan(const char* text) {
  call_record& r = record();
  std::vector<fault> plan = read_plan(text);
  const std::lock_guard lock(r.mutex);
  r.plan = std::move(plan);
  r.counts.clear();
  r.released.clear();
}

std::function<bool()> take_hold() { return std::exchange(due_hold(), nullptr); }

void release(const std::string& name) {
  call_record& r = record();
  const std::lock_guard lock(r.mutex);
  r.released.insert(name);
}

std::uint64_t calls_of(const std::string& name) {
  call_record& r = record();
  const std::lock_guard lock(r.mutex);
  const auto found = r.counts.find(name);
  return found == r.counts.end() ? 0 : found->second;
}

}  // namespace standin

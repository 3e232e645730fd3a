// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// seeded_search: runs many seeded programs. A seed that fails is printed, and running it again with
// --first SEED --count 1 reproduces it anywhere.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string_view>
#include <thread>
#include <vector>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>

#include "actions.hpp"
#include "data/seeded_bug.hpp"
#include "device_faults.hpp"
#include "run.hpp"

namespace {

using namespace hocket;

struct arguments {
  std::uint64_t first = 1;
  std::uint64_t count = 1000;
  int seeded_bug = 0;
  bool real_clock = false;
  bool in_place = false;    ///< on the host alone, without a placement engine
  bool survives = false;    ///< devices are lost, which must not show
  bool drains = false;      ///< devices are drained and resumed, which must not show either
  bool speculates = false;  ///< launches that are late run twice, which must not show
  bool describe = false;
  bool expect_found = false;  ///< of a seeded bug
  bool actions = false;       ///< their hash is printed
  std::string expected;       ///< the hash
};

arguments parse(int count, char** values) {
  arguments made;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = values[i];
    if (name == "--real") {
      made.real_clock = true;
      continue;
    }
    if (name == "--in-place") {
      made.in_place = true;
      continue;
    }
    if (name == "--survive") {
      made.survives = true;
      continue;
    }
    if (name == "--drain") {
      made.drains = true;
      continue;
    }
    if (name == "--speculate") {
      made.speculates = true;
      continue;
    }
    if (name == "--expect-found") {
      made.expect_found = true;
      continue;
    }
    if (name == "--actions") {
      made.actions = true;
      continue;
    }
    if (name == "--describe") {
      made.describe = true;
      continue;
    }
    const std::string_view value = i + 1 < count ? values[++i] : "";
    if (name == "--first")
      made.first = parse_number(name, value, 0, UINT64_MAX);
    else if (name == "--count")
      made.count = parse_number(name, value, 1, UINT64_MAX);
    else if (name == "--bug")
      made.seeded_bug = static_cast<int>(parse_number(name, value, 0, 99));
    else if (name == "--expect-actions")
      made.expected = value;
    else
      throw usage_error("There is no option \"" + std::string(name) + "\".");
  }
  return made;
}

void describe(const seeded::program& made) {
  std::fputs(to_string(made).c_str(), stdout);
  if (const auto other = seeded::other_program(made)) {
    std::printf("beside it, on the same devices:\n%s", to_string(*other).c_str());
  }
}

/// Returns the exit status.
int compare_actions(const std::string& expected) {
  const seeded::watched_actions all = seeded::actions_so_far();
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(all.hash));
  std::printf("%llu actions, hash %s\n", static_cast<unsigned long long>(all.count), hash);
  if (expected.empty() || hash == expected) return 0;
  std::printf(
      "The scheduler decides otherwise than before, when the hash was %s. If it is meant to, write "
      "the new hash into tests/seeded/CMakeLists.txt.\n",
      expected.c_str());
  return 1;
}

/// A fifth of all launches begins later.
std::vector<fault_rule> delays_of(std::uint64_t seed) {
  const auto by = std::chrono::milliseconds(1 + seed % 50);
  return {{.action = fault_action::delay,
           .device = "*",
           .call = fault_call::launch,
           .percent = 20,
           .by = by}};
}

/// Ends the process where a seed does not end: over threads a program may hang once in very many
/// runs, and its seed is needed then.
class seed_watch {
 public:
  void begins(std::uint64_t seed) {
    const std::lock_guard lock(guard_);
    seed_ = seed;
    ++begun_;
  }

 private:
  void watch(const std::stop_token& stop) {
    constexpr std::chrono::minutes longest{3};
    std::unique_lock lock(guard_);
    for (std::uint64_t seen = begun_;; seen = begun_) {
      if (stopped_.wait_for(lock, stop, longest, [&] { return begun_ != seen; })) continue;
      if (stop.stop_requested()) return;
      std::printf("seed %llu has not ended for three minutes\n",
                  static_cast<unsigned long long>(seed_));
      std::fflush(stdout);
      std::abort();
    }
  }

  std::mutex guard_;  // for what follows
  std::condition_variable_any stopped_;
  std::uint64_t seed_ = 0, begun_ = 0;
  std::jthread thread_{[this](const std::stop_token& stop) { watch(stop); }};
};

int search(const arguments& given) {
  seeded::run_settings settings;
  std::optional<seed_watch> watch;
  if (given.real_clock) {
    watch.emplace();
    // Each runtime tells what is pending, and what it waits for.
    ::setenv("HOCKET_WATCHDOG", "60s", 0);
  }
  // A seed that fails is to fail on every machine, whatever was measured there before.
  ::setenv("HOCKET_COSTS", "off", 1);
  if (!given.real_clock) ::setenv("HWLOC_SYNTHETIC", "numa:1 core:4 pu:1", 1);
  settings.topology = std::make_shared<const host_topology>();
  settings.real_clock = given.real_clock;
  settings.in_place = given.in_place;
  settings.survives = given.survives;
  settings.speculates = given.speculates;
  settings.disturb = [&given](runtime& rt, const seeded::program& made,
                              const seeded::run_settings& how) {
    const bool rests = made.seed % 2 == 0 || made.max_pending > 0 || how.has_other;
    const seeded::device_faults::kinds kinds{
        .losses = given.survives,
        .drains = given.drains,
        .reopens = given.drains && given.survives && !how.has_other,
        .rests_long = given.drains && rests};
    return std::make_unique<seeded::device_faults>(rt, made.seed, kinds);
  };
  detail::seed_bug(given.seeded_bug);
  if (given.actions) seeded::watch_actions();
  std::size_t duplicates = 0, won = 0;
  for (std::uint64_t seed = given.first; seed < given.first + given.count; ++seed) {
    seeded::program made = seeded::make_program(seed);
    // Losses are asked of devices that have no faults on purpose.
    const bool may_delay =
        given.speculates && !given.survives && made.devices > 1 && !made.loses_devices;
    if (may_delay && seed % 4 == 0) made.faults = delays_of(seed);
    if (given.describe) describe(made);
    seeded::forget_names();
    if (watch) watch->begins(seed);
    const auto& [wrong, report] = seeded::run_and_compare(made, settings);
    duplicates += report.duplicates;
    won += report.duplicates_won;
    if (wrong.empty()) continue;
    std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), wrong.c_str());
    std::fflush(stdout);
    return 1;
  }
  std::printf("%llu seeds agree with the interpreter\n",
              static_cast<unsigned long long>(given.count));
  if (given.speculates)
    std::printf("%zu launches ran twice, %zu second runs won\n", duplicates, won);
  return given.actions ? compare_actions(given.expected) : 0;
}

/// Searches in a process of its own. A mismatch, a crash and a search without end all count as
/// found.
int search_for_bugs(const arguments& given) {
  constexpr unsigned longest_search = 40;  // seconds
  const pid_t child = fork();
  if (child == 0) {
    alarm(longest_search);
    std::_Exit(search(given));
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 2;
  const bool found = !WIFEXITED(status) || WEXITSTATUS(status) == 1;
  std::printf("seeded bug %d was %s\n", given.seeded_bug, found ? "found" : "not found");
  return found ? 0 : 1;
}

}  // namespace

int main(int count, char** values) {
  try {
    const arguments given = parse(count, values);
    return given.expect_found ? search_for_bugs(given) : search(given);
  } catch (const usage_error& e) {
    std::fprintf(stderr, "seeded_search: %s\n", e.what());
    return 2;
  }
}

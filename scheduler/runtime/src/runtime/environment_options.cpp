// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/environment_options.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <filesystem>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

#include "runtime/counter_export.hpp"

namespace hocket::detail {

namespace {

// Twenty megabytes, and the tasks of most runs.
constexpr std::size_t spans_of_trace = std::size_t{1} << 18U;

clock_kind clock_of(const std::string& name) {
  if (name == "simulated") return clock_kind::simulated;
  if (name == "real") return clock_kind::real;
  throw usage_error("HOCKET_CLOCK is " + in_quotes(name) +
                    "; it must be \"real\" or \"simulated\".");
}

resilience_kind resilience_of(const std::string& name) {
  if (name == "survive") return resilience_kind::survive;
  if (name == "none") return resilience_kind::none;
  throw usage_error("HOCKET_RESILIENCE is " + in_quotes(name) +
                    "; it must be \"none\" or \"survive\".");
}

integrity_kind integrity_of(const std::string& name) {
  if (name == "copies") return integrity_kind::copies;
  if (name == "none") return integrity_kind::none;
  throw usage_error("HOCKET_INTEGRITY is " + in_quotes(name) +
                    "; it must be \"none\" or \"copies\".");
}

/// Returns zero for what is no number.
double number_of(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  return problem == std::errc() && stop == end ? number : 0;
}

constexpr double largest_speculation = 1e6;

bool is_speculation(double factor) { return factor >= 1 && factor <= largest_speculation; }

double speculation_of(double given) {
  if (given != 0 && !is_speculation(given)) {
    throw usage_error("runtime_options::speculation is " + std::to_string(given) +
                      "; it is a factor from 1 to 1000000, or zero for none.");
  }
  const auto text = environment_variable("HOCKET_SPECULATION");
  if (given != 0 || !text) return given;
  const double asked = number_of(*text);
  if (is_speculation(asked)) return asked;
  throw usage_error("HOCKET_SPECULATION is " + in_quotes(*text) +
                    "; it must be a factor from 1 to 1000000.");
}

constexpr std::size_t max_spans = std::size_t{1} << 32U;

/// Throws usage_error for numbers that have no meaning.
void check_numbers(const runtime_options& given) {
  if (given.max_repeated == 0) {
    throw usage_error("runtime_options::max_repeated is 0; it must be at least 1.");
  }
  if (given.max_attempts == 0) {
    throw usage_error("runtime_options::max_attempts is 0; it must be at least 1.");
  }
  if (given.trace_capacity > max_spans) {
    throw usage_error("runtime_options::trace_capacity is " + std::to_string(given.trace_capacity) +
                      "; it is a number of spans, " + std::to_string(max_spans) + " at most.");
  }
  // Not true of a NaN.
  if (!(given.delay_probability >= 0 && given.delay_probability <= 1)) {
    throw usage_error("runtime_options::delay_probability is " +
                      std::to_string(given.delay_probability) +
                      "; it is a probability, from 0 to 1.");
  }
  const auto check_time = [](const char* option, nanoseconds time) {
    if (time >= nanoseconds{0}) return;
    throw usage_error(std::string("runtime_options::") + option + " is " +
                      std::to_string(time.count()) + " ns; it is a time, or zero for none.");
  };
  check_time("longest_delay", given.longest_delay);
  check_time("hang_timeout", given.hang_timeout);
  check_time("quarantine", given.quarantine);
}

}  // namespace

runtime_options with_environment(runtime_options given) {
  if (given.clock == clock_kind::real) {
    if (const auto clock = environment_variable("HOCKET_CLOCK")) given.clock = clock_of(*clock);
  }
  if (given.resilience == resilience_kind::none) {
    const auto name = environment_variable("HOCKET_RESILIENCE");
    if (name) given.resilience = resilience_of(*name);
  }
  if (given.integrity == integrity_kind::none) {
    const auto name = environment_variable("HOCKET_INTEGRITY");
    if (name) given.integrity = integrity_of(*name);
  }
  if (given.faults.empty()) {
    const auto text = environment_variable("HOCKET_FAULTS");
    if (text) given.faults = fault_plan(*text, "HOCKET_FAULTS");
  }
  check_numbers(given);
  if (given.hang_timeout == nanoseconds{0}) {
    const auto text = environment_variable("HOCKET_HANG_TIMEOUT");
    if (text) given.hang_timeout = parse_duration("HOCKET_HANG_TIMEOUT", *text);
  }
  given.speculation = speculation_of(given.speculation);
  if (environment_variable("HOCKET_TRACE")) {
    given.trace_decisions = true;
    if (given.trace_capacity == 0) given.trace_capacity = spans_of_trace;
  }
  if (wants_counters()) given.export_counters = true;
  return given;
}

backend_configurations with_environment(backend_configurations given,
                                        const backend_list& backends) {
  for (const auto& each : backends) {
    std::string variable = "HOCKET_BACKEND_" + each->name();
    std::ranges::transform(variable, variable.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const auto text = environment_variable(variable.c_str());
    if (text) given.try_emplace(each->name(), *text);
  }
  return given;
}

std::string trace_file_of(std::uint64_t runtime) {
  const auto named = environment_variable("HOCKET_TRACE");
  if (!named || runtime == 1) return named.value_or("");
  const std::filesystem::path file(*named);
  const std::string name =
      file.stem().string() + "-" + std::to_string(runtime) + file.extension().string();
  return (file.parent_path() / name).string();
}

}  // namespace hocket::detail

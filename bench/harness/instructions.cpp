// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "instructions.hpp"

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "process.hpp"

namespace hocket::bench {

namespace {

/// The instructions that a file of callgrind has in all.
double total_in(const std::string& file) {
  constexpr std::string_view key = "totals: ";
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(key)) return std::stod(line.substr(key.size()));
  }
  throw std::runtime_error("Callgrind has not counted a sample (is the program stripped?): \"" +
                           file + "\" has no totals.");
}

}  // namespace

void take_samples(const std::vector<comparison>& all, const sample_choice& chosen) {
  for (const comparison& each : all) {
    if (each.metric != chosen.metric || each.name != chosen.name) continue;
    for (const contender& one : each.contenders) {
      if (one.subject != chosen.subject) continue;
      (void)measure({each.name, each.metric, each.unit, each.threads, {one}}, chosen.rounds);
      return;
    }
  }
  throw std::runtime_error(
      fmt::format("There is no {} {} by {}.", chosen.name, chosen.metric, chosen.subject));
}

std::vector<row> count_instructions(const comparison& what, std::size_t rounds, bool quick) {
  // Under valgrind hwloc says of this part that it cannot work, and works without.
  ::setenv("HWLOC_COMPONENTS", "-x86", 0);
  std::vector<row> rows;
  for (const contender& each : what.contenders) {
    const temporary_folder folder;
    const std::string file = folder.name() + "/out";
    std::vector<std::string> line{"valgrind",
                                  "-q",
                                  "--tool=callgrind",
                                  "--callgrind-out-file=" + file,
                                  "--zero-before=" + std::string(begin_of_work) + "*",
                                  "--dump-before=" + std::string(end_of_work) + "*",
                                  this_program()};
    if (quick) line.emplace_back("--quick");
    line.insert(line.end(),
                {"samples", what.name, what.metric, each.subject, std::to_string(rounds)});
    (void)output_of(line);
    // The first sample does not count here either.
    std::vector<double> counts;
    for (std::size_t i = 2; i < rounds + 2; ++i) {
      counts.push_back(total_in(fmt::format("{}.{}", file, i)) / static_cast<double>(what.tasks));
    }
    rows.push_back(summary_of({what.name, what.metric, "instr/task", 1, {}, what.tasks, what.size},
                              each.subject, counts));
  }
  return rows;
}

}  // namespace hocket::bench

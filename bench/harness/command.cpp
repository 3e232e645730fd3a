// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "command.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "instructions.hpp"
#include "machine.hpp"
#include "report.hpp"

namespace hocket::bench {

namespace {

constexpr std::size_t fewest_rounds = 9;
constexpr std::size_t max_rounds = 10'000;
constexpr std::size_t rounds_when_quick = 3;
constexpr std::size_t rounds_of_counts = 3;  // they hardly differ

/// One line on standard error that is written over, and only where somebody looks at it.
class progress_line {
 public:
  void show(const std::string& text) const {
    if (seen_) std::fprintf(stderr, "\r\033[K%s", text.c_str());
  }
  ~progress_line() { show(""); }

 private:
  bool seen_ = isatty(STDERR_FILENO) == 1;
};

struct request {
  settings wanted;
  std::size_t rounds = fewest_rounds;
  std::optional<std::string> json;
  std::string only;
  std::vector<std::string> without;  ///< with what the names of subjects begin
  bool instructions = false;
  sample_choice chosen;  // nothing: all
  summary at_end = summary::none;
  picture_maker pictures_of;       ///< empty: the benchmark draws nothing
  std::optional<std::string> svg;  ///< the folder for its pictures
};

using comparison_list = std::function<std::vector<comparison>(const settings&)>;

std::vector<row> rows_of(const request& asked, const comparison& one) {
  if (asked.instructions) return count_instructions(one, rounds_of_counts, asked.wanted.quick);
  return measure(one, asked.wanted.quick ? rounds_when_quick : asked.rounds);
}

void measure_and_report(const request& asked, const comparison_list& comparisons_of) {
  report_file target(asked.json.value_or("-"));
  const machine_facts machine = this_machine();
  keep_on_cores(asked.wanted.threads);
  std::vector<comparison> comparisons = comparisons_of(asked.wanted);
  const auto is_left_out = [&](const contender& c) {
    return std::ranges::any_of(
        asked.without, [&](const std::string& each) { return c.subject.starts_with(each); });
  };
  std::erase_if(comparisons, [&](comparison& c) {
    std::erase_if(c.contenders, is_left_out);
    const bool is_asked = c.only_by_name ? c.name == asked.only : c.name.starts_with(asked.only);
    return !is_asked || (asked.instructions && c.tasks == 0) || c.contenders.empty();
  });
  if (comparisons.empty()) {
    throw std::runtime_error(
        "No case begins with \"" + asked.only + "\"" +
        (asked.without.empty() ? "." : " and has a subject that is not left out."));
  }
  std::vector<row> rows;
  {
    const progress_line progress;
    std::size_t done = 0;
    for (const comparison& each : comparisons) {
      progress.show(fmt::format("{}/{} {} {}", ++done, comparisons.size(), each.name, each.metric));
      for (row& measured : rows_of(asked, each)) rows.push_back(std::move(measured));
    }
  }
  const auto form = asked.json ? to_json : to_table;
  std::vector<mean_ratio> means;
  if (asked.at_end == summary::mean_ratios) means = mean_ratios(rows);
  target.write(form(machine, built_commit(), rows, means));
  if (!asked.svg) return;
  for (const picture& each : asked.pictures_of(rows)) {
    report_file(*asked.svg + "/" + each.file).write(each.svg);
  }
}

void do_what_is_asked(request asked, const comparison_list& comparisons_of) {
  const bool one_alone = asked.chosen.rounds > 0;
  if (one_alone || asked.instructions) asked.wanted.threads = 1;
  if (!one_alone) return measure_and_report(asked, comparisons_of);
  keep_on_cores(asked.wanted.threads);
  take_samples(comparisons_of(asked.wanted), asked.chosen);
}

/// How the command line is written.
void describe(CLI::App& app, request& asked, std::size_t cores) {
  app.set_help_flag("-h,--help", "Print this and end");
  app.add_option("--json", asked.json, "Write JSON there, - is standard output, not a table")
      ->type_name("FILE");
  app.add_option("--threads", asked.wanted.threads, "Use so many cores (default: all)")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, cores));
  app.add_option("--rounds", asked.rounds, "Measure so many times (default and least: 9)")
      ->type_name("N")
      ->check(CLI::Range(fewest_rounds, max_rounds));
  app.add_option("--only", asked.only, "Measure the cases that begin so")->type_name("TEXT");
  app.add_option("--without", asked.without, "Leave out the subjects that begin so")
      ->type_name("TEXT,...")
      ->delimiter(',');
  if (asked.pictures_of) {
    app.add_option("--svg", asked.svg, "Write pictures into that folder, too")->type_name("FOLDER");
  }
  app.add_flag("--quick", asked.wanted.quick, "Small counts: whether it runs, not how fast");
  app.add_flag("--instructions", asked.instructions,
               "Count instructions per task with callgrind, on one core, and take no times");
  CLI::App& samples = *app.add_subcommand("samples", "Take samples of one subject and no others");
  samples.add_option("CASE", asked.chosen.name)->required();
  samples.add_option("METRIC", asked.chosen.metric)->required();
  samples.add_option("SUBJECT", asked.chosen.subject)->required();
  samples.add_option("ROUNDS", asked.chosen.rounds)
      ->required()
      ->check(CLI::Range(std::size_t{1}, max_rounds));
}

}  // namespace

int run_bench(int argc, char** argv, const std::string& name, const std::string& what,
              const comparison_list& comparisons_of, summary wanted_summary,
              const picture_maker& pictures_of) {
  // Costs that earlier processes have measured would make runs differ.
  ::setenv("HOCKET_COSTS", "off", 0);
  try {
    const std::size_t cores = allowed_cores();
    request asked;
    asked.wanted.threads = cores;
    asked.at_end = wanted_summary;
    asked.pictures_of = pictures_of;
    CLI::App app(what, name);
    describe(app, asked, cores);
    try {
      app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
      report_file("-").write(app.help());
      return 0;
    } catch (const CLI::ParseError& problem) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), problem.what());
      return 2;
    }
    do_what_is_asked(std::move(asked), comparisons_of);
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), problem.what());
    return 1;
  }
}

}  // namespace hocket::bench

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>

#include <cblas.h>
#include <fmt/format.h>

#include "algorithms.hpp"
#include "common/command_line.hpp"
#include "common/device_work.hpp"
#include "common/ending.hpp"
#include "common/machine_choice.hpp"
#include "common/standard_streams.hpp"

namespace tiled {

namespace {

using namespace hocket;

/// Rounding gives residuals of up to 2, whatever the order is. One update that is left out gives
/// more than 40 up to an order of 4096.
constexpr double largest_residual = 10;

struct options {
  std::string name;
  std::size_t tiles = 8;
  std::size_t edge = 256;
  std::size_t repeat = 1;
  examples::machine_choice on;
  std::string json;
};

using maker = std::function<std::unique_ptr<algorithm>(runtime&, std::size_t, std::size_t)>;

const std::map<std::string, maker>& all_algorithms() {
  static const std::map<std::string, maker> all{
      {"cholesky", make_cholesky}, {"lu", make_lu}, {"qr", make_qr}, {"gemm", make_gemm_of_tiles}};
  return all;
}

/// The work and the time of one run, or of the fastest of several. Without a residual, nothing was
/// executed.
struct outcome {
  double seconds = 0;
  std::optional<double> residual;
  std::vector<device_report> work;
  std::vector<double> runs;  ///< seconds of each
};

outcome run_once(runtime& rt, algorithm& what, const graph& recorded, bool executed) {
  what.generate(rt, examples::host_device(rt));
  rt.wait();
  const runtime_report begin = rt.report();
  rt.run(recorded);
  rt.wait();
  const runtime_report end = rt.report();
  outcome made{
      examples::seconds_of(end.now - begin.now), {}, examples::work_between(begin, end), {}};
  if (executed) made.residual = what.residual();
  return made;
}

/// Runs the recorded graph so often and returns the fastest run. A wrong result is an error.
outcome run_repeatedly(const options& given, runtime& rt, algorithm& what) {
  outcome best;
  std::vector<double> runs;
  const graph recorded = rt.record([&](submitter& to) { what.submit(to); });
  for (std::size_t i = 0; i < given.repeat; ++i) {
    outcome made = run_once(rt, what, recorded, !given.on.simulated());
    if (made.residual && !(*made.residual <= largest_residual)) {
      throw std::runtime_error(
          fmt::format("The result of {} is wrong: its residual is {:.3g}; it may be at most {}.",
                      given.name, *made.residual, largest_residual));
    }
    runs.push_back(made.seconds);
    if (i == 0 || made.seconds < best.seconds) best = std::move(made);
  }
  best.runs = std::move(runs);
  return best;
}

std::string text_of(const options& given, const outcome& best, double flops) {
  std::string text = fmt::format(
      "{} of order {} in {} x {} tiles: {:.4g} s, {:.4g} GFLOP/s{}", given.name,
      given.tiles * given.edge, given.tiles, given.tiles, best.seconds, flops / best.seconds / 1e9,
      given.on.simulated() ? " on the virtual clock of " + given.on.machine : "");
  if (best.runs.size() > 1) {
    text += fmt::format("; of {} runs the first took {:.4g} s, the last {:.4g} s", best.runs.size(),
                        best.runs.front(), best.runs.back());
  }
  if (best.residual) text += fmt::format("; residual {:.2g}, correct", *best.residual);
  return text + "\n\n" + examples::table_of(best.work, best.seconds);
}

std::string json_of(const options& given, const outcome& best, double flops) {
  boost::json::object all{{"algorithm", given.name},
                          {"tiles", given.tiles},
                          {"tile", given.edge},
                          {"machine", given.on.name()},
                          {"seconds", best.seconds},
                          {"runs", boost::json::value_from(best.runs)},
                          {"gflops", flops / best.seconds / 1e9},
                          {"devices", examples::json_of(best.work)}};
  if (best.residual) all["residual"] = *best.residual;
  return boost::json::serialize(all);
}

void add_options(CLI::App& line, options& into) {
  std::vector<std::string> names;
  for (const auto& [name, make] : all_algorithms()) names.push_back(name);
  examples::add_choice(line, "algorithm", into.name, names, "What is computed")->required();
  examples::add_number(line, "--tiles", into.tiles, 1, 1000, "Tiles in a row and in a column");
  examples::add_number(line, "--tile", into.edge, 1, 16384, "Rows and columns of a tile");
  examples::add_number(line, "--repeat", into.repeat, 1, 1'000'000,
                       "Run so often, and tell of the fastest run");
  examples::add_machine_options(line, into.on);
  examples::add_json_option(line, into.json);
}

void run(const options& given) {
  openblas_set_num_threads(1);  // tasks share the cores
  runtime rt(examples::options_for(given.on));
  const auto what = all_algorithms().at(given.name)(rt, given.tiles, given.edge);
  const outcome best = run_repeatedly(given, rt, *what);
  examples::publish(text_of(given, best, what->flops()), json_of(given, best, what->flops()),
                    given.json);
}

}  // namespace

}  // namespace tiled

int main(int argc, char** argv) {
  examples::reserve_standard_streams();
  try {
    CLI::App line{"Factorizes or multiplies matrices in tiles, on all devices.", "tiled_algebra"};
    tiled::options given;
    tiled::add_options(line, given);
    if (examples::read_command_line(line, argc, argv)) tiled::run(given);
    return 0;
  } catch (...) {
    return examples::end_of_program("tiled_algebra");
  }
}

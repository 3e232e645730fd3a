// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "common/command_line.hpp"
#include "common/device_work.hpp"
#include "common/ending.hpp"
#include "common/machine_choice.hpp"
#include "common/standard_streams.hpp"
#include "heat.hpp"

namespace stencil {

namespace {

using namespace hocket;

struct options {
  std::size_t rows = 1024;
  std::size_t columns = 1024;
  std::size_t tile = 256;
  std::size_t steps = 50;
  examples::machine_choice on;
  std::string json;
};

struct outcome {
  double seconds = 0;
  std::vector<device_report> work;
  std::vector<float> temperatures;  ///< none if nothing was executed
};

outcome compute(const options& given, const plate& what) {
  runtime rt(examples::options_for(given.on));
  tiled_plate points(rt, what, given.tile);
  rt.wait();
  const runtime_report begin = rt.report();
  for (std::size_t i = 0; i < given.steps; ++i) points.step(rt);
  rt.wait();
  const runtime_report end = rt.report();
  outcome made{examples::seconds_of(end.now - begin.now), examples::work_between(begin, end), {}};
  if (!given.on.simulated()) made.temperatures = points.temperatures();
  return made;
}

void compare(const std::vector<float>& found, const std::vector<float>& expected,
             std::size_t width) {
  const auto [wrong, right] = std::ranges::mismatch(found, expected);
  if (wrong == found.end()) return;
  const auto at = static_cast<std::size_t>(wrong - found.begin());
  throw std::runtime_error(fmt::format("The point in row {}, column {} is {}; it must be {}.",
                                       at / width, at % width, *wrong, *right));
}

void add_options(CLI::App& line, options& into) {
  constexpr std::size_t most = 1'000'000;
  examples::add_number(line, "--rows", into.rows, 1, most, "Rows of points inside the plate");
  examples::add_number(line, "--columns", into.columns, 1, most, "Columns of points inside it");
  examples::add_number(line, "--tile", into.tile, 1, most, "Rows and columns of a tile");
  examples::add_number(line, "--steps", into.steps, 1, most, "How many steps are computed");
  examples::add_machine_options(line, into.on);
  examples::add_json_option(line, into.json);
}

void run(const options& given) {
  const plate what{given.rows, given.columns};
  const outcome made = compute(given, what);
  if (!given.on.simulated()) {
    compare(made.temperatures, simple_steps(what, given.steps), given.columns + 2);
  }
  const double points = static_cast<double>(given.rows * given.columns * given.steps);
  const double rate = points / made.seconds / 1e6;
  const std::string text = fmt::format(
      "{} steps on {} x {} points in tiles of {} x {}: {:.4g} s, {:.4g} million points/s{}\n\n",
      given.steps, given.rows, given.columns, given.tile, given.tile, made.seconds, rate,
      given.on.simulated() ? " on the virtual clock of " + given.on.machine
                           : "; every bit is that of plain loops");
  const boost::json::object json{{"rows", given.rows},
                                 {"columns", given.columns},
                                 {"tile", given.tile},
                                 {"steps", given.steps},
                                 {"machine", given.on.name()},
                                 {"checked", !given.on.simulated()},
                                 {"seconds", made.seconds},
                                 {"million_points_per_second", rate},
                                 {"devices", examples::json_of(made.work)}};
  examples::publish(text + examples::table_of(made.work, made.seconds),
                    boost::json::serialize(json), given.json);
}

}  // namespace

}  // namespace stencil

int main(int argc, char** argv) {
  examples::reserve_standard_streams();
  try {
    CLI::App line{"Computes how heat spreads in a plate, in tiles on all devices.", "stencil"};
    stencil::options given;
    stencil::add_options(line, given);
    if (examples::read_command_line(line, argc, argv)) stencil::run(given);
    return 0;
  } catch (...) {
    return examples::end_of_program("stencil");
  }
}

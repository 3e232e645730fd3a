// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <string>

#include <harness/chart.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

struct chart_of_cases {
  const char* file;
  const char* title;
  const char* note;
  const char* cases;  ///< with what their names begin
};

constexpr chart_of_cases charts[] = {
    {"scaling-strong.svg", "Strong scaling: one problem on more devices",
     "Virtual clock; dashed: the bound, where it is below the ideal", "strong "},
    {"scaling-weak.svg", "Weak scaling: as much work for each device",
     "Virtual clock; dashed: the bound, where it is below the ideal", "weak "},
    {"scaling-timed-independent.svg", "Independent tasks of 2 ms",
     "Devices and workers that only wait; medians", "timed independent"},
    {"scaling-timed-stencil.svg", "Stencil of tasks of 2 ms, each after three",
     "Devices and workers that only wait; medians", "timed stencil"},
};

bool is_ideal(double efficiency) { return efficiency > 0.99; }

/// One case has curves named after its subjects, of several each has a colour.
std::string name_of(const row& one, const chart_of_cases& chart) {
  const std::string rest = one.name.substr(std::string(chart.cases).size());
  if (rest.empty()) return one.subject;
  return one.subject == "hocket" ? rest : rest + ", " + one.subject;
}

/// Each case of several, or each subject of one case, has a colour of its own.
efficiency_chart chart_of(const chart_of_cases& chart, const std::vector<row>& rows) {
  efficiency_chart made{chart.title, chart.note, {}};
  std::vector<std::string> coloured;
  for (const row& each : rows) {
    if (!each.name.starts_with(chart.cases)) continue;
    const std::string name = name_of(each, chart);
    auto line = std::ranges::find(made.curves, name, &curve::name);
    if (line == made.curves.end()) {
      const std::string key = each.name == chart.cases ? each.subject : each.name;
      auto colour = std::ranges::find(coloured, key);
      if (colour == coloured.end()) colour = coloured.insert(colour, key);
      line = made.curves.insert(
          line,
          {name, {}, static_cast<std::size_t>(colour - coloured.begin()), each.subject == "bound"});
    }
    line->points.push_back({each.size, 1 / each.median});
  }
  std::erase_if(made.curves, [](const curve& line) {
    return line.dashed && std::ranges::all_of(line.points, is_ideal, &curve::point::efficiency);
  });
  return made;
}

}  // namespace

std::vector<picture> pictures_of(const std::vector<row>& rows) {
  std::vector<picture> all;
  for (const chart_of_cases& each : charts) {
    const efficiency_chart made = chart_of(each, rows);
    if (!made.curves.empty()) all.push_back({each.file, to_svg(made)});
  }
  return all;
}

}  // namespace hocket::bench

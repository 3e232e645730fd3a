// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hocket::bench {

/// One line of an efficiency_chart.
struct curve {
  struct point {
    std::size_t devices = 1;
    double efficiency = 1;
  };

  std::string name;
  std::vector<point> points;
  std::size_t colour = 0;  ///< a number; curves of one number have one colour
  bool dashed = false;
};

/// Efficiency against the number of devices, which has a logarithmic axis.
struct efficiency_chart {
  std::string title;
  std::string note;  ///< one line below the title
  std::vector<curve> curves;
};

/// The chart as an SVG file that needs nothing else, with a white background. The vertical axis
/// begins at zero where a point is below 0.8, else at the multiple of 0.02 below the least point.
/// Equal charts give equal text.
[[nodiscard]] std::string to_svg(const efficiency_chart& chart);

}  // namespace hocket::bench

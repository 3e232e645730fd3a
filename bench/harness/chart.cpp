// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace hocket::bench {

namespace {

// All lengths are pixels.
constexpr double width = 720, height = 400;
constexpr double left = 64, right = 220, top = 64, bottom = 56;
constexpr double legend_row = 22;
constexpr double least_of_short_axes = 0.8;
constexpr double step_of_short_axes = 0.02;
constexpr double step_of_long_axes = 0.2;
constexpr double tolerance = 0.1;  // of a step, by which points may lie above the axis

// The colours of Okabe and Ito, which people who do not see all colours can tell apart.
constexpr std::array colours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

std::string escaped(const std::string& text) {
  std::string made;
  for (const char each : text) {
    switch (each) {
      case '&':
        made += "&amp;";
        break;
      case '<':
        made += "&lt;";
        break;
      case '>':
        made += "&gt;";
        break;
      default:
        made += each;
    }
  }
  return made;
}

/// Where numbers of devices and efficiencies lie in the picture.
class axes {
 public:
  explicit axes(const efficiency_chart& chart) {
    double least = 1;
    for (const curve& line : chart.curves) {
      for (const curve::point& each : line.points) {
        least = std::min(least, each.efficiency);
        most_ = std::max(most_, each.efficiency);
        most_devices_ = std::max(most_devices_, each.devices);
      }
    }
    if (least >= least_of_short_axes) {
      // The next step below, also for a least point that lies on a step.
      step_ = step_of_short_axes;
      least_ = (std::ceil(least / step_) - 1) * step_;
    }
    most_ = least_ + std::ceil((most_ - least_) / step_ - tolerance) * step_;
  }

  [[nodiscard]] double x(std::size_t devices) const {
    const double whole = std::max(1.0, std::log2(static_cast<double>(most_devices_)));
    return left + std::log2(static_cast<double>(devices)) / whole * (width - left - right);
  }
  [[nodiscard]] double y(double efficiency) const {
    return top + (most_ - efficiency) / (most_ - least_) * (height - top - bottom);
  }
  [[nodiscard]] std::size_t most_devices() const noexcept { return most_devices_; }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> all;
    const auto count = std::lround((most_ - least_) / step_);
    for (long i = 0; i <= count; ++i) all.push_back(least_ + static_cast<double>(i) * step_);
    return all;
  }

 private:
  double least_ = 0, most_ = 1;
  double step_ = step_of_long_axes;
  std::size_t most_devices_ = 1;
};

std::string grid(const axes& to) {
  std::string text;
  for (const double each : to.ticks()) {
    text += fmt::format(
        "<line x1=\"{0:.0f}\" y1=\"{2:.1f}\" x2=\"{1:.0f}\" y2=\"{2:.1f}\" stroke=\"#dddddd\"/>\n"
        "<text x=\"{3:.0f}\" y=\"{4:.1f}\" text-anchor=\"end\">{5:.0f} %</text>\n",
        left, width - right, to.y(each), left - 8, to.y(each) + 4, each * 100);
  }
  for (std::size_t n = 1; n <= to.most_devices(); n *= 2) {
    text += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"{1:.0f}\" x2=\"{0:.1f}\" y2=\"{2:.0f}\" stroke=\"#dddddd\"/>\n"
        "<text x=\"{0:.1f}\" y=\"{3:.0f}\" text-anchor=\"middle\">{4}</text>\n",
        to.x(n), top, height - bottom, height - bottom + 18, n);
  }
  return text +
         fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\" text-anchor=\"middle\">devices</text>\n",
                     (left + width - right) / 2, height - bottom + 40);
}

std::string drawn(const curve& line, const axes& to, std::size_t row) {
  const std::string style =
      fmt::format("stroke=\"{}\" stroke-width=\"2\"{}", colours[line.colour % colours.size()],
                  line.dashed ? " stroke-dasharray=\"5 4\"" : "");
  std::string corners, marks;
  for (const curve::point& each : line.points) {
    const double x = to.x(each.devices), y = to.y(each.efficiency);
    corners += fmt::format("{}{:.1f},{:.1f}", corners.empty() ? "" : " ", x, y);
    if (line.dashed) continue;
    marks += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", x, y,
                         colours[line.colour % colours.size()]);
  }
  const double x = width - right + 20, y = top + 8 + static_cast<double>(row) * legend_row;
  return fmt::format(
      "<polyline points=\"{0}\" fill=\"none\" {1}/>\n{2}"
      "<line x1=\"{3:.0f}\" y1=\"{5:.0f}\" x2=\"{4:.0f}\" y2=\"{5:.0f}\" {1}/>\n"
      "<text x=\"{6:.0f}\" y=\"{7:.0f}\">{8}</text>\n",
      corners, style, marks, x, x + 24, y, x + 32, y + 4, escaped(line.name));
}

}  // namespace

std::string to_svg(const efficiency_chart& chart) {
  const axes to(chart);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" font-size=\"13\" "
      "fill=\"#222222\">\n"
      "<title>{2}</title>\n"
      "<rect width=\"{0:.0f}\" height=\"{1:.0f}\" fill=\"#ffffff\"/>\n"
      "<text x=\"{3:.0f}\" y=\"26\" font-size=\"16\" font-weight=\"bold\">{2}</text>\n"
      "<text x=\"{3:.0f}\" y=\"46\" fill=\"#555555\">{4}</text>\n",
      width, height, escaped(chart.title), left, escaped(chart.note));
  text += grid(to);
  for (std::size_t i = 0; i < chart.curves.size(); ++i) text += drawn(chart.curves[i], to, i);
  return text + "</svg>\n";
}

}  // namespace hocket::bench

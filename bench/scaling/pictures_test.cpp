// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>

#include <harness/chart.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// Throws if the text is not well-formed.
boost::property_tree::ptree parsed(const std::string& svg) {
  std::istringstream in(svg);
  boost::property_tree::ptree made;
  read_xml(in, made);
  return made.get_child("svg");
}

row measured(const std::string& name, const std::string& subject, std::size_t devices,
             double median) {
  row made;
  made.name = name;
  made.subject = subject;
  made.size = devices;
  made.median = median;
  return made;
}

std::vector<row> some_rows() {
  std::vector<row> rows;
  for (const std::size_t n : {1U, 2U, 4U}) {
    for (const char* name : {"strong a", "strong b", "weak a", "timed independent"}) {
      rows.push_back(measured(name, "hocket", n, 1 + 0.01 * static_cast<double>(n)));
      const bool is_bound = std::string_view(name) == "strong b";
      rows.push_back(measured(name, "bound", n, is_bound ? 1.02 : 1));
    }
  }
  return rows;
}

}  // namespace

/// Bounds that are the ideal itself are not drawn.
TEST(Pictures, AreWellFormedAndOneForEachKindThatWasMeasured) {
  const std::vector<picture> all = pictures_of(some_rows());
  ASSERT_EQ(all.size(), 3U);
  for (const picture& each : all) {
    const auto svg = parsed(each.svg);
    EXPECT_EQ(svg.count("polyline"), each.file == "scaling-strong.svg" ? 3U : 1U) << each.file;
  }
}

TEST(Pictures, AreTheSameForTheSameRows) {
  const std::vector<picture> once = pictures_of(some_rows()), again = pictures_of(some_rows());
  for (std::size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].svg, again[i].svg);
}

TEST(Charts, EscapeTextAndTakeOnePoint) {
  const std::string svg = to_svg({"a < b & c", "", {{"<x>", {{1, 1}}}}});
  EXPECT_EQ(parsed(svg).get<std::string>("title"), "a < b & c");
}

TEST(Charts, BeginAtZeroUnlessAllPointsAreHigh) {
  const auto has_tick = [](double efficiency, const std::string& tick) {
    const std::string svg = to_svg({"", "", {{"x", {{1, 1}, {2, efficiency}}}}});
    return svg.find(">" + tick + " %<") != svg.npos;
  };
  EXPECT_TRUE(has_tick(0.5, "0"));
  EXPECT_FALSE(has_tick(0.95, "0"));
  EXPECT_TRUE(has_tick(0.95, "94"));
  EXPECT_TRUE(has_tick(1.03, "104"));
}

}  // namespace hocket::bench

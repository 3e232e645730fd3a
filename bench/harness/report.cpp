// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "report.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <boost/json.hpp>

namespace hocket::bench {

namespace {

namespace json = boost::json;

bool same_question(const row& a, const row& b) {
  return a.name == b.name && a.metric == b.metric && a.unit == b.unit && a.threads == b.threads;
}

/// The smallest median of the peers that were asked the same; nothing if there were none.
std::optional<double> best_peer(const std::vector<row>& rows, const row& ours) {
  std::optional<double> best;
  for (const row& each : rows) {
    if (each.subject == ours.subject || !same_question(each, ours)) continue;
    best = std::min(best.value_or(each.median), each.median);
  }
  return best;
}

/// The ratio of hocket to the best peer; nothing for other rows, and where there is no peer.
std::optional<double> ratio_of(const std::vector<row>& rows, const row& one) {
  if (one.subject != "hocket") return std::nullopt;
  const auto best = best_peer(rows, one);
  if (!best) return std::nullopt;
  return one.median / *best;
}

/// Three digits at least.
std::string number(double value) { return fmt::format("{:.{}f}", value, value < 10 ? 2 : 1); }

}  // namespace

std::vector<mean_ratio> mean_ratios(const std::vector<row>& rows) {
  std::vector<mean_ratio> means;  // with sums of logarithms at first
  for (const row& each : rows) {
    const auto ratio = ratio_of(rows, each);
    if (!ratio) continue;
    auto found = std::find_if(means.begin(), means.end(),
                              [&](const mean_ratio& one) { return one.metric == each.metric; });
    if (found == means.end()) found = means.insert(found, {each.metric, 0, 0});
    found->ratio += std::log(*ratio);
    ++found->cases;
  }
  for (mean_ratio& each : means)
    each.ratio = std::exp(each.ratio / static_cast<double>(each.cases));
  return means;
}

namespace {

/// The rows of one case and subject that have a size.
std::vector<const row*> sizes_of(const std::vector<row>& rows, const row& first) {
  std::vector<const row*> found;
  for (const row& each : rows) {
    const bool same = each.name == first.name && each.subject == first.subject &&
                      each.unit == first.unit && each.threads == first.threads;
    if (same && each.size > 0) found.push_back(&each);
  }
  return found;
}

/// The slope of the straight line through the logarithms, by least squares.
double slope_of(const std::vector<const row*>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const row* each : points) {
    const double size = std::log10(static_cast<double>(each->size));
    const double cost = std::log10(each->median);
    x += size;
    y += cost;
    xx += size * size;
    xy += size * cost;
  }
  const auto count = static_cast<double>(points.size());
  return (count * xy - x * y) / (count * xx - x * x);
}

}  // namespace

std::vector<growth> growths(const std::vector<row>& rows) {
  std::vector<growth> all;
  for (const row& each : rows) {
    const std::vector<const row*> points = sizes_of(rows, each);
    if (points.size() < 2 || points.front() != &each) continue;
    const auto [least, most] = std::ranges::minmax(points, {}, &row::size);
    if (least->size == most->size) continue;
    all.push_back({each.name, each.subject, each.unit, least->size, most->size,
                   std::pow(10.0, slope_of(points))});
  }
  return all;
}

std::string to_json(const machine_facts& machine, const std::string& commit,
                    const std::vector<row>& rows, const std::vector<mean_ratio>& means) {
  json::array all;
  for (const row& each : rows) {
    all.push_back(json::object{{"case", each.name},
                               {"subject", each.subject},
                               {"metric", each.metric},
                               {"unit", each.unit},
                               {"threads", each.threads},
                               {"median", each.median},
                               {"min", each.min},
                               {"max", each.max},
                               {"runs", each.runs}});
    if (each.size > 0) all.back().as_object()["size"] = each.size;
  }
  json::object report{{"machine",
                       {{"cpu", machine.cpu},
                        {"cores", machine.cores},
                        {"memory_bytes", machine.memory_bytes},
                        {"os", machine.os},
                        {"compiler", machine.compiler},
                        {"load", machine.load}}},
                      {"commit", commit},
                      {"rows", std::move(all)}};
  if (!means.empty()) {
    json::object of_metrics;
    for (const mean_ratio& each : means) of_metrics[each.metric] = each.ratio;
    report["mean_ratios"] = std::move(of_metrics);
  }
  json::array grown;
  for (const growth& each : growths(rows)) {
    grown.push_back(json::object{{"case", each.name},
                                 {"subject", each.subject},
                                 {"unit", each.unit},
                                 {"least", each.least},
                                 {"most", each.most},
                                 {"per_tenfold", each.per_tenfold}});
  }
  if (!grown.empty()) report["growth"] = std::move(grown);
  return json::serialize(report) + "\n";
}

std::string to_table(const machine_facts& machine, const std::string& commit,
                     const std::vector<row>& rows, const std::vector<mean_ratio>& means) {
  std::string text = fmt::format("{}, {} cores, {}, {}, load {:.2f}\ncommit {}\n\n", machine.cpu,
                                 machine.cores, machine.os, machine.compiler, machine.load, commit);
  text += fmt::format("{:<20} {:<15} {:<10} {:>7} {:>12} {:>12} {:>12} {:<8} {:>10}\n", "case",
                      "metric", "subject", "threads", "median", "min", "max", "unit", "to best");
  const row* before = nullptr;
  for (const row& each : rows) {
    const auto ratio = ratio_of(rows, each);
    const bool again = before != nullptr && same_question(*before, each);
    text += fmt::format("{:<20} {:<15} {:<10} {:>7} {:>12} {:>12} {:>12} {:<8} {:>10}\n",
                        again ? "" : each.name, again ? "" : each.metric, each.subject,
                        each.threads, number(each.median), number(each.min), number(each.max),
                        each.unit, ratio ? fmt::format("{:.2f}", *ratio) : "");
    before = &each;
  }
  for (const mean_ratio& each : means) {
    text += fmt::format(
        "\n{}: hocket takes {:.2f} times what the best peer takes (geometric mean of {} cases)",
        each.metric, each.ratio, each.cases);
  }
  if (!means.empty()) text += "\n";
  for (const growth& each : growths(rows)) {
    text += fmt::format("\n{} {}: {:.2f} times as much for ten times the size ({} to {})",
                        each.name, each.subject, each.per_tenfold, each.least, each.most);
  }
  if (!growths(rows).empty()) text += "\n";
  return text;
}

report_file::report_file(std::string name) : name_(std::move(name)) {
  if (name_ == "-") return;
  owned_.reset(std::fopen(name_.c_str(), "wb"));
  if (owned_ == nullptr) fail(errno);
}

void report_file::write(const std::string& text) {
  std::FILE* file = name_ == "-" ? stdout : owned_.get();
  bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  good = std::fflush(file) == 0 && good;
  if (good) return;
  const int reason = errno;
  std::error_code ignored;
  if (owned_ != nullptr && std::filesystem::is_regular_file(name_, ignored)) {
    std::filesystem::remove(name_, ignored);
  }
  fail(reason);
}

void report_file::fail(int reason) const {
  throw std::runtime_error(fmt::format(
      "{} could not be written: {}.",
      name_ == "-" ? "Standard output" : "The file \"" + name_ + '"', std::strerror(reason)));
}

}  // namespace hocket::bench

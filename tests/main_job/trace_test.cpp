// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "program.hpp"

namespace main_job {

namespace {

namespace json = boost::json;

using track = std::pair<std::int64_t, std::int64_t>;

track track_of(const json::object& event) {
  return {event.at("pid").to_number<std::int64_t>(), event.at("tid").to_number<std::int64_t>()};
}

class Trace : public testing::Test {
 protected:
  void SetUp() override {
    const scratch_folder folder;
    const std::string file = folder / "trace.json";
    ASSERT_EQ(run(small_job(folder) + arguments{"--quiet", "--trace", file}).exit_code, 0);
    events_ = json::parse(content_of(file)).at("traceEvents").as_array();
  }

  [[nodiscard]] std::vector<json::object> all(std::string_view phase) const {
    std::vector<json::object> found;
    for (const json::value& each : events_) {
      if (each.at("ph").as_string() == phase) found.push_back(each.as_object());
    }
    return found;
  }

  json::array events_;
};

TEST_F(Trace, NamesEveryTrack) {
  std::set<std::int64_t> processes;
  std::set<track> threads;
  std::set<std::string> names;
  for (const json::object& each : all("M")) {
    names.insert(std::string(each.at("args").at("name").as_string()));
    if (each.at("name") == "process_name") processes.insert(track_of(each).first);
    if (each.at("name") == "thread_name") threads.insert(track_of(each));
  }
  for (const char* name : {"NUMA0", "Sim0", "Sim1", "NUMA0 lane 0", "Sim0 lane 0", "Sim0 in"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  for (const json::object& each : all("X")) {
    EXPECT_TRUE(processes.contains(track_of(each).first));
    EXPECT_TRUE(threads.contains(track_of(each)));
  }
}

TEST_F(Trace, SpansOfATrackDoNotOverlap) {
  std::map<track, std::map<double, double>> spans;
  std::set<std::string> categories;
  for (const json::object& each : all("X")) {
    categories.insert(std::string(each.at("cat").as_string()));
    const double begin = each.at("ts").to_number<double>();
    spans[track_of(each)].emplace(begin, begin + each.at("dur").to_number<double>());
  }
  EXPECT_EQ(categories, (std::set<std::string>{"kernel", "transfer", "wait"}));
  constexpr double rounding = 1e-3;
  for (const auto& [where, of_track] : spans) {
    double last = 0;
    for (const auto& [begin, end] : of_track) {
      EXPECT_GE(begin, last - rounding);
      last = end;
    }
  }
}

TEST_F(Trace, ArrowsGoForward) {
  std::map<std::int64_t, double> starts;
  for (const json::object& each : all("s")) {
    starts[each.at("id").to_number<std::int64_t>()] = each.at("ts").to_number<double>();
  }
  EXPECT_GT(starts.size(), 100U);
  std::size_t ends = 0;
  for (const json::object& each : all("f")) {
    ++ends;
    EXPECT_GE(each.at("ts").to_number<double>(),
              starts.at(each.at("id").to_number<std::int64_t>()));
  }
  EXPECT_EQ(ends, starts.size());
}

}  // namespace

}  // namespace main_job

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct span {
  std::string name;
  trace_record record;
};

std::vector<span> spans_of(const trace_snapshot& trace, trace_kind kind) {
  std::vector<span> found;
  for (std::size_t i = 0; i < trace.records.size(); ++i) {
    if (trace.records[i].kind == kind) found.push_back({trace.record_names[i], trace.records[i]});
  }
  return found;
}

trace_record named(const std::vector<span>& spans, const std::string& name) {
  return std::find_if(spans.begin(), spans.end(), [&](const span& s) { return s.name == name; })
      ->record;
}

TEST(Trace, ShowsWhatADeviceWaitedFor) {
  runtime_options options;
  options.clock = clock_kind::simulated;
  options.backends = {{"sim", "2,flops=1G"}};
  options.trace_capacity = 256;
  runtime rt(options);
  const device_handle first = rt.device("Sim0"), second = rt.device("Sim1");
  const buffer<float> x{rt, 1 << 16, 1.0f}, y{rt, 1 << 16, 1.0f};
  rt.wait();
  rt.submit({.on = second, .label = "ahead"}, ops::fill, 1.0f, writes(y));
  rt.submit({.on = first, .label = "cause"}, ops::axpy, 2.0f, reads(y), updates(x));
  rt.submit({.on = second, .label = "follower"}, ops::axpy, 2.0f, reads(x), updates(y));
  rt.wait();

  const trace_snapshot trace = rt.trace();
  const auto kernels = spans_of(trace, trace_kind::kernel);
  const trace_record follower = named(kernels, "follower");
  const trace_record wait = named(spans_of(trace, trace_kind::wait), "follower");
  EXPECT_EQ(wait.begin, named(kernels, "ahead").end);
  EXPECT_EQ(wait.end, follower.begin);
  EXPECT_EQ(wait.stream, follower.stream);
  EXPECT_EQ(wait.cause, named(kernels, "cause").task);
}

TEST(Trace, ShowsHostTasksSideBySide) {
  runtime_options options;
  options.trace_capacity = 256;
  runtime rt(options);
  constexpr std::size_t count = 100;
  const auto outer = rt.async(task_options{.label = "outer"}, [&] {
    return rt.async(task_options{.label = "inner"}, [] { return 1; }).get();
  });
  for (std::size_t i = 0; i < count; ++i) (void)rt.async([] {});
  EXPECT_EQ(outer.get(), 1);
  rt.wait();

  const trace_snapshot trace = rt.trace();
  const auto tasks = spans_of(trace, trace_kind::host_task);
  ASSERT_EQ(tasks.size(), count + 2);
  const trace_record around = named(tasks, "outer");
  const trace_record inside = named(tasks, "inner");
  EXPECT_LE(around.begin, inside.begin);
  EXPECT_GE(around.end, inside.end);
  EXPECT_NE(around.stream, inside.stream);
  for (const span& a : tasks) {
    EXPECT_EQ(trace.device_names.at(a.record.device.value), "host tasks");
    EXPECT_LT(a.record.stream.value, trace.stream_names.size());
    for (const span& b : tasks) {
      const bool apart = a.record.end <= b.record.begin || b.record.end <= a.record.begin;
      EXPECT_TRUE(&a == &b || apart || a.record.stream != b.record.stream);
    }
  }
}

TEST(Trace, KeepsTheLastHostTasksAndCountsTheOthers) {
  runtime_options options;
  options.clock = clock_kind::simulated;  // one thread, and so one ring
  options.trace_capacity = 8;
  runtime rt(options);
  for (int i = 0; i < 20; ++i) (void)rt.async({.label = "task " + std::to_string(i)}, [] {});
  rt.wait();
  const trace_snapshot trace = rt.trace();
  EXPECT_EQ(spans_of(trace, trace_kind::host_task).size(), 8U);
  EXPECT_EQ(trace.dropped, 12U);
}

TEST(Trace, CanBeReadWhileTasksRun) {
  runtime_options options;
  options.trace_capacity = 16;
  runtime rt(options);
  const std::string long_label(100, 'n');
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 20; ++i) {
      (void)rt.async({.label = i % 2 == 0 ? long_label : "short"}, [] {});
    }
    for (const span& each : spans_of(rt.trace(), trace_kind::host_task)) {
      EXPECT_TRUE(each.name == long_label || each.name == "short") << each.name;
      EXPECT_LE(each.record.begin, each.record.end);
      EXPECT_LE(each.record.end, rt.now());
    }
  }
  rt.wait();
}

/// What the files hold that HOCKET_TRACE named while the runtimes lived that use() made.
template <class Use>
std::vector<std::string> written_by(const Use& use) {
  const auto folder = std::filesystem::path(::testing::TempDir()) /
                      ("hocket_trace_test_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  ::setenv("HOCKET_TRACE", (folder / "run.json").c_str(), 1);
  use();
  ::unsetenv("HOCKET_TRACE");
  std::vector<std::string> made;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(each.path());
    made.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::filesystem::remove_all(folder);
  return made;
}

TEST(Trace, IsWrittenOfFunctionsAlone) {
  const std::vector<std::string> files = written_by([] {
    runtime rt;
    rt.async({.label = "alone"}, [] { return 1; }).get();
  });
  ASSERT_EQ(files.size(), 1U);
  EXPECT_THAT(files[0], AllOf(HasSubstr("host tasks"), HasSubstr("alone")));
}

TEST(Trace, IsEmptyWhereItIsOff) {
  runtime rt;
  rt.async([] {}).get();
  EXPECT_TRUE(rt.trace().records.empty());
}

}  // namespace
}  // namespace hocket

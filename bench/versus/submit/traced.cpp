// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// What it costs to be seen: the same tasks in a runtime that keeps a trace, and in one that does
// not.

#include <memory>
#include <utility>

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

constexpr std::size_t spans_kept = 4096;

/// Both sides of a comparison. Work is made of a runtime, and called for each sample.
template <class MakeWork>
std::vector<contender> with_and_without(std::size_t count, data_path data, MakeWork make_work) {
  const auto of = [&](const char* name, std::size_t capacity) {
    const auto prepare = [=]() -> sampler {
      const auto rt = std::make_shared<runtime>(
          runtime_options{.devices = "NUMA0", .data_tasks = data, .trace_capacity = capacity});
      return [rt, count, work = make_work(*rt)] {
        return nanoseconds_of(work) / static_cast<double>(count);
      };
    };
    return contender{name, prepare};
  };
  return {of("hocket", spans_kept), of("untraced", 0)};
}

}  // namespace

std::vector<contender> ours::traced_functions(load tasks) {
  return with_and_without(tasks.count, data_path::automatic, [tasks](runtime& rt) {
    return [&rt, tasks] {
      repeat(tasks, [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) rt.async([] {});
        rt.wait();
      });
    };
  });
}

std::vector<contender> ours::traced_graph(std::size_t count) {
  return with_and_without(count, data_path::automatic, [count](runtime& rt) {
    const graph recorded = rt.record([&](submitter& s) {
      future<void> last = s.async([] {});
      for (std::size_t i = 1; i < count; ++i) last = s.async({.after = {last}}, [] {});
    });
    return [&rt, recorded] { rt.run(recorded).get(); };
  });
}

std::vector<contender> ours::traced_data_tasks(std::size_t count, way by) {
  const data_path data = by == way::placed ? data_path::placed : data_path::automatic;
  return with_and_without(count, data, [count](runtime& rt) {
    static const kernel<inout_buffer<float>> touch{"touch", host_body{[](buffer_view<float>) {}}};
    const buffer<float> x(rt, 16, 0.0F);
    return [&rt, x, count] {
      for (std::size_t i = 0; i < count; ++i) rt.submit(touch, updates(x));
      rt.wait();
    };
  });
}

}  // namespace hocket::bench

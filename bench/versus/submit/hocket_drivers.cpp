// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Empty kernels on devices that have a driver, with one small buffer bound.

#include <memory>
#include <string>

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

grid one_item(const launch_shape&) { return {1, 1, 1}; }

const auto empty = kernel<inout_buffer<float>>{"empty"}
                       .with(cuda_c{"x", "", {1, 1, 1}, one_item})
                       .with(opencl_c{"x", "", {1, 1, 1}, one_item})
                       .with(glsl{"x", "", {1, 1, 1}, one_item});

constexpr std::size_t elements = 16;

struct machine {
  explicit machine(const std::string& name)
      : rt({.devices = name}), on{.on = rt.device(name)}, x(rt, elements, 0.0F) {}

  auto submit() { return rt.submit(on, empty, updates(x)); }

  runtime rt;
  task_options on;
  buffer<float> x;
};

}  // namespace

contender ours::driver_round_trip(const settings& wanted, const std::string& device) {
  return {"hocket", [count = counts_for(wanted).trips_to_driver, device] {
            const auto home = std::make_shared<machine>(device);
            return [home, count] {
              const auto work = [&] {
                for (std::size_t i = 0; i < count; ++i) home->submit().get();
              };
              return nanoseconds_of(work) / static_cast<double>(count);
            };
          }};
}

contender ours::driver_stream(const settings& wanted, const std::string& device) {
  return {"hocket", [count = counts_for(wanted).stream, device] {
            const auto home = std::make_shared<machine>(device);
            return [home, count] {
              const auto work = [&] {
                for (std::size_t i = 1; i < count; ++i) home->submit();
                home->submit().get();
              };
              return nanoseconds_of(work) / static_cast<double>(count);
            };
          }};
}

contender ours::driver_graph(const settings& wanted, const std::string& device) {
  return {"hocket", [count = counts_for(wanted).stream, device] {
            const auto home = std::make_shared<machine>(device);
            const graph recorded = home->rt.record({.batch = true}, [&](submitter& s) {
              for (std::size_t i = 0; i < count; ++i) s.submit(home->on, empty, updates(home->x));
            });
            return [home, recorded, count] {
              const auto work = [&] { home->rt.run(recorded).get(); };
              return nanoseconds_of(work) / static_cast<double>(count);
            };
          }};
}

}  // namespace hocket::bench

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

constexpr std::int64_t micro_batches = 6;

/// A pipeline of two stages: each micro-batch goes forward and backward through both, in the order
/// of its priorities, and takes a share of a budget meanwhile. At the end the weight changes.
class pipeline {
 public:
  /// What three steps give, and how long they take.
  struct outcome {
    std::vector<float> weight;
    time_stamp time;
  };
  outcome three(bool in_flight) {
    const graph one = step();
    rt_.wait();
    const time_stamp begin = rt_.now();
    for (std::int64_t run = 0; run < 3; ++run) {
      // All of a run comes before all of the next one, as the orders of the stages ask for.
      const future<void> ends = rt_.run({.priority = -100 * run}, one);
      if (!in_flight) ends.get();
    }
    rt_.wait();
    const time_stamp end = rt_.now();
    return {weight_.to_vector(), end - begin};
  }

 private:
  static runtime_options two_stages() {
    runtime_options made;
    made.clock = clock_kind::simulated;
    made.devices = "NUMA0,Sim0,Sim1";
    made.backends = {{"sim", "2,memory=1M,flops=1G,link=1G,latency=1us"}};
    return made;
  }

  graph step() {
    return rt_.record([&](submitter& s) {
      std::vector<future<void>> begun;
      for (std::int64_t m = 0; m < micro_batches; ++m) {
        const auto& x = values_[static_cast<std::size_t>(m)];
        begun.push_back(
            s.submit({.on = first_, .priority = -3 * m, .in_order = true, .takes = room_.share(1)},
                     ops::copy, reads(weight_), writes(x)));
        s.submit({.on = second_, .priority = -2 * m, .in_order = true}, ops::axpy, 1.0f,
                 reads(weight_), updates(x));
      }
      for (std::int64_t m = 0; m < micro_batches; ++m) {
        const auto at = static_cast<std::size_t>(m);
        s.submit({.on = second_, .priority = -2 * m - 1, .in_order = true}, ops::axpy, 2.0f,
                 reads(weight_), updates(values_[at]));
        s.submit({.on = first_,
                  .priority = -3 * m - 4,
                  .in_order = true,
                  .returns = {any_future(begun[at])}},
                 ops::axpy, 1.0f, reads(values_[at]), updates(sum_));
      }
      s.submit({.on = first_, .priority = -90, .in_order = true}, ops::axpy, 1.0f, reads(sum_),
               updates(weight_));
    });
  }

  runtime rt_{two_stages()};
  const device_handle first_ = rt_.device("Sim0");
  const device_handle second_ = rt_.device("Sim1");
  const buffer<float> weight_{rt_, 1000, 1.0f, "weight"};
  const buffer<float> sum_{rt_, 1000, 0.0f, "sum"};
  const std::vector<buffer<float>> values_ = [this] {
    std::vector<buffer<float>> made;
    for (std::int64_t m = 0; m < micro_batches; ++m) made.emplace_back(rt_, 1000, "values");
    return made;
  }();
  const budget room_{rt_, 2};
};

TEST(RunsOfAPipeline, FollowOneAnotherWithoutAWait) {
  const pipeline::outcome waiting = pipeline().three(false);
  const pipeline::outcome in_flight = pipeline().three(true);
  EXPECT_EQ(in_flight.weight, waiting.weight);
  EXPECT_LE(in_flight.time, waiting.time);
}

}  // namespace
}  // namespace hocket

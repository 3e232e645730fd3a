// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;

/// Two simulated devices that run one command after another, and a processor with two lanes.
class batched_graphs : public ::testing::Test {
 protected:
  using tasks = std::function<void(submitter&)>;

  [[nodiscard]] std::size_t size_of(const tasks& recorded) {
    return rt_.record({.batch = true}, recorded).size();
  }

  static runtime_options options() {
    runtime_options made;
    made.backends = {{"sim", "2,memory=1M"}, {"cpu", "lanes=2"}};
    made.trace_capacity = 256;
    return made;
  }

  runtime rt_{options()};
  task_options sim_{.on = rt_.device("Sim0")};
  task_options other_{.on = rt_.device("Sim1")};
  buffer<float> x_{rt_, 1000, 1.0f, "x"}, y_{rt_, 1000, 2.0f, "y"}, z_{rt_, 1000, 3.0f, "z"};
};

TEST_F(batched_graphs, neighbours_become_one_submission) {
  const tasks three = [&](submitter& s) {
    s.submit(sim_, ops::add, reads(x_), reads(y_), writes(z_));
    s.submit(sim_, ops::axpy, 2.0f, reads(z_), updates(y_));
    s.submit(sim_, ops::axpy, 3.0f, reads(x_), updates(x_));
  };
  EXPECT_EQ(rt_.record(three).size(), 3U) << "only if it is asked for";
  const graph one = rt_.record({.batch = true}, three);
  EXPECT_EQ(one.size(), 1U);
  rt_.wait();
  const auto kernels = [&] { return rt_.report().devices.at(sim_.on->id.value).kernels; };
  const std::uint64_t before = kernels();
  rt_.run(one);
  rt_.run(one).wait();
  EXPECT_THAT(x_.to_vector(), Each(16.0f));
  EXPECT_THAT(y_.to_vector(), Each(8.0f + 2 * 12.0f));
  EXPECT_THAT(z_.to_vector(), Each(12.0f));
  EXPECT_EQ(kernels(), before + 6) << "counted one by one";
}

TEST_F(batched_graphs, devices_that_run_several_commands_keep_their_tasks) {
  const task_options host{.on = rt_.device("NUMA0")};
  EXPECT_EQ(size_of([&](submitter& s) {
              s.submit(host, ops::fill, 1.0f, writes(x_));
              s.submit(host, ops::fill, 1.0f, writes(y_));
            }),
            2U);
  EXPECT_EQ(size_of([&](submitter& s) {
              s.submit(ops::fill, 1.0f, writes(x_));
              s.submit(ops::fill, 1.0f, writes(y_));
            }),
            2U)
      << "nobody knows where these will run";
}

TEST_F(batched_graphs, nothing_that_others_wait_for_is_held_up) {
  const graph turn = rt_.record({.batch = true}, [&](submitter& s) {
    s.submit(sim_, ops::fill, 1.0f, writes(x_));
    s.submit(other_, ops::add, reads(x_), reads(x_), writes(y_));
    s.submit(sim_, ops::fill, 5.0f, writes(z_));
    s.submit(sim_, ops::axpy, 1.0f, reads(y_), updates(z_));
  });
  EXPECT_EQ(turn.size(), 3U) << "the first one alone, then the other device, then two";
  rt_.run(turn);
  EXPECT_THAT(z_.to_vector(), Each(7.0f));
}

TEST_F(batched_graphs, an_independent_task_in_between_parts_nobody) {
  const graph turn = rt_.record({.batch = true}, [&](submitter& s) {
    s.submit(sim_, ops::fill, 1.0f, writes(x_));
    s.submit(other_, ops::fill, 4.0f, writes(y_));
    s.submit(sim_, ops::axpy, 2.0f, reads(x_), updates(x_));
  });
  EXPECT_EQ(turn.size(), 2U);
  rt_.run(turn);
  EXPECT_THAT(x_.to_vector(), Each(3.0f));
  EXPECT_THAT(y_.to_vector(), Each(4.0f));
}

TEST_F(batched_graphs, options_and_values_keep_tasks_apart) {
  const tasks first = [&](submitter& s) { s.submit(sim_, ops::fill, 1.0f, writes(x_)); };
  const auto with = [&](const task_options& options) {
    return size_of([&](submitter& s) {
      first(s);
      s.submit(options, ops::fill, 1.0f, writes(y_));
    });
  };
  EXPECT_EQ(with(sim_), 1U);
  EXPECT_EQ(with({.on = sim_.on, .priority = 1}), 2U);
  EXPECT_EQ(with({.on = sim_.on, .in_order = true}), 2U);
  EXPECT_EQ(with({.on = sim_.on, .timeout = std::chrono::seconds(1)}), 2U);
  EXPECT_EQ(with({.on = sim_.on, .label = "named"}), 1U);
  EXPECT_EQ(size_of([&](submitter& s) {
              first(s);
              (void)s.submit(sim_, ops::sum, reads(x_));
              s.submit(sim_, ops::fill, 1.0f, writes(y_));
            }),
            3U)
      << "a value has to be brought to its future";
}

TEST_F(batched_graphs, overlapping_regions_keep_tasks_apart) {
  EXPECT_EQ(size_of([&](submitter& s) {
              s.submit(sim_, ops::fill, 1.0f, writes(x_));
              s.submit(sim_, ops::fill, 2.0f, writes(x_.rows(0, 10)));
            }),
            2U);
  const graph halves = rt_.record({.batch = true}, [&](submitter& s) {
    s.submit(sim_, ops::fill, 1.0f, writes(x_.rows(0, 500)));
    s.submit(sim_, ops::fill, 2.0f, writes(x_.rows(500, 1000)));
  });
  EXPECT_EQ(halves.size(), 1U) << "these only lie in one buffer";
  rt_.run(halves);
  const std::vector<float> x = x_.to_vector();
  EXPECT_EQ(x.front(), 1.0f);
  EXPECT_EQ(x.back(), 2.0f);
}

TEST_F(batched_graphs, what_does_not_fit_into_the_device_is_several) {
  const std::size_t half = 1 << 17;
  const buffer<float> a{rt_, half, 1.0f}, b{rt_, half, "b"}, c{rt_, half, "c"};
  const graph large = rt_.record({.batch = true}, [&](submitter& s) {
    s.submit(sim_, ops::copy, reads(a), writes(b));
    s.submit(sim_, ops::copy, reads(b), writes(c));
  });
  EXPECT_EQ(large.size(), 2U) << "the device has memory for two of the three";
  rt_.run(large);
  EXPECT_THAT(c.to_vector(), Each(1.0f));
}

TEST_F(batched_graphs, long_ones_are_cut) {
  const graph chain = rt_.record({.batch = true}, [&](submitter& s) {
    for (int i = 0; i < 2500; ++i) s.submit(sim_, ops::axpy, 1.0f, reads(y_), updates(x_));
  });
  EXPECT_EQ(chain.size(), 3U);
  rt_.run(chain);
  EXPECT_THAT(x_.to_vector(), Each(1.0f + 2500 * 2.0f));
}

TEST_F(batched_graphs, numbers_and_orders_reach_the_batch) {
  const buffer<float> sums{rt_, 1, 0.0f};
  const graph turn = rt_.record({.batch = true}, [&](submitter& s) {
    const future<float> sum = s.submit(other_, ops::sum, reads(y_));
    s.submit(sim_, ops::axpy, sum, reads(y_), updates(x_));
    const future<void> last = s.submit(sim_, ops::axpy, sum, reads(y_), updates(z_));
    s.submit({.on = other_.on, .after = {last}}, ops::fill, 0.0f, writes(y_));
  });
  EXPECT_EQ(turn.size(), 3U);
  rt_.run(turn);
  EXPECT_THAT(x_.to_vector(), Each(1.0f + 2000 * 2.0f));
  EXPECT_THAT(z_.to_vector(), Each(3.0f + 2000 * 2.0f));
  EXPECT_THAT(y_.to_vector(), Each(0.0f));
}

TEST_F(batched_graphs, chains_are_fused_before) {
  const graph both = rt_.record({.fuse = true, .batch = true}, [&](submitter& s) {
    s.submit(sim_, ops::add, reads(x_), reads(y_), writes(z_));
    s.submit(sim_, ops::axpy, 2.0f, reads(z_), updates(y_));
    s.submit(sim_, ops::fill, 9.0f, writes(x_.rows(0, 1)));
  });
  EXPECT_EQ(both.size(), 2U) << "the row overlaps what the chain reads";
  rt_.run(both);
  EXPECT_THAT(z_.to_vector(), Each(3.0f));
  EXPECT_EQ(x_.to_vector().front(), 9.0f);
}

TEST_F(batched_graphs, fail_and_are_seen_as_one_task) {
  const kernel<inout_buffer<float>> picky{"picky", host_body{[](buffer_view<float> all) {
                                            if (all[0] > 1.5f) throw std::runtime_error("too much");
                                          }}};
  const graph turn = rt_.record({.batch = true}, [&](submitter& s) {
    s.submit({.on = sim_.on, .label = "a"}, ops::axpy, 1.0f, reads(y_), updates(x_));
    s.submit({.on = sim_.on, .label = "b"}, picky, updates(x_));
    s.submit({.on = sim_.on, .label = "c"}, ops::fill, 0.0f, writes(z_));
  });
  EXPECT_EQ(turn.size(), 1U);
  const failure why = rt_.run(turn).error();
  EXPECT_THAT(why.message(), HasSubstr("\"a+b+c\""));
  EXPECT_THAT(why.message(), HasSubstr("too much"));
  EXPECT_THAT(rt_.trace().record_names, Contains("a+b+c"));
}

}  // namespace
}  // namespace hocket

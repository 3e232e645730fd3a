// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

namespace hocket {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const auto twice = elementwise("twice", [](const auto& x, auto& y) { y = x + x; });
const auto increase = elementwise("increase", [](auto& x) { x += 1; });

class fused_graphs : public ::testing::Test {
 protected:
  using tasks = std::function<void(submitter&)>;

  [[nodiscard]] std::size_t size_of(const tasks& recorded) {
    return rt_.record({.fuse = true}, recorded).size();
  }

  static runtime_options options() {
    runtime_options made;
    made.backends = {{"sim", "2,memory=1M"}};
    made.trace_capacity = 256;
    return made;
  }

  runtime rt_{options()};
  buffer<float> x_{rt_, 1000, 1.0f, "x"}, y_{rt_, 1000, 2.0f, "y"}, z_{rt_, 1000, 3.0f, "z"};
};

TEST_F(fused_graphs, chains_become_one_task_with_all_results) {
  const tasks chain = [&](submitter& s) {
    s.submit(twice, reads(x_), writes(y_));
    s.submit(ops::axpy, 3.0f, reads(y_), updates(z_));
    s.submit(increase, updates(z_));
  };
  EXPECT_EQ(rt_.record(chain).size(), 3U) << "only if it is asked for";
  const graph fused = rt_.record({.fuse = true}, chain);
  EXPECT_EQ(fused.size(), 1U);
  rt_.run(fused);
  rt_.run(fused);
  EXPECT_THAT(x_.to_vector(), Each(1.0f));
  EXPECT_THAT(y_.to_vector(), Each(2.0f));
  EXPECT_THAT(z_.to_vector(), Each(17.0f));
}

TEST_F(fused_graphs, other_regions_are_other_index_spaces) {
  const auto submit = [&](submitter& s, const region<float>& from, const region<float>& to) {
    s.submit(twice, reads(x_.rows(0, 500)), writes(y_.rows(0, 500)));
    s.submit(twice, reads(from), writes(to));
  };
  const auto size = [&](const region<float>& from, const region<float>& to) {
    return size_of([&](submitter& s) { submit(s, from, to); });
  };
  EXPECT_EQ(size(y_.rows(0, 500), z_.rows(500, 1000)), 1U) << "the same elements of y";
  EXPECT_EQ(size(y_.rows(0, 499), z_.rows(0, 499)), 2U) << "fewer elements";
  EXPECT_EQ(size(y_.rows(1, 501), z_.rows(0, 500)), 2U) << "neighbours of what is written";
  EXPECT_EQ(size(x_.rows(0, 500), y_.rows(250, 750)), 2U) << "written over by another index";
  EXPECT_EQ(size(x_.rows(0, 500), y_.rows(500, 1000)), 1U) << "another part of what is written";
  EXPECT_EQ(size(x_.rows(500, 1000), z_.rows(0, 500)), 2U) << "nothing in common";
}

TEST_F(fused_graphs, tasks_between_stay_where_the_data_allow_it) {
  const auto between = [&](const tasks& other) {
    return size_of([&](submitter& s) {
      s.submit(twice, reads(x_), writes(y_));
      other(s);
      s.submit(twice, reads(y_), writes(z_));
    });
  };
  const auto host = [](const auto&... accesses) {
    return [=](submitter& s) { s.submit([](const auto&...) {}, accesses...); };
  };
  EXPECT_EQ(between(host(reads(x_))), 2U);
  EXPECT_EQ(between(host(reads(y_))), 2U) << "the second one comes first";
  EXPECT_EQ(between(host(updates(z_))), 2U) << "the first one comes later";
  EXPECT_EQ(between(host(updates(y_))), 3U);
  EXPECT_EQ(between(host(reads(y_), updates(z_))), 3U);
  EXPECT_EQ(between(host(writes(x_), reads(z_))), 3U) << "neither can move";
  EXPECT_EQ(between([&](submitter& s) { s.submit(ops::sum, reads(y_)); }), 2U);
  EXPECT_EQ(between([&](submitter& s) {
              s.submit(ops::axpy, s.submit(ops::sum, reads(y_)), reads(x_), updates(z_));
            }),
            3U)
      << "the number needs all elements";
}

TEST_F(fused_graphs, orders_that_only_options_name_are_kept) {
  const auto with = [&](bool waits) {
    return size_of([&](submitter& s) {
      const future<void> first = s.submit(twice, reads(x_), writes(y_));
      const future<int> between = s.async({.after = {first}}, [] { return 1; });
      s.submit({.after = waits ? std::vector<any_future>{between} : std::vector<any_future>{first}},
               twice, reads(y_), writes(z_));
    });
  };
  EXPECT_EQ(with(false), 2U);
  EXPECT_EQ(with(true), 3U);
  const future<int> outside = rt_.async([] { return 1; });
  EXPECT_EQ(size_of([&](submitter& s) {
              s.submit(twice, reads(x_), writes(y_));
              s.submit({.after = {outside}}, twice, reads(y_), writes(z_));
            }),
            2U)
      << "what others wait for must not be held up from outside";
}

TEST_F(fused_graphs, options_that_differ_keep_tasks_apart) {
  const auto with = [&](const task_options& a, const task_options& b) {
    return size_of([&](submitter& s) {
      s.submit(a, twice, reads(x_), writes(y_));
      s.submit(b, twice, reads(y_), writes(z_));
    });
  };
  const device_handle sim0 = rt_.device("Sim0"), sim1 = rt_.device("Sim1");
  const budget bytes{rt_, 100};
  std::stop_source stop;
  EXPECT_EQ(with({.on = sim0}, {.on = sim0}), 1U);
  EXPECT_EQ(with({.on = sim0}, {.on = sim1}), 2U);
  EXPECT_EQ(with({.on = sim0}, {}), 2U);
  EXPECT_EQ(with({.priority = 2}, {.priority = 2}), 1U);
  EXPECT_EQ(with({.priority = 2}, {}), 2U);
  EXPECT_EQ(with({.stop = stop.get_token()}, {.stop = stop.get_token()}), 1U);
  EXPECT_EQ(with({.stop = stop.get_token()}, {}), 2U);
  EXPECT_EQ(with({.timeout = std::chrono::hours(1)}, {.timeout = std::chrono::hours(1)}), 2U);
  EXPECT_EQ(with({.takes = bytes.share(10)}, {}), 2U);
  EXPECT_EQ(with({.on = sim0, .in_order = true}, {.on = sim0, .in_order = true}), 2U);
}

TEST_F(fused_graphs, only_traced_elementwise_kernels_are_parts) {
  const auto on_host = elementwise_on_host("on host", [](const auto& x, auto& y) { y = x; });
  const auto with_body =
      twice.resolve<in_buffer<float>, out_buffer<float>>().with(opencl_c{"x, y", "y(0) = x(0);"});
  const buffer<float, 2> matrix{rt_, {10, 100}, 1.0f};
  const auto before = [&](const tasks& second) {
    return size_of([&](submitter& s) {
      s.submit(twice, reads(x_), writes(y_));
      second(s);
    });
  };
  EXPECT_EQ(before([&](submitter& s) { s.submit(ops::copy, reads(y_), writes(z_)); }), 1U);
  EXPECT_EQ(before([&](submitter& s) { s.submit(ops::sum, reads(y_)); }), 2U);
  EXPECT_EQ(before([&](submitter& s) { s.submit(on_host, reads(y_), writes(z_)); }), 2U);
  EXPECT_EQ(before([&](submitter& s) { s.submit(with_body, reads(y_), writes(z_)); }), 2U);
  EXPECT_EQ(before([&](submitter& s) { s.submit(increase, updates(matrix)); }), 2U);
}

TEST_F(fused_graphs, both_arms_of_a_diamond_join) {
  const buffer<float> sum{rt_, 1000, "sum"};
  const graph diamond = rt_.record({.fuse = true}, [&](submitter& s) {
    s.submit(twice, reads(x_), writes(y_));
    s.submit(ops::mul, reads(x_), reads(x_), writes(z_));
    s.submit(ops::add, reads(y_), reads(z_), writes(sum));
  });
  EXPECT_EQ(diamond.size(), 1U);
  rt_.run(diamond);
  EXPECT_THAT(sum.to_vector(), Each(3.0f));
}

TEST_F(fused_graphs, parts_in_place_and_overwritten_values) {
  const graph turn = rt_.record({.fuse = true}, [&](submitter& s) {
    s.submit(twice, reads(x_), writes(x_));
    s.submit(ops::add, reads(x_), reads(y_), writes(y_));
    s.submit(ops::fill, 7.0f, writes(x_));
    s.submit(ops::mul, reads(x_), reads(x_), writes(x_));
  });
  EXPECT_EQ(turn.size(), 1U);
  rt_.run(turn);
  EXPECT_THAT(x_.to_vector(), Each(49.0f));
  EXPECT_THAT(y_.to_vector(), Each(4.0f));
}

TEST_F(fused_graphs, reductions_into_a_region_join_with_what_is_reduced) {
  const graph turn = rt_.record({.fuse = true}, [&](submitter& s) {
    s.submit(ops::axpy, 2.0f, reads(x_), reduces(y_, plus{}));
    s.submit(ops::axpy, 3.0f, reads(x_), reduces(y_, plus{}));
  });
  EXPECT_EQ(turn.size(), 1U);
  rt_.run(turn);
  EXPECT_THAT(y_.to_vector(), Each(7.0f));
}

TEST_F(fused_graphs, a_buffer_of_the_recording_alone_takes_no_memory) {
  // A device of 1 MiB holds x, y and two of the four others.
  const std::size_t count = 1 << 16;
  const buffer<float> from{rt_, count, 1.0f}, to{rt_, count, 0.0f};
  const device_handle sim = rt_.device("Sim0");
  const graph chain = rt_.record({.fuse = true}, [&](submitter& s) {
    region<float> last = from;
    for (int i = 0; i < 4; ++i) {
      const buffer<float> next{s.home(), count, "next"};
      s.submit({.on = sim}, twice, reads(last), writes(next));
      last = next;
    }
    s.submit({.on = sim}, ops::axpy, 1.0f, reads(last), updates(to));
  });
  EXPECT_EQ(chain.size(), 1U);
  rt_.run(chain);
  rt_.run(chain);
  EXPECT_THAT(to.to_vector(), Each(32.0f));
}

TEST_F(fused_graphs, of_what_nobody_uses_one_buffer_stays) {
  for (const char* name : {"NUMA0", "Sim0"}) {
    const device_handle device = rt_.device(name);
    const graph in_vain = rt_.record({.fuse = true}, [&](submitter& s) {
      const buffer<float> first{s.home(), 1000, "first"}, second{s.home(), 1000, "second"};
      s.submit({.on = device}, ops::fill, 1.0f, writes(first));
      s.submit({.on = device}, twice, reads(first), writes(second));
      s.submit({.on = device}, increase, updates(second));
    });
    EXPECT_EQ(in_vain.size(), 1U);
    for (int i = 0; i < 3; ++i) EXPECT_NO_THROW(rt_.run(in_vain).get()) << name;
  }
}

TEST_F(fused_graphs, a_buffer_with_content_from_the_run_before_is_kept) {
  const graph counting = rt_.record({.fuse = true}, [&](submitter& s) {
    const buffer<float> count{s.home(), 1000, 0.0f, "count"};
    s.submit(increase, updates(count));
    s.submit(ops::copy, reads(count), writes(x_));
  });
  for (int i = 0; i < 5; ++i) rt_.run(counting);
  EXPECT_THAT(x_.to_vector(), Each(5.0f));
}

TEST_F(fused_graphs, too_many_buffers_or_too_few_bytes_make_several_tasks) {
  std::vector<buffer<float>> many;
  const graph wide = rt_.record({.fuse = true}, [&](submitter& s) {
    many.emplace_back(s.home(), 1000, "first");
    s.submit(ops::fill, 1.0f, writes(many.back()));
    for (int i = 0; i < 20; ++i) {
      many.emplace_back(s.home(), 1000, "next");
      s.submit(twice, reads(many[many.size() - 2]), writes(many.back()));
    }
  });
  EXPECT_EQ(wide.size(), 4U) << "seven buffers each, of which all but the first have one in common";
  rt_.run(wide);
  EXPECT_THAT(many.back().to_vector(), Each(1048576.0f));

  const std::size_t half = 1 << 17;
  const buffer<float> a{rt_, half, 1.0f}, b{rt_, half, "b"}, c{rt_, half, "c"};
  const device_handle sim = rt_.device("Sim0");
  const graph large = rt_.record({.fuse = true}, [&](submitter& s) {
    s.submit({.on = sim}, twice, reads(a), writes(b));
    s.submit({.on = sim}, twice, reads(b), writes(c));
  });
  EXPECT_EQ(large.size(), 2U) << "the device has memory for two of the three";
}

TEST_F(fused_graphs, numbers_and_orders_reach_the_fused_task) {
  std::vector<float> seen;
  const graph turn = rt_.record({.fuse = true}, [&](submitter& s) {
    const future<float> sum = s.submit(ops::sum, reads(x_));
    s.submit(ops::axpy, sum, reads(x_), updates(y_));
    const future<void> last = s.submit(ops::axpy, sum, reads(y_), updates(z_));
    s.submit(
        {.after = {last}}, [&](buffer_view<const float> z) { seen.push_back(z[0]); }, reads(z_));
  });
  EXPECT_EQ(turn.size(), 3U);
  rt_.run(turn);
  rt_.run(turn);
  rt_.wait();
  EXPECT_THAT(seen, ElementsAre(3.0f + 1000 * 1002.0f, 1002003.0f + 1000 * 2002.0f));
}

TEST_F(fused_graphs, fail_and_are_seen_as_one_task) {
  const buffer<float> missing{rt_, 1000, "missing"};
  const graph turn = rt_.record({.fuse = true}, [&](submitter& s) {
    s.submit({.label = "a"}, twice, reads(x_), writes(y_));
    s.submit({.label = "b"}, ops::add, reads(y_), reads(missing), writes(z_));
  });
  const failure why = rt_.run(turn).error();
  EXPECT_THAT(why.message(), HasSubstr("\"a+b\""));
  rt_.submit(ops::fill, 1.0f, writes(missing));
  rt_.run(turn).wait();
  const trace_snapshot trace = rt_.trace();
  EXPECT_THAT(trace.record_names, ::testing::Contains("a+b"));
  EXPECT_THAT(trace.record_names, Not(::testing::Contains("a")));
  EXPECT_THAT(z_.to_vector(), Each(3.0f));
}

}  // namespace
}  // namespace hocket

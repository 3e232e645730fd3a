// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The batches that are made of a schedule which is written down.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/hocket.hpp>

#include "graphs/graph_content.hpp"
#include "graphs/placed_plan.hpp"
#include "graphs/schedule_batches.hpp"
#include "runtime/runtime_core.hpp"

namespace hocket {
namespace {

using std::chrono::microseconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const auto touch = kernel<inout_buffer<float>>{"touch", host_body{[](buffer_view<float>) {}}};
const auto look = kernel<in_buffer<float>, inout_buffer<float>>{
    "look", host_body{[](buffer_view<const float>, buffer_view<float>) {}}};

/// Which tasks of a graph become one, by a schedule that is written down.
class batches_of_schedule : public ::testing::Test {
 protected:
  using groups = std::vector<detail::task_group>;

  /// Tasks that follow one another in a lane of a device.
  struct lane {
    lane(runtime& rt, const char* name, std::size_t at)
        : device(rt.device(name).id),
          stream(rt.core()->description().devices[device.value].compute[at]) {}

    placement::scheduled_task take(microseconds begun, microseconds lasts = microseconds(10)) {
      placement::scheduled_task made;
      made.device = device;
      made.number = {stream, next++};
      made.begun = begun;
      made.ended = begun + lasts;
      return made;
    }

    device_id device;
    stream_id stream;
    std::uint64_t next = 1;
  };

  template <class F>
  groups found(const F& record, const std::vector<placement::scheduled_task>& tasks) {
    const graph recorded = rt_.record(record);
    const detail::graph_content& content = *recorded.content();
    const auto plan = detail::placed_plan::compiled(content, *rt_.core());
    return detail::batches_of(content, *plan, {tasks, {}}, rt_.core()->description());
  }

  runtime rt_{{.devices = "NUMA0,Sim0,Sim1",
               .backends = {{"cpu", "lanes=2"}, {"sim", "2,memory=64K"}},
               .data_tasks = data_path::placed}};
  std::vector<buffer<float>> data_ = [this] {
    std::vector<buffer<float>> made;
    for (int i = 0; i < 4; ++i) made.emplace_back(rt_, 10, 0.0F);
    return made;
  }();
  lane one_{rt_, "NUMA0", 0}, other_{rt_, "NUMA0", 1};  ///< of one processor
  lane near_{rt_, "Sim0", 0}, far_{rt_, "Sim1", 0};     ///< of devices with memories of their own
};

TEST_F(batches_of_schedule, have_neighbours_in_a_lane) {
  const auto three = [&](submitter& s) {
    for (int i = 0; i < 3; ++i) s.submit(touch, updates(data_[static_cast<std::size_t>(i)]));
  };
  EXPECT_THAT(found(three, {one_.take(microseconds(0)), other_.take(microseconds(0)),
                            one_.take(microseconds(10))}),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1)));
}

TEST_F(batches_of_schedule, are_in_the_order_in_which_they_ran) {
  const auto three = [&](submitter& s) {
    for (int i = 0; i < 3; ++i) s.submit(touch, updates(data_[static_cast<std::size_t>(i)]));
  };
  const auto last = one_.take(microseconds(0)), first = one_.take(microseconds(10)),
             second = one_.take(microseconds(20));
  EXPECT_THAT(found(three, {first, second, last}), ElementsAre(ElementsAre(2, 0, 1)));
}

TEST_F(batches_of_schedule, begin_with_what_waits_for_another_lane) {
  const auto record = [&](submitter& s) {
    s.submit(touch, updates(data_[0]));
    s.submit(touch, updates(data_[1]));
    s.submit(look, reads(data_[1]), updates(data_[2]));  // comes after the one elsewhere
    s.submit(touch, updates(data_[2]));
  };
  const auto elsewhere = other_.take(microseconds(0));
  EXPECT_THAT(found(record, {one_.take(microseconds(0)), elsewhere, one_.take(microseconds(10)),
                             one_.take(microseconds(20))}),
              ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2, 3)));
}

TEST_F(batches_of_schedule, may_come_after_what_had_ended_before) {
  const auto record = [&](submitter& s) {
    s.submit(touch, updates(data_[1]));
    s.submit(touch, updates(data_[0]));
    s.submit(look, reads(data_[1]), updates(data_[2]));
  };
  const auto elsewhere = other_.take(microseconds(0));
  EXPECT_THAT(found(record, {elsewhere, one_.take(microseconds(10)), one_.take(microseconds(20))}),
              ElementsAre(ElementsAre(0), ElementsAre(1, 2)));
}

TEST_F(batches_of_schedule, end_with_what_another_lane_waits_for) {
  const auto record = [&](submitter& s) {
    s.submit(touch, updates(data_[0]));
    s.submit(touch, updates(data_[1]));
    s.submit(touch, updates(data_[2]));
    s.submit(look, reads(data_[1]), updates(data_[3]));  // elsewhere, as soon as it can
  };
  const std::vector<placement::scheduled_task> lanes{
      one_.take(microseconds(0)), one_.take(microseconds(10)), one_.take(microseconds(20))};
  auto at_once = lanes, later = lanes;
  at_once.push_back(other_.take(microseconds(20)));
  EXPECT_THAT(found(record, at_once),
              ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3)));
  later.push_back(other_.take(microseconds(30)));
  EXPECT_THAT(found(record, later), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3)));
}

TEST_F(batches_of_schedule, begin_and_end_where_content_is_copied) {
  const auto record = [&](submitter& s) {
    s.submit(touch, updates(data_[1]));
    for (int i = 0; i < 2; ++i) s.submit(touch, updates(data_[0]));
    for (int i = 0; i < 2; ++i) s.submit(look, reads(data_[1]), updates(data_[2]));
    s.submit(touch, updates(data_[3]));
  };
  const auto elsewhere = far_.take(microseconds(0));
  std::vector<placement::scheduled_task> lanes{elsewhere};
  for (int i = 0; i < 5; ++i) lanes.push_back(near_.take(microseconds(100 + 10 * i)));
  EXPECT_THAT(found(record, lanes),
              ElementsAre(ElementsAre(0), ElementsAre(1, 2), ElementsAre(3), ElementsAre(4, 5)));
  std::vector<placement::scheduled_task> backward{near_.take(microseconds(160))};
  for (int i = 0; i < 2; ++i) backward.push_back(far_.take(microseconds(10 * i)));
  for (int i = 0; i < 2; ++i) backward.push_back(far_.take(microseconds(400 + 10 * i)));
  backward.push_back(near_.take(microseconds(170)));
  EXPECT_THAT(found(record, backward), ElementsAre(ElementsAre(1, 2), ElementsAre(0),
                                                   ElementsAre(5), ElementsAre(3), ElementsAre(4)));
}

TEST_F(batches_of_schedule, have_no_task_whose_time_is_not_known) {
  const auto record = [&](submitter& s) {
    for (int i = 0; i < 4; ++i) s.submit(touch, updates(data_[0]));
  };
  std::vector<placement::scheduled_task> lanes;
  for (int i = 0; i < 4; ++i) lanes.push_back(one_.take(microseconds(10 * i)));
  lanes[2].begun = lanes[2].ended = placement::unknown_time;
  EXPECT_THAT(found(record, lanes), ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3)));
}

TEST_F(batches_of_schedule, leave_memory_to_others) {
  std::vector<buffer<float>> large;
  for (int i = 0; i < 5; ++i) large.emplace_back(rt_, 3'000, 0.0F);  // 12 of 64 KB
  const auto record = [&](submitter& s) {
    for (const auto& each : large) s.submit(touch, updates(each.rows(0, 10)));
    for (std::size_t i = 0; i < 4; ++i) s.submit(touch, updates(large.back().rows(i, i + 1)));
  };
  std::vector<placement::scheduled_task> lanes;
  for (int i = 0; i < 9; ++i) lanes.push_back(near_.take(microseconds(10 * i)));
  EXPECT_THAT(found(record, lanes), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3),
                                                ElementsAre(4), ElementsAre(5, 6, 7, 8)))
      << "the row is a part of the tile before";
}

TEST_F(batches_of_schedule, have_few_regions) {
  std::vector<buffer<float>> many;
  for (int i = 0; i < 70; ++i) many.emplace_back(rt_, 4, 0.0F);
  const auto record = [&](submitter& s) {
    for (int turn = 0; turn < 2; ++turn) {
      for (const auto& each : many) s.submit(touch, updates(each));
    }
  };
  std::vector<placement::scheduled_task> lanes;
  for (int i = 0; i < 140; ++i) lanes.push_back(one_.take(microseconds(i), microseconds(1)));
  EXPECT_THAT(found(record, lanes), ElementsAre(SizeIs(64), SizeIs(64), SizeIs(12)));
}

TEST_F(batches_of_schedule, keep_the_lines_of_tasks_in_order) {
  const auto record = [&](submitter& s) {
    const task_options in_line{.on = rt_.device("Sim1"), .in_order = true};
    for (int i = 0; i < 2; ++i)
      s.submit(in_line, touch, updates(data_[static_cast<std::size_t>(i)]));
    for (int i = 2; i < 4; ++i) s.submit(touch, updates(data_[static_cast<std::size_t>(i)]));
  };
  // The first one began later, because it was in a lane of its own.
  const auto second = far_.take(microseconds(0)), first = far_.take(microseconds(10));
  EXPECT_THAT(
      found(record, {first, second, near_.take(microseconds(0)), near_.take(microseconds(10))}),
      ElementsAre(ElementsAre(2, 3), ElementsAre(0), ElementsAre(1)));
}

TEST_F(batches_of_schedule, last_a_millisecond) {
  const auto record = [&](submitter& s) {
    for (int i = 0; i < 4; ++i) s.submit(touch, updates(data_[0]));
  };
  std::vector<placement::scheduled_task> lanes;
  for (int i = 0; i < 4; ++i) {
    lanes.push_back(one_.take(microseconds(400 * i), microseconds(400)));
  }
  EXPECT_THAT(found(record, lanes), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
}

TEST_F(batches_of_schedule, have_no_body_that_has_yielded_its_lane) {
  const auto record = [&](submitter& s) {
    for (int i = 0; i < 4; ++i) s.submit(touch, updates(data_[0]));
  };
  std::vector<placement::scheduled_task> lanes;
  for (int i = 0; i < 4; ++i) lanes.push_back(one_.take(microseconds(10 * i)));
  lanes[2].has_left = true;
  EXPECT_THAT(found(record, lanes), ElementsAre(ElementsAre(0, 1), ElementsAre(2), ElementsAre(3)));
}

TEST_F(batches_of_schedule, have_no_wide_body_where_there_are_several_lanes) {
  const auto everywhere = kernel<inout_buffer<float>>{
      "everywhere", host_body{[](lane_group&, buffer_view<float>) {
      }}}.wide();
  const buffer<float> large{rt_, 1'000'000, 0.0F};
  const auto record = [&](submitter& s) {
    for (int i = 0; i < 2; ++i) s.submit(everywhere, updates(large));
    for (int i = 0; i < 2; ++i) s.submit(touch, updates(data_[0]));
  };
  std::vector<placement::scheduled_task> lanes;
  for (int i = 0; i < 4; ++i) lanes.push_back(one_.take(microseconds(10 * i)));
  EXPECT_THAT(found(record, lanes), ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2, 3)));
}

TEST_F(batches_of_schedule, are_none_where_times_make_them_wait_in_a_circle) {
  const auto record = [&](submitter& s) {
    s.submit(touch, updates(data_[0]));
    s.submit(touch, updates(data_[1]));
    s.submit(look, reads(data_[1]), updates(data_[2]));
    s.submit(look, reads(data_[0]), updates(data_[3]));
  };
  // All four are said to have taken no time at one moment.
  const auto at = [](lane& of) { return of.take(microseconds(5), microseconds(0)); };
  const auto a = at(one_), b = at(other_);
  EXPECT_THAT(found(record, {a, b, at(one_), at(other_)}), IsEmpty());
}

TEST_F(batches_of_schedule, are_none_where_nothing_goes_together) {
  const auto record = [&](submitter& s) {
    s.submit(touch, updates(data_[0]));
    s.submit({.priority = 1}, touch, updates(data_[1]));
    s.submit({.timeout = std::chrono::hours(1)}, touch, updates(data_[2]));
  };
  const graph unplanned = rt_.record(record);
  EXPECT_EQ(detail::placed_plan::compiled(*unplanned.content(), *rt_.core()), nullptr);
  const auto two = [&](submitter& s) {
    s.submit(touch, updates(data_[0]));
    s.submit({.priority = 1}, touch, updates(data_[1]));
  };
  EXPECT_THAT(found(two, {one_.take(microseconds(0)), one_.take(microseconds(10))}), IsEmpty());
}

}  // namespace
}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/driver_device.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include <hocket/execution/tbb_executor.hpp>
#include <hocket/memory/host_resource.hpp>

#include "commands.hpp"
#include "recording_sink.hpp"

namespace hocket {

namespace {

/// A queue whose commands fail on the way to the driver.
class refusing_queue final : public driver_stream {
 public:
  using driver_stream::driver_stream;
  ~refusing_queue() override { close(); }

 protected:
  [[nodiscard]] bool prepared(const command& /*what*/) override { return true; }
  [[nodiscard]] failure prepare(const command& /*what*/) override { return {}; }
  [[nodiscard]] failure enqueue(const command& /*what*/,
                                std::span<const device_wait> /*waits*/) override {
    return {failure_code::task_failed, "It is not taken."};
  }
};

class devices_of_a_driver : public ::testing::Test {
 protected:
  devices_of_a_driver() { sink.owns({0}, {{0}, {1}, {2}}); }
  driver_device_parts parts() {
    const auto epoch = std::make_shared<host_epoch>(device_id{0}, sink);
    const auto queue = [&](stream_id id) {
      return std::make_unique<refusing_queue>(*domain, where, epoch, id);
    };
    driver_device_parts made;
    made.info.name = "X0";
    made.context = domain;
    made.memory = std::make_unique<host_resource>();
    made.compute = queue({0});
    made.inbound = queue({1});
    made.outbound = queue({2});
    return made;
  }

  testing::recording_sink sink;
  testing::submitter submit;
  tbb_executor where{std::make_shared<const host_topology>()};
  std::shared_ptr<driver_domain> domain = std::make_shared<driver_domain>();
};

}  // namespace

TEST_F(devices_of_a_driver, are_made_of_parts_and_keep_their_context) {
  auto made = std::make_unique<driver_device>(parts());
  const std::weak_ptr<driver_domain> kept = std::exchange(domain, nullptr);
  EXPECT_EQ(made->info().name, "X0");
  for (stream* each : {&made->compute(0), &made->inbound(), &made->outbound()}) {
    const timepoint end = submit(*each, testing::nothing());
    sink.await(where, end.on->stream(), end.value);
  }
  EXPECT_EQ(sink.results({2}).size(), 1U);
  made->forget({});
  EXPECT_FALSE(kept.expired());
  made = nullptr;
  EXPECT_TRUE(kept.expired());
}

TEST_F(devices_of_a_driver, are_lost_before_they_leave_it) {
  driver_device_parts given = parts();
  bool lost_before = false;
  given.leave = [&] { lost_before = !sink.lost().empty(); };
  driver_device made(std::move(given));
  EXPECT_TRUE(made.has_driver());
  made.leave_driver();
  EXPECT_TRUE(lost_before);
  EXPECT_EQ(sink.lost().at({0}).message(), program_ends("X0").message());
}

TEST_F(devices_of_a_driver, without_an_end_of_it_do_not_leave_it) {
  driver_device made(parts());
  EXPECT_FALSE(made.has_driver());
  made.leave_driver();
  EXPECT_TRUE(sink.lost().empty());
}

}  // namespace hocket

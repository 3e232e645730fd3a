// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/host_ordered_stream.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <vector>

#include <hocket/execution/tbb_executor.hpp>

#include "commands.hpp"
#include "recording_sink.hpp"

namespace hocket {

namespace {

class copies_of_the_host : public ::testing::Test {
 protected:
  using bytes = std::vector<std::uint8_t>;

  copies_of_the_host() { sink.owns({0}, {{0}, {1}}); }
  threaded_stream::parts parts(stream_id id) {
    return {domain, where, epoch, id, "copies", [this] { ++ends; }};
  }
  static copy_command copy(bytes& from, bytes& to) {
    return {{from.data(), from.size()},
            {to.data(), to.size()},
            {from.size()},
            1,
            box::whole({from.size()}),
            from.size()};
  }
  void finish(timepoint last) { sink.await(where, last.on->stream(), last.value); }

  testing::recording_sink sink;
  testing::submitter submit;
  std::atomic<int> ends{0};
  tbb_executor where{std::make_shared<const host_topology>()};
  driver_domain domain;
  std::shared_ptr<host_epoch> epoch = std::make_shared<host_epoch>(device_id{0}, sink);
};

}  // namespace

TEST_F(copies_of_the_host, wait_for_one_another) {
  bytes host(1000), device(1000), back(1000);
  {
    host_copy_stream in{parts({0}), nullptr};
    host_copy_stream out{parts({1}), nullptr};
    timepoint last;
    for (std::uint8_t round = 1; round <= 100; ++round) {
      const timepoint filled = submit(in, copy(host, device), {last});
      last = submit(out, copy(device, back), {filled});
    }
    finish(last);
    in.close();
    out.close();
  }
  EXPECT_EQ(back, host);
  // Once the threads have ended: a copy may wake the next before it counts its own end.
  EXPECT_EQ(ends, 200) << "those that wait are told of each end";
}

TEST_F(copies_of_the_host, are_given_host_addresses) {
  bytes host(100, 7), device(100);
  host_copy_stream in{parts({0}), [&](copy_command& what) { what.to.chunk = device.data(); }};
  copy_command what = copy(host, device);
  what.to.chunk = nullptr;
  finish(submit(in, what));
  EXPECT_EQ(device, host);
  copy_command none = what;
  none.region = box::whole({0});
  none.extents = {0};
  none.bytes = 0;
  finish(submit(in, none));
  in.close();
}

}  // namespace hocket

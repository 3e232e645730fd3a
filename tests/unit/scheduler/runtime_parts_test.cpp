// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/machine_description.hpp"
#include "runtime/unseen_failures.hpp"

namespace hocket::detail {
namespace {

using ::testing::ElementsAre;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

class failed_task final : public task_state {
 public:
  explicit failed_task(const std::string& label) : task_state(nullptr, task_label(label)) {}
};

/// A task that has failed; its message is its label.
task_state_ptr failed(const std::string& label) {
  task_state_ptr made(new failed_task(label));
  made->finish({failure_code::task_failed, label});
  return made;
}

TEST(unseen_failures, are_taken_in_the_order_in_which_they_were_kept) {
  detail::unseen_failures all;
  const task_state_ptr first = failed("first"), second = failed("second"), third = failed("third");
  for (const task_state_ptr& each : {first, second, third}) all.keep(*each);
  second->outcome().look();
  EXPECT_EQ(all.take_first(), first);
  EXPECT_TRUE(first->outcome().looked());
  EXPECT_EQ(all.take_first(), third);
  EXPECT_EQ(all.take_first(), nullptr);
}

TEST(unseen_failures, are_reported_once_unless_a_thread_has_looked_at_them) {
  detail::unseen_failures all;
  const task_state_ptr seen = failed("seen"), unseen = failed("unseen");
  all.keep(*seen);
  all.keep(*unseen);
  seen->outcome().look();
  CaptureStderr();
  all.report();
  EXPECT_EQ(GetCapturedStderr(), "hocket: unhandled failure: unseen\n");
  CaptureStderr();
  all.report();
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST(unseen_failures, keep_few_tasks_that_were_looked_at) {
  struct counted final : task_state {
    explicit counted(std::size_t& live) : task_state(nullptr), live_(live) { ++live_; }
    ~counted() override { --live_; }
    std::size_t& live_;
  };
  std::size_t live = 0;
  detail::unseen_failures all;
  for (int i = 0; i < 10'000; ++i) {
    const task_state_ptr task(new counted(live));
    task->finish({failure_code::task_failed, "a failure"});
    all.keep(*task);
    task->outcome().look();
  }
  EXPECT_LE(live, 64U);
}

TEST(unseen_failures, keep_all_that_no_thread_has_looked_at) {
  detail::unseen_failures all;
  for (int i = 0; i < 200; ++i) all.keep(*failed(std::to_string(i)));
  for (int i = 0; i < 200; ++i) {
    const task_state_ptr next = all.take_first();
    ASSERT_NE(next, nullptr);
    EXPECT_EQ(next->error().message(), std::to_string(i));
  }
}

/// What a device of a machine says of itself.
device_info info_of(const std::string& name, std::size_t lanes, bool shares_host_memory) {
  device_info made;
  made.name = name;
  made.backend = "test";
  made.lanes = lanes;
  made.formats = {shares_host_memory ? kernel_format::host : kernel_format::opencl_c};
  made.shares_host_memory = shares_host_memory;
  made.arena = 3;
  return made;
}

class machine_descriptions : public ::testing::Test {
 protected:
  /// Returns the numbers of a device that has connected.
  device_numbers add(const device_info& info) {
    device_numbers numbers = begin(info);
    const bool is_host = info.shares_host_memory;
    if (is_host) machine_.set_host_memory(info);
    machine_.add_device(info, numbers,
                        is_host ? placement::host_memory : machine_.add_memory(info));
    return numbers;
  }
  device_numbers begin(const device_info& info) {
    device_numbers numbers;
    numbers.device = device_id{machine_.infos().size()};
    machine_.add_streams(info, numbers);
    return numbers;
  }
  [[nodiscard]] std::optional<stream_id> link(std::size_t from, std::size_t to) const {
    const auto& found = machine_.told().links[from * machine_.told().memories.size() + to];
    return found ? std::optional(found->stream) : std::nullopt;
  }

  machine_description machine_;
};

TEST_F(machine_descriptions, number_streams_in_the_order_of_devices) {
  const device_numbers host = add(info_of("Host", 2, true));
  const device_numbers own = add(info_of("Card", 1, false));
  EXPECT_THAT(host.compute, ElementsAre(stream_id{0}, stream_id{1}));
  EXPECT_EQ(host.outbound, stream_id{3});
  EXPECT_THAT(own.compute, ElementsAre(stream_id{4}));
  EXPECT_EQ(machine_.stream_name(stream_id{1}), "Host lane 1");
  EXPECT_EQ(machine_.stream_name(own.inbound), "Card in");
  EXPECT_EQ(machine_.stream_name(own.outbound), "Card out");
  EXPECT_EQ(machine_.arena_of(stream_id{1}), 3U);
  EXPECT_EQ(machine_.arena_of(own.inbound), no_arena);
}

TEST_F(machine_descriptions, have_nothing_of_a_device_that_did_not_connect) {
  add(info_of("Host", 1, true));
  const device_numbers none = begin(info_of("Broken", 2, false));
  machine_.remove_streams(none);
  const device_numbers next = add(info_of("Card", 1, false));
  EXPECT_EQ(next.compute.front(), none.compute.front());
  EXPECT_EQ(machine_.told().streams.size(), 6U);
  EXPECT_EQ(machine_.stream_name(next.outbound), "Card out");
}

TEST_F(machine_descriptions, link_memories_by_way_of_the_host) {
  add(info_of("Host", 1, true));
  const device_numbers one = add(info_of("One", 1, false));
  device_info with_peers = info_of("Two", 1, false);
  with_peers.peer_copies = true;
  const device_numbers two = add(with_peers);
  machine_.add_links();
  EXPECT_EQ(link(0, 1), one.inbound);
  EXPECT_EQ(link(1, 0), one.outbound);
  EXPECT_EQ(link(0, 2), two.inbound);
  // Of one domain: the device copies from its peer, and not to it.
  EXPECT_EQ(link(1, 2), two.inbound);
  EXPECT_EQ(link(2, 1), std::nullopt);
}

}  // namespace
}  // namespace hocket::detail

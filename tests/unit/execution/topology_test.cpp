// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>

#include <hocket/execution/topology.hpp>

#include "machine.hpp"

namespace hocket {
namespace {

using testing::machine;

TEST(topology, knows_this_machine) {
  const host_topology here;
  ASSERT_FALSE(here.nodes().empty());
  EXPECT_TRUE(here.is_this_machine());
  for (const numa_node& node : here.nodes()) EXPECT_GE(node.cores, 1U);
  EXPECT_EQ(here.nodes()[0].name, "NUMA0");
}

TEST(topology, honours_a_synthetic_machine) {
  const auto two = machine("numa:2 core:3 pu:2");
  EXPECT_FALSE(two->is_this_machine());
  ASSERT_EQ(two->nodes().size(), 2U);
  EXPECT_EQ(two->nodes()[1].name, "NUMA1");
  EXPECT_EQ(two->nodes()[1].cores, 3U) << "a lane is a core, not a hardware thread";
  EXPECT_EQ(two->nodes()[1].memory_bytes, std::nullopt);
}

TEST(topology, says_once_that_a_description_is_none) {
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(machine("garbage")->is_this_machine());
  EXPECT_TRUE(machine("garbage")->is_this_machine());
  const std::string told = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(told.find("HWLOC_SYNTHETIC is \"garbage\", which describes no machine"),
            std::string::npos)
      << told;
  EXPECT_EQ(std::ranges::count(told, '\n'), 1) << told;
}

TEST(topology, counts_hardware_threads_where_no_core_is_known) {
  const auto flat = machine("numa:1 pu:4");
  ASSERT_EQ(flat->nodes().size(), 1U);
  EXPECT_EQ(flat->nodes()[0].cores, 4U);
}

TEST(topology, uses_only_the_cores_that_its_thread_may_use) {
  std::thread([] {
    cpu_set_t before;
    CPU_ZERO(&before);
    ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
    int first = 0;
    while (!CPU_ISSET(first, &before)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    const host_topology narrow;
    EXPECT_EQ(narrow.nodes().size(), 1U);
    EXPECT_EQ(narrow.nodes()[0].cores, 1U);
  }).join();
}

TEST(topology, binds_a_thread_to_a_node_and_frees_it) {
  const host_topology here;
  std::thread([&] {
    EXPECT_TRUE(here.bind_current_thread(0));
    EXPECT_TRUE(here.unbind_current_thread());
  }).join();
}

TEST(topology, allocates_memory_on_a_node) {
  const host_topology here;
  const node_memory memory = here.allocate_on_node(0, 1 << 20);
  ASSERT_NE(memory.address, nullptr);
  EXPECT_EQ(memory.bound, memory.note.empty());
  std::memset(memory.address, 1, memory.bytes);
  here.release(memory);
}

TEST(topology, says_that_synthetic_memory_is_not_bound) {
  const auto two = machine("numa:2 core:1 pu:1");
  const node_memory memory = two->allocate_on_node(1, 4096);
  ASSERT_NE(memory.address, nullptr);
  EXPECT_FALSE(memory.bound);
  EXPECT_NE(memory.note.find("synthetic"), std::string::npos);
  two->release(memory);
}

}  // namespace
}  // namespace hocket

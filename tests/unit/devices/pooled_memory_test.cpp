// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/pooled_memory.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include <hocket/memory/host_resource.hpp>

#include "counting_resource.hpp"

namespace hocket {

namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

/// A device that uses the host's memory in place, as far as its memory is asked about it.
class importing_device final : public device {
 public:
  [[nodiscard]] const device_info& info() const noexcept override { return info_; }
  [[nodiscard]] memory_resource& memory() noexcept override { std::abort(); }
  [[nodiscard]] stream& compute(std::size_t) noexcept override { std::abort(); }
  [[nodiscard]] stream& inbound() noexcept override { std::abort(); }
  [[nodiscard]] stream& outbound() noexcept override { std::abort(); }
  void lose(const failure&) override { std::abort(); }
  void forget(const allocation& host) noexcept override { forgotten.push_back(host); }

  std::vector<allocation> forgotten;

 private:
  device_info info_;
};

class pooled : public ::testing::Test {
 protected:
  static device_info info(bool keeps, bool hosts = false) {
    device_info made;
    made.name = "X0";
    made.memory_bytes = 4 * MiB;
    made.keeps_freed_blocks = keeps;
    made.shares_host_memory = hosts;
    return made;
  }
  static allocation once(pooled_memory& from, std::size_t bytes) {
    const allocation made = from.allocate(bytes, 64).value();
    from.deallocate(made);
    return made;
  }
  std::uint64_t asked() const { return bottom.now().total_allocations; }

  host_resource host;
  testing::counting_resource bottom{host};
};

TEST_F(pooled, the_limit_is_what_the_device_has) {
  pooled_memory made(bottom, info(true));
  const allocation all = made.allocate(4 * MiB, 64).value();
  const auto refused = made.allocate(64, 64);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "Device \"X0\" has no memory for 64 bytes: 4194304 of 4194304 bytes are in use.");
  made.deallocate(all);
}

TEST_F(pooled, freed_blocks_are_kept_where_the_device_says_so) {
  {
    pooled_memory made(bottom, info(false));
    once(made, MiB);
    once(made, MiB);
    EXPECT_EQ(asked(), 2U);
  }
  pooled_memory made(bottom, info(true));
  once(made, 16);
  once(made, 16);
  EXPECT_EQ(asked(), 3U);
}

TEST_F(pooled, small_blocks_of_the_heap_pass_by_unless_they_are_imported) {
  {
    pooled_memory made(bottom, info(true, true));
    once(made, KiB);
    once(made, KiB);
    EXPECT_EQ(asked(), 2U);
    once(made, MiB);
    once(made, MiB);
    EXPECT_EQ(asked(), 3U);
  }
  importing_device user;
  pooled_memory made(bottom, info(true, true), {&user});
  once(made, KiB);
  once(made, KiB);
  EXPECT_EQ(asked(), 4U);
}

TEST_F(pooled, importing_devices_forget_a_block_when_it_goes_back) {
  importing_device user;
  allocation first;
  {
    pooled_memory made(bottom, info(true, true), {&user});
    first = once(made, MiB);
    EXPECT_TRUE(user.forgotten.empty()) << "it is kept, and so is its import";
    const allocation all = made.allocate(4 * MiB, 64).value();
    EXPECT_EQ(user.forgotten, std::vector{first});
    made.deallocate(all);
  }
  EXPECT_EQ(user.forgotten.size(), 2U);
}

}  // namespace

}  // namespace hocket

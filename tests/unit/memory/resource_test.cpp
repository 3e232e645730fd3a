// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/memory/host_resource.hpp>
#include <hocket/memory/limit_resource.hpp>
#include <hocket/memory/pool_resource.hpp>

#include "counting_resource.hpp"

namespace hocket {
namespace {

using hocket::testing::counting_resource;
using ::testing::HasSubstr;

constexpr std::size_t KiB = 1024;

/// Each resource over the host's memory, made by its name; what it took has to be given back.
class any_resource : public ::testing::TestWithParam<std::string> {
 protected:
  any_resource() {
    memory_resource& upstream = counted_;
    if (GetParam() == "limit")
      made_ = std::make_unique<limit_resource>(upstream, "A test", 1 << 26);
    if (GetParam() == "pool") made_ = make_pool(upstream, {.kept_bytes = 64 * KiB});
    if (GetParam() == "pool of large blocks") made_ = make_pool(upstream, {.least_bytes = 2 * KiB});
    if (GetParam() == "pool of pool") {
      lower_ = make_pool(upstream, {});
      made_ = make_pool(*lower_, {.kept_bytes = 0});
    }
  }
  ~any_resource() override {
    made_.reset();
    lower_.reset();
    EXPECT_EQ(counted_.now().live_bytes, 0U);
    EXPECT_EQ(counted_.now().live_allocations, 0U);
  }

  memory_resource& resource() { return made_ ? *made_ : counted_; }

 private:
  static std::unique_ptr<memory_resource> make_pool(memory_resource& upstream,
                                                    pool_resource::options how) {
    return std::make_unique<pool_resource>(upstream, how);
  }

  host_resource host_;
  counting_resource counted_{host_};
  std::unique_ptr<memory_resource> lower_;  // between the two, where there is one
  std::unique_ptr<memory_resource> made_;
};

bool aligned(const allocation& a, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(a.address()) % alignment == 0;
}

TEST_P(any_resource, gives_aligned_bytes_that_can_be_written) {
  std::vector<allocation> taken;
  for (const std::size_t bytes : {0U, 1U, 255U, 256U, 257U, 70'000U}) {
    for (const std::size_t alignment : {1U, 8U, 256U, 4096U}) {
      auto given = resource().allocate(bytes, alignment);
      ASSERT_TRUE(given) << given.error().message();
      EXPECT_GE(given.value().bytes, bytes);
      EXPECT_TRUE(aligned(given.value(), alignment));
      std::memset(given.value().address(), 0xa5, bytes);
      taken.push_back(given.value());
    }
  }
  for (const allocation& a : taken) resource().deallocate(a);
}

TEST_P(any_resource, fails_with_numbers_and_goes_on) {
  const auto given = resource().allocate(SIZE_MAX - 100, 16);
  ASSERT_FALSE(given);
  EXPECT_EQ(given.error().code(), failure_code::out_of_memory);
  EXPECT_THAT(given.error().message(), HasSubstr(std::to_string(SIZE_MAX - 100)));
  auto next = resource().allocate(16, 16);
  ASSERT_TRUE(next);
  resource().deallocate(next.value());
}

TEST_P(any_resource, serves_many_threads) {
  constexpr int threads = 4;
  std::barrier start(threads);
  const auto work = [&](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::pair<allocation, unsigned char>> mine;
    start.arrive_and_wait();
    for (int i = 0; i < 2000; ++i) {
      if (mine.size() < 30 && random() % 2 == 0) {
        auto given = resource().allocate(1 + random() % 5000, 64);
        ASSERT_TRUE(given);
        const auto mark = static_cast<unsigned char>(random());
        std::memset(given.value().address(), mark, given.value().bytes);
        mine.emplace_back(given.value(), mark);
      } else if (!mine.empty()) {
        std::swap(mine[random() % mine.size()], mine.back());
        const auto [a, mark] = mine.back();
        const auto* bytes = static_cast<const unsigned char*>(a.address());
        ASSERT_EQ(bytes[0], mark);
        ASSERT_EQ(bytes[a.bytes - 1], mark);
        resource().deallocate(a);
        mine.pop_back();
      }
    }
    for (const auto& [a, mark] : mine) resource().deallocate(a);
  };
  std::vector<std::jthread> team;
  for (std::uint64_t t = 0; t < threads; ++t) team.emplace_back(work, t);
}

INSTANTIATE_TEST_SUITE_P(resources, any_resource,
                         ::testing::Values("host", "limit", "pool", "pool of large blocks",
                                           "pool of pool"),
                         [](const auto& made) {
                           std::string name = made.param;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST(limit, allows_exactly_so_much) {
  host_resource host;
  limit_resource limit(host, "Device \"X\"", 1024);
  const allocation a = limit.allocate(512, 16).value();
  const allocation b = limit.allocate(512, 16).value();
  const auto refused = limit.allocate(16, 16);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "Device \"X\" has no memory for 16 bytes: 1024 of 1024 bytes are in use.");
  limit.deallocate(a);
  EXPECT_EQ(limit.in_use(), 512U);
  const allocation c = limit.allocate(512, 16).value();
  limit.deallocate(b);
  limit.deallocate(c);
  EXPECT_EQ(limit.in_use(), 0U);
}

/// Gives whole multiples of the alignment, as some drivers do.
class rounding_resource final : public memory_resource {
 public:
  explicit rounding_resource(memory_resource& upstream) : upstream_(upstream) {}

  result<allocation> allocate(std::size_t bytes, std::size_t alignment) override {
    return upstream_.allocate((bytes + alignment - 1) / alignment * alignment, alignment);
  }
  void deallocate(const allocation& a) noexcept override { upstream_.deallocate(a); }

 private:
  memory_resource& upstream_;
};

TEST(limit, counts_what_upstream_rounds_up) {
  host_resource host;
  counting_resource counted(host);
  rounding_resource rounding(counted);
  limit_resource limit(rounding, "A test", 100);
  EXPECT_FALSE(limit.allocate(100, 64)) << "upstream gives 128";
  EXPECT_EQ(limit.in_use(), 0U);
  EXPECT_EQ(counted.now().live_allocations, 0U);
}

TEST(limit, is_not_used_up_by_failures_of_upstream) {
  host_resource host;
  limit_resource upstream(host, "Below", 64);
  limit_resource limit(upstream, "A test", 1024);
  EXPECT_FALSE(limit.allocate(128, 16));
  EXPECT_EQ(limit.in_use(), 0U);
}

/// Calls something while it is asked for memory.
class calling_resource final : public memory_resource {
 public:
  explicit calling_resource(memory_resource& upstream) : upstream_(upstream) {}

  result<allocation> allocate(std::size_t bytes, std::size_t alignment) override {
    if (within) within();
    return upstream_.allocate(bytes, alignment);
  }
  void deallocate(const allocation& a) noexcept override { upstream_.deallocate(a); }

  std::function<void()> within;

 private:
  memory_resource& upstream_;
};

TEST(locked_pool, takes_nothing_back_while_it_grows) {
  host_resource host;
  calling_resource upstream(host);
  pool_resource made(upstream, {});
  const allocation early = made.allocate(KiB, 16).value();
  std::atomic<bool> begins = false;
  std::atomic<bool> was_taken_back = false;
  std::jthread other;
  upstream.within = [&] {
    other = std::jthread([&] {
      begins = true;
      made.deallocate(early);
      was_taken_back = true;
    });
    while (!begins) std::this_thread::yield();
    // Time to do wrong: a correct thread waits for the lock.
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(was_taken_back);
  };
  const allocation late = made.allocate(2 * KiB, 16).value();
  other.join();
  EXPECT_TRUE(was_taken_back);
  made.deallocate(late);
}

/// A pool over the host's memory, of which there is 64 KiB; 8 KiB may always be kept.
class pool : public ::testing::Test {
 protected:
  using usage = pool_resource::usage;
  allocation take(std::size_t bytes, std::size_t alignment = 16) {
    return made.allocate(bytes, alignment).value();
  }
  std::uint64_t asked() const { return counted.now().total_allocations; }

  host_resource host;
  limit_resource limit{host, "A test", 64 * KiB};
  counting_resource counted{limit};
  pool_resource made{counted, {.least_bytes = KiB, .kept_bytes = 8 * KiB}};
};

TEST_F(pool, hands_a_block_out_again) {
  const allocation first = take(4 * KiB);
  EXPECT_EQ(made.now(), (usage{.in_use = 4 * KiB, .kept = 0}));
  made.deallocate(first);
  EXPECT_EQ(made.now(), (usage{.in_use = 0, .kept = 4 * KiB}));
  EXPECT_EQ(take(4 * KiB), first);
  EXPECT_EQ(asked(), 1U);
  made.deallocate(first);
}

TEST_F(pool, hands_out_no_other_size) {
  const allocation first = take(4 * KiB);
  made.deallocate(first);
  const allocation less = take(4 * KiB - 16);
  const allocation more = take(4 * KiB + 16);
  EXPECT_EQ(asked(), 3U);
  made.deallocate(less);
  made.deallocate(more);
}

TEST_F(pool, hands_out_no_smaller_alignment) {
  const allocation fine = take(4 * KiB, 64);
  made.deallocate(fine);
  const allocation coarse = take(4 * KiB, 4 * KiB);
  EXPECT_EQ(asked(), 2U);
  EXPECT_TRUE(aligned(coarse, 4 * KiB));
  made.deallocate(coarse);
  const allocation again = take(4 * KiB, 64);
  EXPECT_EQ(again, fine) << "the least that suffices";
  EXPECT_EQ(take(4 * KiB, 64), coarse);
  made.deallocate(again);
  made.deallocate(coarse);
}

TEST_F(pool, hands_out_last_what_was_given_back_first) {
  const allocation a = take(2 * KiB), b = take(2 * KiB);
  made.deallocate(a);
  made.deallocate(b);
  EXPECT_EQ(take(2 * KiB), b);
  EXPECT_EQ(take(2 * KiB), a);
  made.deallocate(a);
  made.deallocate(b);
}

TEST_F(pool, keeps_no_small_blocks) {
  const allocation small = take(KiB - 1);
  made.deallocate(small);
  EXPECT_EQ(made.now(), usage{});
  EXPECT_EQ(counted.now().live_allocations, 0U);
}

TEST_F(pool, holds_no_more_than_was_in_use_at_one_time) {
  std::vector<allocation> all;
  for (std::size_t i = 0; i < 4; ++i) all.push_back(take(8 * KiB));
  for (const allocation& a : all) made.deallocate(a);
  EXPECT_EQ(made.now(), (usage{.in_use = 0, .kept = 32 * KiB}));
  const allocation other = take(12 * KiB);
  EXPECT_EQ(made.now(), (usage{.in_use = 12 * KiB, .kept = 16 * KiB}));
  EXPECT_EQ(take(8 * KiB), all[3]) << "the oldest go back first";
  made.deallocate(other);
  made.deallocate(all[3]);
  EXPECT_EQ(made.now(), (usage{.in_use = 0, .kept = 28 * KiB}));
}

TEST_F(pool, keeps_some_in_any_case) {
  const allocation small = take(2 * KiB);
  made.deallocate(small);
  const allocation large = take(40 * KiB);
  EXPECT_EQ(made.now(), (usage{.in_use = 40 * KiB, .kept = 2 * KiB}));
  const allocation more[] = {take(3 * KiB), take(3 * KiB), take(3 * KiB)};
  for (const allocation& a : more) made.deallocate(a);
  EXPECT_EQ(made.now().kept, 9 * KiB) << "as much as was in use besides";
  made.deallocate(large);
}

TEST_F(pool, kept_blocks_make_no_allocation_fail) {
  const allocation most = take(60 * KiB);
  made.deallocate(take(4 * KiB));
  EXPECT_EQ(made.now(), (usage{.in_use = 60 * KiB, .kept = 4 * KiB}));
  const allocation other = take(3 * KiB);
  EXPECT_EQ(made.now(), (usage{.in_use = 63 * KiB, .kept = 0}));
  const auto refused = made.allocate(2 * KiB, 16);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "A test has no memory for 2048 bytes: 64512 of 65536 bytes are in use.");
  made.deallocate(most);
  made.deallocate(other);
}

TEST_F(pool, kept_blocks_make_room_for_small_ones) {
  const allocation small = take(512);
  const allocation most = take(63 * KiB);
  made.deallocate(most);
  EXPECT_EQ(made.now().kept, 63 * KiB);
  const allocation others[] = {take(512), take(512)};
  EXPECT_EQ(made.now().kept, 0U);
  made.deallocate(small);
  for (const allocation& a : others) made.deallocate(a);
}

/// Blocks that are handles and have no addresses; each is of its own chunk.
class imagined_resource final : public memory_resource {
 public:
  result<allocation> allocate(std::size_t bytes, std::size_t) override {
    live_.emplace(++last_, bytes);
    return allocation{reinterpret_cast<void*>(last_), bytes};
  }
  void deallocate(const allocation& a) noexcept override {
    EXPECT_EQ(live_.erase(reinterpret_cast<std::uintptr_t>(a.chunk)), 1U);
  }
  [[nodiscard]] std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& [handle, bytes] : live_) sum += bytes;
    return sum;
  }

 private:
  std::uintptr_t last_ = 0;
  std::map<std::uintptr_t, std::size_t> live_;
};

TEST(imagined_pool, never_hands_a_block_out_twice_and_keeps_its_bound) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    imagined_resource upstream;
    {
      constexpr std::size_t kept = 4096;
      pool_resource made(upstream, {.kept_bytes = kept});
      std::map<void*, allocation> live;
      std::size_t in_use = 0, peak = 0;
      for (int step = 0; step < 5000; ++step) {
        const bool grows = step / 500 % 2 == 0;
        if (live.empty() || random() % 10 < (grows ? 7U : 3U)) {
          const std::size_t bytes = 64 * (1 + random() % 40);
          const allocation a = made.allocate(bytes, std::size_t{1} << random() % 10).value();
          EXPECT_EQ(a.bytes, bytes);
          EXPECT_TRUE(live.emplace(a.chunk, a).second);
          in_use += bytes;
          peak = std::max(peak, in_use);
        } else {
          const auto at =
              std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
          in_use -= at->second.bytes;
          made.deallocate(at->second);
          live.erase(at);
        }
        EXPECT_EQ(made.now().in_use, in_use);
        EXPECT_EQ(made.now().in_use + made.now().kept, upstream.bytes());
        EXPECT_LE(upstream.bytes(), std::max(peak, in_use + kept));
      }
      for (const auto& [chunk, a] : live) made.deallocate(a);
    }
    EXPECT_EQ(upstream.bytes(), 0U);
  }
}

}  // namespace
}  // namespace hocket

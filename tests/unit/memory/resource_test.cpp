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

#include <hocket/memory/counting_resource.hpp>
#include <hocket/memory/host_resource.hpp>
#include <hocket/memory/limit_resource.hpp>
#include <hocket/memory/pool_resource.hpp>

namespace hocket {
namespace {

using testing::HasSubstr;

/// Each resource over the host's memory, made by its name; what it took has to be given back.
class any_resource : public testing::TestWithParam<std::string> {
 protected:
  any_resource() {
    memory_resource& upstream = counted_;
    if (GetParam() == "limit") made_ = std::make_unique<limit_resource>(upstream, 1 << 26);
    if (GetParam() == "pool") made_ = std::make_unique<pool_resource>(upstream, 1 << 16);
    if (GetParam() == "counting") made_ = std::make_unique<counting_resource>(upstream);
    if (GetParam() == "pool of pool") {
      lower_ = std::make_unique<pool_resource>(upstream, 1 << 18);
      made_ = std::make_unique<pool_resource>(*lower_, 1 << 14);
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
  host_resource host_;
  counting_resource counted_{host_};
  std::unique_ptr<memory_resource> lower_;  // between the two, where there is one
  std::unique_ptr<memory_resource> made_;
};

bool aligned(const allocation& a, std::size_t alignment) {
  return a.offset % alignment == 0 &&
         reinterpret_cast<std::uintptr_t>(a.address()) % alignment == 0;
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
                         testing::Values("host", "limit", "counting", "pool", "pool of pool"),
                         [](const auto& made) {
                           std::string name = made.param;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST(limit, allows_exactly_so_much) {
  host_resource host;
  limit_resource limit(host, 1024);
  const allocation a = limit.allocate(512, 16).value();
  const allocation b = limit.allocate(512, 16).value();
  const auto refused = limit.allocate(16, 16);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(),
            "A limit refuses 16 bytes; 1024 are in use of the 1024 allowed.");
  limit.deallocate(a);
  EXPECT_EQ(limit.in_use(), 512U);
  const allocation c = limit.allocate(512, 16).value();
  limit.deallocate(b);
  limit.deallocate(c);
  EXPECT_EQ(limit.in_use(), 0U);
}

TEST(limit, counts_what_upstream_rounds_up) {
  host_resource host;
  counting_resource counted(host);
  limit_resource limit(counted, 100);
  EXPECT_FALSE(limit.allocate(100, 64)) << "the host gives 128";
  EXPECT_EQ(limit.in_use(), 0U);
  EXPECT_EQ(counted.now().live_allocations, 0U);
}

TEST(limit, is_not_used_up_by_failures_of_upstream) {
  host_resource host;
  limit_resource upstream(host, 64);
  limit_resource limit(upstream, 1024);
  EXPECT_FALSE(limit.allocate(128, 16));
  EXPECT_EQ(limit.in_use(), 0U);
}

TEST(counting, counts) {
  host_resource host;
  limit_resource limit(host, 1000);
  counting_resource counted(limit);
  const allocation a = counted.allocate(64, 16).value();
  const allocation b = counted.allocate(32, 16).value();
  counted.deallocate(a);
  const allocation c = counted.allocate(16, 16).value();
  EXPECT_FALSE(counted.allocate(2000, 16));
  EXPECT_EQ(counted.now(), (counting_resource::counts{.live_bytes = 48,
                                                      .live_allocations = 2,
                                                      .peak_bytes = 96,
                                                      .total_bytes = 112,
                                                      .total_allocations = 3,
                                                      .failures = 1}));
  counted.deallocate(b);
  counted.deallocate(c);
}

/// A pool over the host's memory with chunks of 64 KiB.
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
  constexpr std::size_t chunk = 1 << 12;
  host_resource host;
  calling_resource upstream(host);
  pool_resource made(upstream, chunk);
  const allocation early = made.allocate(chunk / 2, 16).value();
  const allocation rest = made.allocate(chunk / 2, 16).value();
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
    // Time to do wrong: whoever is right waits for the lock.
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_FALSE(was_taken_back);
  };
  const allocation late = made.allocate(chunk / 2, 16).value();
  other.join();
  EXPECT_TRUE(was_taken_back);
  for (const allocation& a : {rest, late}) made.deallocate(a);
}

class pool : public testing::Test {
 protected:
  static constexpr std::size_t chunk = 1 << 16;
  allocation take(std::size_t bytes) { return made.allocate(bytes, 16).value(); }

  host_resource host;
  limit_resource limit{host, 4 * chunk};
  counting_resource counted{limit};
  pool_resource made{counted, chunk};
};

TEST_F(pool, takes_whole_chunks_and_joins_what_is_freed) {
  std::vector<allocation> parts;
  for (std::size_t i = 0; i < chunk / 1024; ++i) parts.push_back(take(1024));
  EXPECT_EQ(made.now(), (pool_resource::usage{.in_use = chunk, .held = chunk, .chunks = 1}));
  for (const std::size_t odd : {1U, 0U}) {
    for (std::size_t i = odd; i < parts.size(); i += 2) made.deallocate(parts[i]);
  }
  EXPECT_EQ(made.now(), (pool_resource::usage{.in_use = 0, .held = chunk, .chunks = 1}));
  const allocation half = take(chunk / 2);
  const allocation rest = take(chunk / 2);
  EXPECT_EQ(made.now().chunks, 1U);
  made.deallocate(half);
  made.deallocate(rest);
}

TEST_F(pool, fits_best) {
  const allocation large = take(4096);
  const allocation fence = take(256);
  const allocation small = take(1024);
  const allocation end = take(256);
  made.deallocate(large);
  made.deallocate(small);
  const allocation again = take(1000);
  EXPECT_EQ(again.address(), small.address());
  for (const allocation& a : {again, fence, end}) made.deallocate(a);
}

TEST_F(pool, large_requests_pass_by) {
  const allocation large = take(chunk);
  EXPECT_EQ(made.now(), pool_resource::usage{});
  EXPECT_EQ(counted.now().live_bytes, chunk);
  made.deallocate(large);
  EXPECT_EQ(counted.now().live_bytes, 0U);
}

TEST_F(pool, gives_empty_chunks_back) {
  const allocation a = take(chunk / 2);
  const allocation b = take(chunk / 2);
  const allocation c = take(256);
  EXPECT_EQ(made.now().chunks, 2U);
  made.deallocate(c);
  made.release();
  EXPECT_EQ(made.now().chunks, 1U);
  EXPECT_EQ(counted.now().live_bytes, chunk);
  made.deallocate(a);
  made.release();
  EXPECT_EQ(made.now().chunks, 1U) << "the other half is in use";
  made.deallocate(b);
  made.release();
  EXPECT_EQ(counted.now().live_bytes, 0U);
}

TEST_F(pool, empty_chunks_make_room_for_a_large_request) {
  std::vector<allocation> halves;
  for (int i = 0; i < 8; ++i) halves.push_back(take(chunk / 2));
  for (const allocation& a : halves) made.deallocate(a);
  EXPECT_EQ(made.now().held, 4 * chunk);
  const allocation large = take(3 * chunk);
  made.deallocate(large);
}

TEST_F(pool, takes_less_than_a_chunk_where_there_is_no_more) {
  const allocation large = take(4 * chunk - 1024);
  const allocation small = take(1024);
  EXPECT_EQ(made.now().held, 1024U);
  const auto refused = made.allocate(256, 16);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("256 bytes"));
  EXPECT_THAT(refused.error().message(), HasSubstr("1024 of them in use"));
  EXPECT_THAT(refused.error().message(), HasSubstr(std::to_string(4 * chunk) + " allowed"));
  made.deallocate(large);
  made.deallocate(small);
}

/// Chunks that are numbers and not memory, next to one another in the numbers.
class imagined_resource final : public memory_resource {
 public:
  result<allocation> allocate(std::size_t bytes, std::size_t alignment) override {
    next_ = (next_ + alignment - 1) / alignment * alignment;
    const allocation a{nullptr, next_, bytes};
    next_ += bytes;
    ++live;
    return a;
  }
  void deallocate(const allocation&) noexcept override { --live; }
  int live = 0;

 private:
  std::size_t next_ = 0;
};

TEST(imagined_pool, never_joins_parts_of_two_chunks) {
  imagined_resource upstream;
  {
    pool_resource made(upstream, 4096);
    std::vector<allocation> parts;
    for (int i = 0; i < 4; ++i) parts.push_back(made.allocate(2048, 1).value());
    for (const allocation& a : parts) made.deallocate(a);
    EXPECT_EQ(made.now().chunks, 2U);
    EXPECT_EQ(upstream.live, 2);
    made.release();
    EXPECT_EQ(upstream.live, 0);
  }
}

/// What is handed out, by place; the naive model that the pool is compared with.
class model {
 public:
  void take(const allocation& a) {
    const auto next = taken_.lower_bound(a.offset);
    if (next != taken_.end()) {
      EXPECT_LE(a.offset + a.bytes, next->first);
    }
    if (next != taken_.begin()) {
      const auto& [offset, bytes] = *std::prev(next);
      EXPECT_LE(offset + bytes, a.offset);
    }
    taken_.emplace(a.offset, a.bytes);
    sum_ += a.bytes;
  }
  void give_back(const allocation& a) {
    EXPECT_EQ(taken_.erase(a.offset), 1U);
    sum_ -= a.bytes;
  }
  [[nodiscard]] std::size_t sum() const noexcept { return sum_; }

 private:
  std::map<std::size_t, std::size_t> taken_;
  std::size_t sum_ = 0;
};

TEST(imagined_pool, agrees_with_a_naive_model) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    imagined_resource upstream;
    pool_resource made(upstream, 1 << 16);
    model naive;
    std::vector<allocation> live;
    for (int step = 0; step < 5000; ++step) {
      const bool grows = step / 500 % 2 == 0;
      if (live.empty() || random() % 10 < (grows ? 7U : 3U)) {
        const std::size_t bytes = std::size_t{1} << random() % 15;
        const std::size_t alignment = std::size_t{1} << random() % 10;
        const allocation a = made.allocate(bytes + random() % bytes, alignment).value();
        EXPECT_EQ(a.offset % alignment, 0U);
        naive.take(a);
        live.push_back(a);
      } else {
        std::swap(live[random() % live.size()], live.back());
        naive.give_back(live.back());
        made.deallocate(live.back());
        live.pop_back();
      }
      if (step % 1000 == 999) made.release();
      EXPECT_LE(made.now().in_use, naive.sum());
      EXPECT_LE(made.now().in_use, made.now().held);
    }
    for (const allocation& a : live) made.deallocate(a);
    EXPECT_EQ(made.now().in_use, 0U);
    made.release();
    EXPECT_EQ(made.now(), pool_resource::usage{});
    EXPECT_EQ(upstream.live, 0);
  }
}

}  // namespace
}  // namespace hocket

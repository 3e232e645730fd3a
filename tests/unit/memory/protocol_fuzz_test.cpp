// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Long random sequences through the same machine as the exhaustive check: several buffers, tiles in
// two dimensions, shared streams, tasks that fail, memories that are lost and come back.

#include <iostream>
#include <random>

#include <gtest/gtest.h>

#include "protocol_machine.hpp"

namespace hocket::protocol {
namespace {

constexpr std::size_t room = 512;
using large_machine = machine<room>;

class fuzzer {
 public:
  fuzzer(std::uint64_t seed, fault injected)
      : random_(seed), memories_(2 + below(5)), machine_(memories_, injected, below(2) == 0) {
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      extents_.push_back(below(3) == 0 ? index_list{1 + below(6)}
                                       : index_list{1 + below(4), 1 + below(4)});
      machine_.add(extents_.back());
    }
    if (below(2) == 0) machine_.share_streams(1 + below(6));
  }

  /// Runs until the machine is nearly full or something went wrong.
  void run() {
    while (machine_.commands() < room - 100 && machine_.violation().empty() && ++steps_ < 2000) {
      step();
    }
    for (std::size_t data = 0; data < extents_.size(); ++data) machine_.renew(data);
  }

  [[nodiscard]] const std::string& violation() const { return machine_.violation(); }
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  box part(const index_list& extents) {
    box region = box::whole(extents);
    if (below(3) == 0) return region;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      region.begin[d] = below(extents[d]);
      region.end[d] = region.begin[d] + 1 + below(extents[d] - region.begin[d]);
    }
    return region;
  }

  void step() {
    const std::size_t data = below(extents_.size());
    const memory_id memory{below(memories_)};
    const std::size_t dice = below(100);
    if (dice < 85) {
      constexpr std::array verbs{verb::read,   verb::read,     verb::write, verb::update,
                                 verb::update, verb::prefetch, verb::evict};
      machine_.apply({verbs[below(verbs.size())], data, memory, part(extents_[data])});
    } else if (dice < 91) {
      if (machine_.commands() > 0) machine_.finish(below(machine_.commands()));
    } else if (dice < 93) {
      below(4) == 0 ? machine_.finish_all() : machine_.pin(data, memory);
    } else if (dice < 96) {
      machine_.unpin(data, memory);
    } else if (dice < 98) {
      if (machine_.commands() > 0) machine_.fail(below(machine_.commands()));
    } else if (dice < 99) {
      machine_.lose(memory);
    } else {
      machine_.renew(data);
    }
  }

  std::mt19937_64 random_;
  std::size_t memories_;
  large_machine machine_;
  std::vector<index_list> extents_;
  std::size_t steps_ = 0;
};

std::string run_seeds(std::uint64_t first, std::uint64_t count, fault injected) {
  std::size_t steps = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    fuzzer f(seed, injected);
    f.run();
    if (!f.violation().empty()) return f.violation() + ", seed " + std::to_string(seed);
    steps += f.steps();
  }
  std::cout << steps << " operations under " << count << " seeds\n";
  return "";
}

TEST(protocol_fuzz, is_sound) { EXPECT_EQ(run_seeds(1, 500, fault::none), ""); }
TEST(deep_protocol_fuzz, is_sound) { EXPECT_EQ(run_seeds(1'000'000, 5000, fault::none), ""); }

class fuzzed_fault : public testing::TestWithParam<fault> {};

TEST_P(fuzzed_fault, is_found) { EXPECT_NE(run_seeds(1, 100, GetParam()), ""); }

INSTANTIATE_TEST_SUITE_P(protocol_fuzz, fuzzed_fault,
                         testing::Values(fault::writer_ignores_readers,
                                         fault::update_ignores_readers,
                                         fault::source_not_told_of_copy, fault::copy_ignores_source,
                                         fault::copy_ignores_old_content, fault::free_at_once,
                                         fault::free_ignores_readers, fault::free_ignores_copies,
                                         fault::last_copy_dropped));

}  // namespace
}  // namespace hocket::protocol

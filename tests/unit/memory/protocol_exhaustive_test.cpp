// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Every sequence of operations up to a depth, over few memories and one buffer, through the real
// `coherence`. A seeded fault that this does not find would be a hole in the check.

#include <iostream>

#include <gtest/gtest.h>

#include <hocket/core/sanitizers.hpp>

#include "protocol_machine.hpp"

namespace hocket::protocol {
namespace {

using small_machine = machine<64>;

box line(std::size_t begin, std::size_t end) { return {{begin}, {end}}; }

/// All operations on a buffer of three elements. The parts overlap, so that accesses cut pieces.
std::vector<operation> alphabet(std::size_t memories, bool with_parts) {
  std::vector<box> regions{line(0, 3)};
  if (with_parts) {
    regions.push_back(line(0, 2));
    regions.push_back(line(1, 3));
  }
  std::vector<operation> all;
  for (std::uint64_t m = 0; m < memories; ++m) {
    for (const box& region : regions) {
      for (const verb what : {verb::read, verb::write, verb::update}) {
        all.push_back({what, 0, memory_id{m}, region});
      }
    }
    all.push_back({verb::prefetch, 0, memory_id{m}, line(0, 3)});
    all.push_back({verb::evict, 0, memory_id{m}, {}});
  }
  all.push_back({verb::settle, 0, {}, {}});
  return all;
}

class search {
 public:
  search(std::size_t memories, std::size_t depth, bool with_parts, fault injected = fault::none,
         bool last_source = false)
      : operations_(alphabet(memories, with_parts)), depth_(depth) {
    small_machine begin(memories, injected, last_source);
    begin.add({3});
    explore(begin);
  }

  [[nodiscard]] const std::string& violation() const noexcept { return violation_; }
  [[nodiscard]] std::size_t sequences() const noexcept { return sequences_; }

 private:
  void explore(const small_machine& before) {
    for (const operation& op : operations_) {
      if (!violation_.empty()) return;
      const bool settles_again =
          op.what == verb::settle && (path_.empty() || path_.back()->what == verb::settle);
      if (settles_again) continue;
      small_machine after = before;
      if (!after.apply(op)) continue;
      path_.push_back(&op);
      if (!after.violation().empty()) {
        violation_ = after.violation() + ":";
        for (const operation* step : path_) violation_ += " " + to_string(*step) + ";";
      } else if (path_.size() == depth_) {
        ++sequences_;
      } else {
        explore(after);
      }
      path_.pop_back();
    }
  }

  std::vector<operation> operations_;
  std::size_t depth_;
  std::vector<const operation*> path_;
  std::size_t sequences_ = 0;
  std::string violation_;
};

// Sanitizers make the search fifteen times slower and look at each operation, not at sequences.
#if defined(HOCKET_ADDRESS_SANITIZER) || defined(HOCKET_THREAD_SANITIZER)
constexpr std::size_t left_out = 1;
#else
constexpr std::size_t left_out = 0;
#endif

void expect_sound(std::size_t memories, std::size_t full_depth, bool with_parts, bool last_source,
                  std::size_t at_least) {
  const std::size_t depth = full_depth - left_out;
  const search s(memories, depth, with_parts, fault::none, last_source);
  EXPECT_EQ(s.violation(), "");
  if (left_out == 0) {
    EXPECT_GE(s.sequences(), at_least);
  }
  std::cout << s.sequences() << " sequences of " << depth << " operations over " << memories
            << " memories" << (with_parts ? ", with parts" : "") << '\n';
}

TEST(protocol, two_memories_with_parts) { expect_sound(2, 5, true, false, 700'000); }
TEST(protocol, three_memories_with_parts) { expect_sound(3, 4, true, true, 100'000); }
TEST(protocol, three_memories_whole) { expect_sound(3, 6, false, false, 1'000'000); }

TEST(deep_protocol, two_memories_with_parts) { expect_sound(2, 6, true, true, 10'000'000); }
TEST(deep_protocol, three_memories_with_parts) { expect_sound(3, 5, true, false, 3'000'000); }
TEST(deep_protocol, four_memories_whole) { expect_sound(4, 6, false, true, 3'000'000); }

class seeded_fault : public testing::TestWithParam<fault> {};

TEST_P(seeded_fault, is_found) {
  const search s(3, 4, true, GetParam());
  EXPECT_NE(s.violation(), "");
  std::cout << s.violation() << '\n';
}

INSTANTIATE_TEST_SUITE_P(protocol, seeded_fault,
                         testing::Values(fault::writer_ignores_readers,
                                         fault::update_ignores_readers,
                                         fault::source_not_told_of_copy, fault::copy_ignores_source,
                                         fault::copy_ignores_old_content, fault::free_at_once,
                                         fault::free_ignores_readers, fault::free_ignores_copies,
                                         fault::last_copy_dropped));

}  // namespace
}  // namespace hocket::protocol

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/memory/coherence.hpp>

namespace hocket {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr memory_id host{0};
constexpr memory_id gpu{1};
constexpr memory_id other_gpu{2};
constexpr data_id x{7};

timepoint_set set_of(std::initializer_list<point> points) {
  timepoint_set set;
  for (const point t : points) set.add(t);
  return set;
}

box rows(std::size_t begin, std::size_t end) { return {{begin, 0}, {end, 4}}; }

failure broken() { return failure(failure_code::task_failed, "A kernel fails."); }

/// One buffer x of 8 x 4 floats in three memories, each with a block; timepoints count up on stream
/// 0 for kernels and on stream 1 for copies.
class coherence_of_x : public testing::Test {
 protected:
  coherence_of_x() {
    replicas.add(x, {8, 4}, sizeof(float));
    for (std::uint64_t m = 0; m < 3; ++m) replicas.set_block(x, memory_id{m}, block_id{10 + m});
  }

  static point kernel(std::uint64_t n) { return {stream_id{0}, n}; }
  static point copied(std::uint64_t n) { return {stream_id{1}, n}; }

  void write(const box& region, memory_id memory, std::uint64_t n) {
    replicas.note_write(x, region, memory, kernel(n), task_id{n});
  }

  timepoint_set make_valid(const box& region, memory_id memory) {
    return replicas.make_valid(
        x, region, memory, [](std::span<const memory_id> from, std::uint64_t) { return from[0]; },
        [this](const copy_request& request) { return issue(request); });
  }

  point issue(const copy_request& request) {
    copies.push_back(request);
    return copied(copies.size());
  }

  block_id note_at_hand(buffer_state& buffer, memory_id memory, bool writes, std::uint64_t n,
                        timepoint_set& waits) {
    return replicas.note_at_hand(buffer, {x, memory, writes, kernel(n), task_id{n}}, waits);
  }
  block_id note_at_hand(buffer_state& buffer, memory_id memory, bool writes, std::uint64_t n) {
    return note_at_hand(buffer, memory, writes, n, ignored);
  }

  [[nodiscard]] std::vector<memory_id> unpinned() const {
    std::vector<memory_id> found;
    replicas.for_unpinned(x, [&](memory_id each) { found.push_back(each); });
    return found;
  }

  void settle() {
    replicas.prune([](point) { return true; }, [](task_id) { return true; });
  }

  coherence replicas{3};
  std::vector<copy_request> copies;
  timepoint_set ignored;
  const box whole = rows(0, 8);
};

TEST_F(coherence_of_x, begins_without_a_value) {
  EXPECT_FALSE(replicas.content_of(x).is_written(whole));
  EXPECT_FALSE(replicas.valid(x, whole, host));
  EXPECT_FALSE(replicas.content_of(x).poison_of(whole));
  EXPECT_EQ(replicas.missing(x, whole, host), 0U);
  EXPECT_EQ(replicas.bytes(x), 128U);
  EXPECT_TRUE(make_valid(whole, host).empty());
  EXPECT_THAT(copies, IsEmpty());
}

TEST_F(coherence_of_x, is_valid_where_it_was_written) {
  write(whole, gpu, 1);
  EXPECT_TRUE(replicas.content_of(x).is_written(whole));
  EXPECT_TRUE(replicas.valid(x, whole, gpu));
  EXPECT_TRUE(replicas.sole_copy(x, gpu));
  EXPECT_EQ(replicas.ready(x, whole, gpu), set_of({kernel(1)}));
  EXPECT_THAT(replicas.writers(x, whole), ElementsAre(task_id{1}));
  EXPECT_EQ(make_valid(whole, gpu), set_of({kernel(1)}));
  EXPECT_THAT(copies, IsEmpty());
}

TEST_F(coherence_of_x, a_read_elsewhere_is_one_copy) {
  write(whole, gpu, 1);
  EXPECT_EQ(replicas.missing(x, whole, host), 128U);
  EXPECT_EQ(make_valid(whole, host), set_of({copied(1)}));
  ASSERT_THAT(copies, SizeIs(1));
  EXPECT_EQ(copies[0].from, gpu);
  EXPECT_EQ(copies[0].to, host);
  EXPECT_EQ(copies[0].bytes, 128U);
  EXPECT_EQ(copies[0].region, whole);
  EXPECT_EQ(copies[0].after, set_of({kernel(1)}));
  EXPECT_FALSE(replicas.sole_copy(x, gpu));
  EXPECT_EQ(replicas.missing(x, whole, host), 0U);
}

TEST_F(coherence_of_x, a_copy_can_be_the_source_of_a_copy) {
  write(whole, gpu, 1);
  make_valid(whole, host);
  EXPECT_EQ(make_valid(whole, other_gpu), set_of({copied(2)}));
  EXPECT_EQ(copies[1].from, host);
  EXPECT_EQ(copies[1].after, set_of({copied(1)}));
}

TEST_F(coherence_of_x, a_writer_waits_for_readers_in_its_memory_alone) {
  write(whole, gpu, 1);
  make_valid(whole, host);
  replicas.note_read(x, whole, host, kernel(2));
  EXPECT_EQ(replicas.before_write(x, whole, gpu), set_of({kernel(1), copied(1)}));
  EXPECT_EQ(replicas.before_write(x, whole, host), set_of({kernel(2), copied(1)}));
  EXPECT_TRUE(replicas.before_write(x, whole, other_gpu).empty());
}

TEST_F(coherence_of_x, is_at_hand_where_it_is_valid_as_a_whole) {
  buffer_state& buffer = replicas.find(x);
  const auto at_hand = [&](memory_id memory, bool reads) {
    return coherence::at_hand(buffer, memory, reads);
  };
  EXPECT_FALSE(at_hand(gpu, true)) << "nobody has written it";
  EXPECT_TRUE(at_hand(gpu, false));
  write(whole, gpu, 1);
  replicas.note_read(x, whole, gpu, kernel(2));
  EXPECT_TRUE(at_hand(gpu, true));
  EXPECT_FALSE(at_hand(host, true)) << "it is elsewhere";
  EXPECT_TRUE(at_hand(host, false));
  EXPECT_TRUE(at_hand(gpu, true));
  EXPECT_FALSE(at_hand(memory_id{3}, false)) << "no block";
  write(rows(0, 4), gpu, 3);
  EXPECT_FALSE(at_hand(gpu, true)) << "two pieces";
}

TEST_F(coherence_of_x, is_not_at_hand_for_readers_if_it_is_poisoned) {
  write(whole, gpu, 1);
  buffer_state& buffer = replicas.find(x);
  EXPECT_TRUE(coherence::at_hand(buffer, gpu, true));
  replicas.poison(x, whole, task_id{1}, broken());
  EXPECT_FALSE(coherence::at_hand(buffer, gpu, true));
  EXPECT_TRUE(coherence::at_hand(buffer, gpu, false));
  EXPECT_EQ(note_at_hand(buffer, gpu, true, 2), block_id{11});
  EXPECT_FALSE(replicas.content_of(x).poison_of(whole));
  EXPECT_TRUE(coherence::at_hand(buffer, gpu, true));
}

TEST_F(coherence_of_x, is_not_at_hand_where_it_was_lost_or_driven_out) {
  write(whole, gpu, 1);
  make_valid(whole, host);
  settle();
  buffer_state& buffer = replicas.find(x);
  EXPECT_TRUE(coherence::at_hand(buffer, host, true));
  EXPECT_TRUE(coherence::at_hand(buffer, gpu, true));
  (void)replicas.evict(x, gpu);
  EXPECT_FALSE(coherence::at_hand(buffer, gpu, false));
  EXPECT_TRUE(coherence::at_hand(buffer, host, true));
  (void)replicas.lose(host, broken());
  EXPECT_FALSE(coherence::at_hand(buffer, host, true));
}

// What is noted of accesses at hand is what the steps for any access note, wherever they are and
// whatever comes between them.
TEST_F(coherence_of_x, what_is_noted_at_hand_is_what_is_noted_otherwise) {
  write(whole, gpu, 1);
  make_valid(whole, host);
  coherence same = replicas;
  std::mt19937 random(4);
  std::uint64_t n = 2;
  for (int i = 0; i < 300; ++i, ++n) {
    const memory_id memory{random() % 3};
    const bool writes = random() % 2 == 0;
    buffer_state& buffer = replicas.find(x);
    for (std::size_t times = 1 + random() % 3; times > 0; --times, ++n) {
      if (!coherence::at_hand(buffer, memory, !writes)) continue;
      const timepoint_set waits_for =
          writes ? same.before_write(x, whole, memory) : same.ready(x, whole, memory);
      timepoint_set waits;
      EXPECT_EQ(note_at_hand(buffer, memory, writes, n, waits), block_id{10 + memory.value});
      EXPECT_EQ(waits, waits_for);
      if (writes) {
        same.note_write(x, whole, memory, kernel(n), task_id{n});
      } else {
        same.note_read(x, whole, memory, kernel(n));
      }
    }
    if (random() % 8 == 0) {
      const auto done = [n](point t) { return t.value + 4 < n; };
      const auto is_live = [n](task_id t) { return t.value + 4 >= n; };
      replicas.prune(done, is_live);
      same.prune(done, is_live);
    }
    for (const memory_id each : {host, gpu, other_gpu}) {
      EXPECT_EQ(replicas.valid(x, whole, each), same.valid(x, whole, each));
      EXPECT_EQ(replicas.before_write(x, whole, each), same.before_write(x, whole, each));
    }
    EXPECT_EQ(replicas.writers(x, whole), same.writers(x, whole));
  }
}

TEST_F(coherence_of_x, what_is_noted_at_hand_is_pinned) {
  write(whole, gpu, 1);
  (void)note_at_hand(replicas.find(x), gpu, false, 2);
  EXPECT_FALSE(replicas.pinned(x, gpu));
  (void)replicas.note_at_hand(replicas.find(x), {x, gpu, false, kernel(3), task_id{3}, 1}, ignored);
  EXPECT_TRUE(replicas.pinned(x, gpu));
  EXPECT_FALSE(replicas.pinned(x, host));
}

TEST_F(coherence_of_x, a_buffer_counts_its_pins) {
  buffer_state& buffer = replicas.find(x);
  coherence::pin(buffer, gpu);
  replicas.pin(x, gpu);
  coherence::unpin(buffer, gpu);
  EXPECT_TRUE(replicas.pinned(x, gpu));
  coherence::unpin(buffer, gpu);
  EXPECT_FALSE(replicas.pinned(x, gpu));
}

TEST_F(coherence_of_x, a_writer_stands_for_all_that_it_waited_for) {
  write(whole, gpu, 1);
  make_valid(whole, host);
  replicas.note_write(x, whole, gpu, {stream_id{5}, 1}, task_id{3});
  EXPECT_EQ(replicas.before_write(x, whole, gpu), set_of({{stream_id{5}, 1}}));
}

TEST_F(coherence_of_x, stale_content_is_overwritten_after_its_users) {
  write(whole, gpu, 1);
  make_valid(whole, host);
  replicas.note_read(x, whole, host, kernel(2));
  write(whole, gpu, 3);
  make_valid(whole, host);
  EXPECT_EQ(copies[1].after, set_of({kernel(3), copied(1)}));
}

TEST_F(coherence_of_x, parts_are_apart) {
  write(whole, gpu, 1);
  replicas.note_read(x, rows(0, 4), gpu, {stream_id{5}, 9});
  EXPECT_EQ(replicas.before_write(x, rows(4, 8), gpu), set_of({kernel(1)}));
  write(rows(2, 6), host, 2);
  EXPECT_EQ(replicas.missing(x, whole, host), 64U);
  EXPECT_EQ(replicas.missing(x, whole, gpu), 64U);
  EXPECT_TRUE(replicas.valid(x, rows(3, 5), host));
  EXPECT_FALSE(replicas.valid(x, rows(3, 7), host));
  EXPECT_THAT(replicas.writers(x, rows(0, 3)), ElementsAre(task_id{1}, task_id{2}));
  EXPECT_TRUE(replicas.sole_copy(x, host));
  EXPECT_TRUE(replicas.sole_copy(x, gpu));
}

TEST_F(coherence_of_x, tiles_are_copied_as_they_become_ready_and_together_once_they_are) {
  for (std::size_t row = 0; row < 8; row += 2) {
    for (std::size_t column = 0; column < 4; column += 2) {
      write({{row, column}, {row + 2, column + 2}}, gpu, 1 + row * 4 + column);
    }
  }
  coherence later = replicas;
  make_valid(whole, host);
  EXPECT_THAT(copies, SizeIs(8));
  std::swap(later, replicas);
  copies.clear();
  settle();
  make_valid(whole, host);
  ASSERT_THAT(copies, SizeIs(1));
  EXPECT_EQ(copies[0].region, whole);
  EXPECT_THAT(replicas.writers(x, whole), SizeIs(8));
}

/// What is left to do of a factorization: each region lies in a corner of the one before.
TEST_F(coherence_of_x, keeps_nothing_of_the_steps_that_have_ended) {
  constexpr std::size_t side = 400, in_flight = 8;
  const data_id y{8};
  replicas.add(y, {side, side}, sizeof(float));
  replicas.set_block(y, gpu, block_id{20});
  std::size_t most = 0, prunings = 0;
  for (std::size_t k = 0; k < side; ++k) {
    const box region{{k, k}, {side, side}};
    replicas.note_write(y, region, gpu, kernel(k + 1), task_id{k + 1});
    if (replicas.is_prune_due()) {
      ++prunings;
      replicas.prune([k](point t) { return t.value + in_flight <= k + 1; },
                     [k](task_id t) { return t.value + in_flight > k + 1; });
      EXPECT_THAT(replicas.writers(y, box::whole({side, side})), SizeIs(in_flight));
    }
    std::size_t pieces = 0;
    replicas.content_of(y).visit(box::whole({side, side}),
                                 [&](const box&, const origin&) { ++pieces; });
    most = std::max(most, pieces);
  }
  EXPECT_GE(prunings, side / 100);
  EXPECT_LE(most, side) << "of twice as many";
}

TEST_F(coherence_of_x, a_snapshot_is_of_its_own) {
  write(whole, gpu, 1);
  const coherence before = replicas;
  write(whole, host, 2);
  EXPECT_TRUE(before.valid(x, whole, gpu));
  EXPECT_FALSE(replicas.valid(x, whole, gpu));
}

TEST_F(coherence_of_x, content_without_a_timepoint_is_there) {
  replicas.note_write(x, whole, host, {}, task_id{1});
  EXPECT_TRUE(replicas.valid(x, whole, host));
  EXPECT_TRUE(replicas.ready(x, whole, host).empty());
  EXPECT_TRUE(make_valid(whole, host).empty());
}

TEST_F(coherence_of_x, an_evicted_block_waits_for_all_that_touched_it) {
  write(rows(0, 4), gpu, 1);
  replicas.note_write(x, rows(4, 8), gpu, {stream_id{3}, 1}, task_id{2});
  replicas.note_read(x, rows(1, 2), gpu, {stream_id{4}, 1});
  make_valid(whole, host);
  const released_block released = replicas.evict(x, gpu);
  EXPECT_EQ(released.block, block_id{11});
  EXPECT_EQ(released.memory, gpu);
  EXPECT_EQ(released.bytes, 128U);
  EXPECT_EQ(released.after, set_of({kernel(1), copied(2), {stream_id{3}, 1}, {stream_id{4}, 1}}));
  EXPECT_FALSE(replicas.has_block(x, gpu));
  EXPECT_FALSE(replicas.block(x, gpu).valid());
  EXPECT_TRUE(replicas.before_write(x, whole, gpu).empty());
}

TEST_F(coherence_of_x, a_write_back_moves_what_is_nowhere_else) {
  write(whole, gpu, 1);
  make_valid(rows(0, 2), other_gpu);
  copies.clear();
  const auto issue_one = [this](const copy_request& request) { return issue(request); };
  replicas.write_back(x, gpu, host, issue_one);
  ASSERT_THAT(copies, SizeIs(1));
  EXPECT_EQ(copies[0].region, rows(2, 8));
  EXPECT_FALSE(replicas.sole_copy(x, gpu));
  replicas.write_back(x, gpu, host, issue_one);
  EXPECT_THAT(copies, SizeIs(1));
}

TEST_F(coherence_of_x, pins_are_counted_and_keep_from_eviction) {
  EXPECT_THAT(unpinned(), ElementsAre(host, gpu, other_gpu));
  replicas.pin(x, gpu);
  replicas.pin(x, gpu);
  replicas.unpin(x, gpu);
  EXPECT_TRUE(replicas.pinned(x, gpu));
  EXPECT_THAT(unpinned(), ElementsAre(host, other_gpu));
  replicas.unpin(x, gpu);
  EXPECT_FALSE(replicas.pinned(x, gpu));
  replicas.unpin(x, gpu);
  EXPECT_THAT(unpinned(), ElementsAre(host, gpu, other_gpu));
}

TEST_F(coherence_of_x, a_removed_buffer_returns_all_its_blocks) {
  write(whole, gpu, 1);
  make_valid(whole, host);
  const auto released = replicas.remove(x);
  ASSERT_THAT(released, SizeIs(3));
  EXPECT_EQ(released[0].after, set_of({copied(1)}));
  EXPECT_EQ(released[1].after, set_of({kernel(1), copied(1)}));
  EXPECT_TRUE(released[2].after.empty());
  settle();
}

TEST_F(coherence_of_x, a_failed_task_poisons_what_nobody_has_overwritten) {
  write(whole, gpu, 1);
  write(rows(0, 4), gpu, 2);
  make_valid(whole, host);
  replicas.poison(x, whole, task_id{1}, broken());
  EXPECT_FALSE(replicas.content_of(x).poison_of(rows(0, 4)));
  ASSERT_TRUE(replicas.content_of(x).poison_of(rows(3, 5)));
  EXPECT_EQ(replicas.content_of(x).poison_of(rows(3, 5)).code(), failure_code::task_failed);
  EXPECT_TRUE(replicas.content_of(x).is_written(whole));
  EXPECT_FALSE(replicas.valid(x, rows(4, 8), host));
  EXPECT_TRUE(replicas.valid(x, rows(0, 4), host));
  EXPECT_FALSE(replicas.sole_copy(x, gpu)) << "nothing is worth keeping in what is poisoned";
  EXPECT_EQ(replicas.before_write(x, rows(4, 8), host), set_of({copied(2)}));
}

TEST_F(coherence_of_x, a_write_heals) {
  write(whole, gpu, 1);
  replicas.poison(x, whole, task_id{1}, broken());
  write(rows(0, 4), host, 2);
  EXPECT_FALSE(replicas.content_of(x).poison_of(rows(0, 4)));
  EXPECT_TRUE(replicas.content_of(x).poison_of(rows(0, 5)));
}

TEST_F(coherence_of_x, a_write_of_all_heals) {
  write(whole, gpu, 1);
  replicas.poison(x, whole, task_id{1}, broken());
  EXPECT_TRUE(replicas.content_of(x).poison_of(whole));
  write(whole, gpu, 2);
  EXPECT_FALSE(replicas.content_of(x).poison_of(whole));
}

TEST_F(coherence_of_x, a_task_that_never_ran_poisons_all_it_would_have_written) {
  write(rows(0, 4), gpu, 1);
  replicas.poison_unissued(x, rows(2, 6), task_id{2}, broken());
  EXPECT_TRUE(replicas.content_of(x).is_written(rows(0, 6)));
  EXPECT_FALSE(replicas.content_of(x).is_written(rows(0, 7)));
  EXPECT_TRUE(replicas.content_of(x).poison_of(rows(2, 3)));
  EXPECT_TRUE(replicas.valid(x, rows(0, 2), gpu));
  EXPECT_FALSE(replicas.valid(x, rows(2, 4), gpu));
  EXPECT_EQ(replicas.before_write(x, rows(2, 4), gpu), set_of({kernel(1)}));
}

TEST_F(coherence_of_x, a_block_that_was_refused_goes_with_its_pins_and_what_was_to_be_in_it) {
  write(rows(0, 4), host, 1);
  make_valid(rows(0, 4), gpu);
  write(rows(4, 8), gpu, 2);
  replicas.note_read(x, rows(0, 2), gpu, kernel(3));
  replicas.pin(x, gpu);
  const released_block refused =
      replicas.drop_unallocated(x, gpu, failure(failure_code::out_of_memory, "Gpu has no memory."));
  EXPECT_EQ(refused.block, block_id{11});
  EXPECT_EQ(refused.bytes, 128U);
  EXPECT_EQ(refused.after, set_of({kernel(3), copied(1)}));
  EXPECT_FALSE(replicas.has_block(x, gpu));
  EXPECT_FALSE(replicas.pinned(x, gpu));
  EXPECT_THAT(unpinned(), ElementsAre(host, other_gpu));
  EXPECT_TRUE(replicas.valid(x, rows(0, 4), host));
  EXPECT_FALSE(replicas.content_of(x).poison_of(rows(0, 4)));
  ASSERT_TRUE(replicas.content_of(x).poison_of(rows(4, 8)));
  EXPECT_EQ(replicas.content_of(x).poison_of(rows(4, 8)).code(), failure_code::out_of_memory);
  // The next block begins without content.
  replicas.set_block(x, gpu, block_id{20});
  EXPECT_FALSE(replicas.valid(x, rows(0, 1), gpu));
  EXPECT_TRUE(replicas.before_write(x, whole, gpu).empty());
  write(whole, gpu, 4);
  EXPECT_FALSE(replicas.content_of(x).poison_of(whole));
}

TEST_F(coherence_of_x, a_lost_memory_poisons_what_was_there_alone) {
  write(whole, gpu, 1);
  make_valid(rows(0, 4), host);
  replicas.pin(x, gpu);
  const auto lost = replicas.lose(gpu, failure(failure_code::device_lost, "Gpu is lost."));
  ASSERT_THAT(lost, SizeIs(1));
  EXPECT_EQ(lost[0].block, block_id{11});
  EXPECT_TRUE(lost[0].after.empty());
  EXPECT_TRUE(replicas.valid(x, rows(0, 4), host));
  EXPECT_FALSE(replicas.content_of(x).poison_of(rows(0, 4)));
  EXPECT_EQ(replicas.content_of(x).poison_of(whole).code(), failure_code::device_lost);
  EXPECT_FALSE(replicas.has_block(x, gpu));
  replicas.unpin(x, gpu);
  EXPECT_THAT(replicas.lose(gpu, broken()), IsEmpty());
}

TEST_F(coherence_of_x, a_copy_that_failed_is_not_valid) {
  write(whole, gpu, 1);
  make_valid(rows(0, 4), host);
  make_valid(rows(4, 8), host);
  replicas.fail_copy(x, rows(0, 4), host, copied(1), broken());
  EXPECT_FALSE(replicas.valid(x, rows(0, 4), host));
  EXPECT_TRUE(replicas.valid(x, rows(4, 8), host));
  EXPECT_FALSE(replicas.content_of(x).poison_of(whole)) << "the source still has it";
  replicas.fail_copy(x, whole, host, copied(1), broken());
  EXPECT_TRUE(replicas.valid(x, rows(4, 8), host)) << "that was another copy";
}

TEST_F(coherence_of_x, a_copy_that_fails_after_its_source_is_lost_poisons) {
  write(whole, gpu, 1);
  make_valid(whole, host);
  static_cast<void>(replicas.lose(gpu, broken()));
  EXPECT_FALSE(replicas.content_of(x).poison_of(whole));
  replicas.fail_copy(x, whole, host, copied(1), broken());
  EXPECT_TRUE(replicas.content_of(x).poison_of(whole));
}

TEST(coherence, a_scalar_is_one_piece) {
  coherence replicas(1);
  replicas.add(data_id{0}, {}, 8);
  replicas.set_block(data_id{0}, memory_id{0}, block_id{0});
  const box scalar = box::whole({});
  EXPECT_FALSE(replicas.content_of(data_id{0}).is_written(scalar));
  replicas.note_write(data_id{0}, scalar, memory_id{0}, {}, task_id{1});
  EXPECT_TRUE(replicas.valid(data_id{0}, scalar, memory_id{0}));
  EXPECT_EQ(replicas.bytes(data_id{0}), 8U);
}

TEST(coherence, an_empty_region_asks_for_nothing) {
  coherence replicas(2);
  replicas.add(data_id{0}, {0}, 4);
  replicas.set_block(data_id{0}, memory_id{0}, block_id{0});
  const box nothing = box::whole({0});
  replicas.note_write(data_id{0}, nothing, memory_id{0}, {stream_id{0}, 1}, task_id{1});
  EXPECT_TRUE(replicas.valid(data_id{0}, nothing, memory_id{1}));
  EXPECT_TRUE(replicas.content_of(data_id{0}).is_written(nothing));
  EXPECT_TRUE(replicas.before_write(data_id{0}, nothing, memory_id{0}).empty());
}

TEST(coherence, has_no_limit_on_memories) {
  constexpr std::uint64_t many = 1000;
  coherence replicas(many);
  replicas.add(data_id{0}, {4}, 4);
  const box whole = box::whole({4});
  for (std::uint64_t m = 0; m < many; ++m) {
    replicas.set_block(data_id{0}, memory_id{m}, block_id{m});
  }
  replicas.note_write(data_id{0}, whole, memory_id{many - 1}, {}, task_id{0});
  std::uint64_t copies = 0;
  const auto nearest = [](std::span<const memory_id> from, std::uint64_t) { return from.back(); };
  const auto issue = [&](const copy_request&) { return point{stream_id{0}, ++copies}; };
  for (std::uint64_t m = 0; m < many; ++m) {
    replicas.make_valid(data_id{0}, whole, memory_id{m}, nearest, issue);
  }
  EXPECT_EQ(copies, many - 1);
  for (std::uint64_t m = 0; m < many; ++m) {
    EXPECT_TRUE(replicas.valid(data_id{0}, whole, memory_id{m}));
  }
}

TEST_F(coherence_of_x, a_band_has_room_for_its_rows_alone) {
  write(whole, host, 1);
  ASSERT_EQ(replicas.evict(x, gpu).bytes, 128U);
  EXPECT_FALSE(replicas.has_bands());
  replicas.set_block(x, gpu, block_id{20}, rows(2, 5));
  EXPECT_TRUE(replicas.has_bands());
  ASSERT_NE(replicas.band(x, gpu), nullptr);
  EXPECT_EQ(*replicas.band(x, gpu), rows(2, 5));
  EXPECT_EQ(replicas.band(x, host), nullptr);
  EXPECT_EQ(replicas.bytes(x, gpu), 48U);
  EXPECT_EQ(replicas.bytes(x, host), 128U);
  EXPECT_TRUE(replicas.has_room(x, rows(3, 5), gpu));
  EXPECT_FALSE(replicas.has_room(x, rows(4, 6), gpu));
  EXPECT_TRUE(replicas.has_room(x, whole, host));
  make_valid(rows(3, 5), gpu);
  ASSERT_THAT(copies, SizeIs(1));
  EXPECT_EQ(copies[0].region, rows(3, 5));
  write(rows(2, 4), gpu, 2);
  EXPECT_TRUE(replicas.sole_copy(x, gpu));
  replicas.write_back(x, gpu, host, [this](const copy_request& r) { return issue(r); });
  EXPECT_EQ(copies.back().region, rows(2, 4));
  const released_block gone = replicas.evict(x, gpu);
  EXPECT_EQ(gone.block, block_id{20});
  EXPECT_EQ(gone.bytes, 48U);
  EXPECT_EQ(gone.after, set_of({kernel(2), copied(1), copied(2)}));
  EXPECT_FALSE(replicas.has_bands());
  EXPECT_FALSE(replicas.has_room(x, rows(2, 5), gpu));
}

TEST_F(coherence_of_x, a_band_is_not_at_hand_for_all_of_the_buffer) {
  (void)replicas.evict(x, gpu);
  replicas.set_block(x, gpu, block_id{20}, rows(2, 5));
  EXPECT_FALSE(coherence::at_hand(replicas.find(x), gpu, false));
  EXPECT_TRUE(coherence::at_hand(replicas.find(x), host, false));
}

TEST_F(coherence_of_x, bands_go_with_their_memory_and_their_buffer) {
  (void)replicas.evict(x, gpu);
  (void)replicas.evict(x, other_gpu);
  replicas.set_block(x, gpu, block_id{20}, rows(2, 5));
  replicas.set_block(x, other_gpu, block_id{21}, rows(0, 1));
  const auto lost = replicas.lose(gpu, broken());
  ASSERT_THAT(lost, SizeIs(1));
  EXPECT_EQ(lost[0].bytes, 48U);
  const coherence snapshot = replicas;
  const auto removed = replicas.remove(x);
  ASSERT_THAT(removed, SizeIs(2));
  EXPECT_EQ(removed[1].bytes, 16U);
  EXPECT_FALSE(replicas.has_bands());
  EXPECT_TRUE(snapshot.has_bands());
}

TEST(coherence, bytes_that_wrap_are_more_than_any_memory_has) {
  coherence replicas(1);
  replicas.add(data_id{0}, {std::size_t{1} << 62U}, 8);
  replicas.add(data_id{1}, {std::size_t{1} << 60U}, 8);
  replicas.add(data_id{2}, {std::size_t{1} << 62U, 0}, 8);
  EXPECT_EQ(replicas.bytes(data_id{0}), ~std::uint64_t{0});
  EXPECT_EQ(replicas.bytes(data_id{1}), std::uint64_t{1} << 63U);
  EXPECT_EQ(replicas.bytes(data_id{2}), 0U);
}

}  // namespace
}  // namespace hocket

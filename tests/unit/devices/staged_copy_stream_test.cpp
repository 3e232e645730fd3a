// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/staged_copy_stream.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <hocket/execution/tbb_executor.hpp>

#include "commands.hpp"
#include "recording_sink.hpp"

namespace hocket {

namespace {

using bytes = std::vector<std::byte>;

/// A device that copies a chunk when that is waited for, and no sooner, but spoils a buffer that it
/// will write as soon as it may.
class staging {
 public:
  staging(bytes& memory, copy_direction way) : memory_(memory), way_(way) {
    for (bytes& b : buffers_) b.resize(staging_bytes);
  }

  staged_copies copies() {
    staged_copies made;
    made.way = way_;
    for (bytes& b : buffers_) made.buffers.push_back(b.data());
    made.prepare = [this](const copy_command&, std::span<const staged_chunk> chunks,
                          std::uint64_t first) -> result<staged_copies::copier> {
      if (refuses) return failure(failure_code::out_of_memory, "It is full.");
      return staged_copies::copier([this, chunks, first](std::size_t which) {
        begun_[first + which] = chunks[which];
        bytes& buffer = buffers_[(first + which) % buffers_.size()];
        if (way_ == copy_direction::outbound) std::ranges::fill(buffer, std::byte{0xff});
        return failure();
      });
    };
    made.has_copied = [this](std::uint64_t count) {
      return begun_.empty() || begun_.begin()->first >= count;
    };
    made.await = [this](std::uint64_t count) {
      if (is_lost) return failure(failure_code::device_lost, "It is unplugged.");
      while (!begun_.empty() && begun_.begin()->first < count) {
        copy(begun_.begin()->first, begun_.begin()->second);
        begun_.erase(begun_.begin());
      }
      return failure();
    };
    return made;
  }

  std::atomic<bool> refuses = false, is_lost = false;

 private:
  void copy(std::uint64_t number, const staged_chunk& chunk) {
    std::byte* const buffer = buffers_[number % buffers_.size()].data();
    for (const staged_chunk::run& r : chunk.runs) {
      std::byte* const own = memory_.data() + r.in_array;
      const bool in = way_ == copy_direction::inbound;
      std::memcpy(in ? own : buffer + r.staged, in ? buffer + r.staged : own, r.bytes);
    }
  }

  bytes& memory_;
  const copy_direction way_;
  std::vector<bytes> buffers_{3};
  std::map<std::uint64_t, staged_chunk> begun_;
};

class staged_copies_of_a_device : public ::testing::Test {
 protected:
  staged_copies_of_a_device() {
    sink.owns({0}, {{0}, {1}});
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i % 251);
  }
  threaded_stream::parts parts(stream_id id) {
    return {domain, where, epoch, id, "copies", [this] { ++ends; }};
  }
  static copy_command all_of(bytes& array) {
    const allocation where{array.data(), array.size()};
    return {where, where, {array.size()}, 1, box::whole({array.size()}), array.size()};
  }
  void finish(timepoint last) { sink.await(where, last.on->stream(), last.value); }

  bytes from = bytes(10 * staging_bytes + 100), device = bytes(from.size());
  bytes to = bytes(from.size());
  staging in_memory{device, copy_direction::inbound};
  staging out_memory{device, copy_direction::outbound};
  std::atomic<int> ends{0};

  testing::recording_sink sink;
  testing::submitter submit;
  tbb_executor where{std::make_shared<const host_topology>()};
  driver_domain domain;
  std::shared_ptr<host_epoch> epoch = std::make_shared<host_epoch>(device_id{0}, sink);
  staged_copy_stream in{parts({0}), in_memory.copies()};
  staged_copy_stream out{parts({1}), out_memory.copies()};
};

}  // namespace

TEST_F(staged_copies_of_a_device, arrive_whole) {
  timepoint last;
  for (int round = 0; round < 3; ++round) {
    const timepoint filled = submit(in, all_of(from), {last});
    last = submit(out, all_of(to), {filled});
  }
  finish(last);
  in.close();
  out.close();
  EXPECT_EQ(to, from);
  EXPECT_EQ(ends, 6);
}

TEST_F(staged_copies_of_a_device, of_nothing_end) {
  copy_command none = all_of(from);
  none.extents = {0};
  none.region = box::whole({0});
  none.bytes = 0;
  finish(submit(in, none));
}

TEST_F(staged_copies_of_a_device, that_cannot_be_prepared_fail_alone) {
  in_memory.refuses = true;
  const timepoint bad = submit(in, all_of(from));
  finish(bad);
  EXPECT_EQ(sink.result({0}, bad.value).why.code(), failure_code::out_of_memory);
  in_memory.refuses = false;
  finish(submit(in, all_of(from)));
  EXPECT_EQ(device, from);
}

TEST_F(staged_copies_of_a_device, end_with_a_lost_device) {
  in_memory.is_lost = true;
  submit(in, all_of(from));
  sink.await_loss(where, {0});
  EXPECT_EQ(sink.lost().at({0}).message(), "It is unplugged.");
}

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "../failure.hpp"
#include "../memory.hpp"
#include "program.hpp"

namespace standin {

struct dimensions {
  unsigned x = 1, y = 1, z = 1;
  [[nodiscard]] std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// One launch of an entry, while it runs.
struct launch_state {
  const program& code;
  const function_code& entry;
  dimensions grid, block;
  std::size_t dynamic_shared = 0;
  const std::vector<char>& parameters;
  memory_view& memory;
};

struct barrier_state {
  unsigned arrived = 0;
  unsigned expected = 0;  ///< 0: all threads of the block that have not ended
  unsigned trues = 0;     ///< of those that arrive with a predicate
  unsigned result_trues = 0, result_count = 0;
};

/// State that the warps of a block share.
struct block_state {
  const launch_state& launch;
  std::vector<char> shared;
  std::array<barrier_state, 16> barriers{};
  unsigned alive = 0;  ///< threads that have not ended
};

/// A function that some lanes of a warp are in.
struct frame {
  const function_code* function = nullptr;
  lane_mask entered = 0;
  lane_mask live = 0;         ///< lanes that have not returned
  std::size_t registers = 0;  ///< where its registers begin
  std::size_t local = 0;      ///< where its local memory begins, in that of each lane
  const call_site* site = nullptr;
  std::array<std::uint32_t, warp_lanes> next{};  ///< the instruction of each lane
};

/// Thirty-two threads that execute one instruction at a time. Lanes at different instructions take
/// turns: the ones that are furthest behind go first, so that lanes which part meet again.
class warp {
 public:
  warp(block_state& block, unsigned number);

  /// Begins the entry again, for the block of these coordinates.
  void restart(dimensions block_at);
  /// Runs until the lanes are done or wait, or `budget` instructions have run. False if nothing
  /// could run.
  bool run(unsigned budget);

  [[nodiscard]] bool done() const { return frames_.empty(); }
  [[nodiscard]] lane_mask lanes() const { return lanes_; }
  /// Lets the lanes go on that wait at a barrier.
  void release(unsigned barrier);

  [[nodiscard]] const std::uint64_t* in(const operand& o) const {
    return bases_[static_cast<std::size_t>(o.where)] + o.offset;
  }
  [[nodiscard]] std::uint64_t* out(const operand& o) { return bases_[0] + o.offset; }

  /// Returns where the driver finds `size` bytes of memory. Throws a `failure` if the lane may not
  /// touch them.
  char* at(const instruction& i, space where, std::uint64_t address, std::size_t size,
           unsigned lane);

  [[nodiscard]] block_state& block() { return block_; }
  [[nodiscard]] lane_mask active() const { return active_; }
  [[noreturn]] void fail(const instruction& i, code why, const std::string& text) const;

 private:
  bool select();
  void run_group(unsigned& budget);
  lane_mask guarded(const instruction& i) const;
  bool leave_group(const instruction& i, lane_mask m);
  bool branch(const instruction& i, lane_mask m);
  void branch_by_table(const instruction& i, lane_mask m);
  void call(const instruction& i, lane_mask m);
  void push(const function_code& f, lane_mask m, const call_site* site);
  void pop();
  void copy_arguments(const frame& from, const frame& to, lane_mask m);
  void end_lanes(lane_mask m);
  bool wait_at_barrier(const instruction& i, lane_mask m);
  bool join(const instruction& i, lane_mask m);
  void use_frame();
  void advance(lane_mask m, std::uint32_t to);
  [[nodiscard]] char* windowed(space where, std::uint64_t address, std::size_t size, unsigned lane);
  [[nodiscard]] char* local(std::uint64_t address, std::size_t size, unsigned lane) {
    if (address > local_stride_ || size > local_stride_ - address) return nullptr;
    return local_.data() + lane * local_stride_ + address;
  }

  block_state& block_;
  const lane_mask lanes_;
  unsigned number_;
  std::vector<std::uint64_t> registers_;
  std::vector<std::uint64_t> specials_;
  std::vector<char> local_;
  std::size_t local_stride_ = 0;
  std::vector<frame> frames_;
  std::array<std::uint64_t*, 3> bases_{};
  lane_mask active_ = 0;
  std::uint32_t next_ = 0;
  std::uint32_t meeting_ = 0;  ///< the instruction where other lanes wait for the active ones
  lane_mask waiting_ = 0;      ///< lanes that wait for others of the warp
  std::array<lane_mask, 16> at_barrier_{};
  lane_mask released_ = 0;
  unsigned turns_back_ = 0;
  bool last_first_ =
      false;  ///< the lanes that are furthest ahead go next: others may wait for them
};

/// Runs all blocks of a launch, one after the other. `stop` is asked between blocks.
void run_grid(const launch_state& launch, const std::atomic<int>& stop);

// Values in registers. Integers are extended to 64 bits, by their sign if they have one; an
// instruction reads as many of the low bits as its type has.

template <std::size_t bytes>
struct bits_of;
template <>
struct bits_of<1> {
  using type = std::uint8_t;
};
template <>
struct bits_of<2> {
  using type = std::uint16_t;
};
template <>
struct bits_of<4> {
  using type = std::uint32_t;
};
template <>
struct bits_of<8> {
  using type = std::uint64_t;
};
template <class T>
using bits_t = typename bits_of<sizeof(T)>::type;

template <class T>
T read(std::uint64_t slot) {
  if constexpr (std::is_same_v<T, bool>) {
    return (slot & 1U) != 0;
  } else {
    return std::bit_cast<T>(static_cast<bits_t<T>>(slot));
  }
}

template <class T>
std::uint64_t write(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::uint64_t>(value);
  } else {
    return std::bit_cast<bits_t<T>>(value);
  }
}

template <class F>
void each_lane(lane_mask m, F f) {
  if (m == ~lane_mask{0}) {
    for (unsigned l = 0; l < warp_lanes; ++l) f(l);
  } else {
    for (; m != 0; m &= m - 1) f(static_cast<unsigned>(std::countr_zero(m)));
  }
}

}  // namespace standin

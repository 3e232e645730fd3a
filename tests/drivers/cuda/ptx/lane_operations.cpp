// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <chrono>

#include "operations.hpp"

namespace standin {

namespace {

constexpr std::uint32_t all_bits = ~std::uint32_t{0};

enum class exchange { up, down, butterfly, index };

/// The operands are the value, whether it came from another lane, the source, the distance, the
/// limits and the members.
template <exchange mode>
void shuffle(warp& w, const instruction& i, lane_mask m) {
  std::array<std::uint64_t, warp_lanes> source;
  std::copy_n(w.in(i.with[2]), warp_lanes, source.begin());
  const std::uint64_t* const by = w.in(i.with[3]);
  const std::uint64_t* const limits = w.in(i.with[4]);
  std::uint64_t* const to = w.out(i.with[0]);
  std::uint64_t* const valid = w.out(i.with[1]);
  each_lane(m, [&](unsigned l) {
    const auto distance = static_cast<unsigned>(by[l] & 31U);
    const auto segment = static_cast<unsigned>(limits[l] >> 8U & 31U);
    const unsigned last = (l & segment) | (static_cast<unsigned>(limits[l] & 31U) & ~segment);
    unsigned from = 0;
    bool inside = false;
    if (mode == exchange::up) {
      from = l - distance;
      inside = static_cast<int>(from) >= static_cast<int>(last);
    } else {
      from = mode == exchange::down        ? l + distance
             : mode == exchange::butterfly ? (l ^ distance)
                                           : (l & segment) | (distance & ~segment);
      inside = from <= last;
    }
    if (!inside) from = l;
    const bool there = (m >> from & 1U) != 0;
    to[l] = static_cast<std::uint32_t>(there ? source[from] : all_bits);
    valid[l] = inside ? 1 : 0;
  });
}

lane_mask lanes_that(const warp& w, const operand& predicate, lane_mask m) {
  const std::uint64_t* const p = w.in(predicate);
  lane_mask result = 0;
  each_lane(m, [&](unsigned l) { result |= static_cast<lane_mask>(p[l] & 1U) << l; });
  return result;
}

void set_all(warp& w, const instruction& i, lane_mask m, std::uint64_t value) {
  std::uint64_t* const to = w.out(i.with[0]);
  each_lane(m, [&](unsigned l) { to[l] = value; });
}

void vote_all(warp& w, const instruction& i, lane_mask m) {
  set_all(w, i, m, lanes_that(w, i.with[1], m) == m);
}
void vote_any(warp& w, const instruction& i, lane_mask m) {
  set_all(w, i, m, lanes_that(w, i.with[1], m) != 0);
}
void vote_same(warp& w, const instruction& i, lane_mask m) {
  const lane_mask yes = lanes_that(w, i.with[1], m);
  set_all(w, i, m, yes == 0 || yes == m);
}
void vote_ballot(warp& w, const instruction& i, lane_mask m) {
  set_all(w, i, m, lanes_that(w, i.with[1], m));
}
void active_lanes(warp& w, const instruction& i, lane_mask m) { set_all(w, i, m, m); }
void meet(warp& /*w*/, const instruction& /*i*/, lane_mask /*m*/) {}

template <class T>
void match_any(warp& w, const instruction& i, lane_mask m) {
  std::array<std::uint64_t, warp_lanes> source;
  std::copy_n(w.in(i.with[1]), warp_lanes, source.begin());
  std::uint64_t* const to = w.out(i.with[0]);
  each_lane(m, [&](unsigned l) {
    lane_mask same = 0;
    each_lane(m, [&](unsigned k) {
      if (read<T>(source[k]) == read<T>(source[l])) same |= lane_mask{1} << k;
    });
    to[l] = same;
  });
}

/// The operands are the mask, whether all match, the value and the members.
template <class T>
void match_all(warp& w, const instruction& i, lane_mask m) {
  const std::uint64_t* const source = w.in(i.with[2]);
  const T first = read<T>(source[std::countr_zero(m)]);
  bool same = true;
  each_lane(m, [&](unsigned l) { same = same && read<T>(source[l]) == first; });
  set_all(w, i, m, same ? m : 0);
  std::uint64_t* const all = w.out(i.with[1]);
  each_lane(m, [&](unsigned l) { all[l] = same ? 1 : 0; });
}

struct sum {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(std::uint64_t(a) + std::uint64_t(b));
  }
};
template <class Op, class T>
void reduce(warp& w, const instruction& i, lane_mask m) {
  const std::uint64_t* const source = w.in(i.with[1]);
  T result = read<T>(source[std::countr_zero(m)]);
  each_lane(m & (m - 1), [&](unsigned l) { result = Op{}(result, read<T>(source[l])); });
  set_all(w, i, m, write(result));
}

const barrier_state& barrier_of(warp& w, const instruction& i, lane_mask m) {
  return w.block().barriers[w.in(i.with[1])[std::countr_zero(m)]];
}
void barrier_count(warp& w, const instruction& i, lane_mask m) {
  set_all(w, i, m, barrier_of(w, i, m).result_trues);
}
void barrier_and(warp& w, const instruction& i, lane_mask m) {
  const barrier_state& b = barrier_of(w, i, m);
  set_all(w, i, m, b.result_trues == b.result_count);
}
void barrier_or(warp& w, const instruction& i, lane_mask m) {
  set_all(w, i, m, barrier_of(w, i, m).result_trues != 0);
}

void clock_ticks(warp& w, const instruction& i, lane_mask m) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto ticks = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
  set_all(w, i, m, static_cast<std::uint64_t>(ticks));
}

void fence(warp& /*w*/, const instruction& /*i*/, lane_mask /*m*/) {
  // A change of a variable orders memory as a fence does, and ThreadSanitizer understands it.
  static std::atomic<unsigned> passed{0};
  passed.fetch_add(1, std::memory_order_seq_cst);
}
void trap(warp& w, const instruction& i, lane_mask /*m*/) {
  w.fail(i, launch_failed, "the kernel stops itself by a trap");
}
void failed_assertion(warp& w, const instruction& i, lane_mask /*m*/) {
  w.fail(i, assertion, "an assertion does not hold");
}

void add_exchanges(operation_table& to) {
  to["shfl.up.u32"] = {&shuffle<exchange::up>, nullptr};
  to["shfl.down.u32"] = {&shuffle<exchange::down>, nullptr};
  to["shfl.bfly.u32"] = {&shuffle<exchange::butterfly>, nullptr};
  to["shfl.idx.u32"] = {&shuffle<exchange::index>, nullptr};
  to["vote.all.pred"] = {&vote_all, nullptr};
  to["vote.any.pred"] = {&vote_any, nullptr};
  to["vote.uni.pred"] = {&vote_same, nullptr};
  to["vote.ballot.u32"] = {&vote_ballot, nullptr};
  to["match.any.u32"] = {&match_any<std::uint32_t>, nullptr};
  to["match.any.u64"] = {&match_any<std::uint64_t>, nullptr};
  to["match.all.u32"] = {&match_all<std::uint32_t>, nullptr};
  to["match.all.u64"] = {&match_all<std::uint64_t>, nullptr};
}

}  // namespace

void add_lane_operations(operation_table& to) {
  using s32 = std::int32_t;
  using u32 = std::uint32_t;
  add_exchanges(to);
  to["redux.add.s32"] = to["redux.add.u32"] = {&reduce<sum, u32>, nullptr};
  to["redux.min.s32"] = {&reduce<smallest, s32>, nullptr};
  to["redux.min.u32"] = {&reduce<smallest, u32>, nullptr};
  to["redux.max.s32"] = {&reduce<largest, s32>, nullptr};
  to["redux.max.u32"] = {&reduce<largest, u32>, nullptr};
  to["redux.and.u32"] = {&reduce<std::bit_and<>, u32>, nullptr};
  to["redux.or.u32"] = {&reduce<std::bit_or<>, u32>, nullptr};
  to["redux.xor.u32"] = {&reduce<std::bit_xor<>, u32>, nullptr};
  to["bar.warp"] = {&meet, nullptr};
  to["bar.red.popc.u32"] = {&barrier_count, nullptr};
  to["bar.red.and.pred"] = {&barrier_and, nullptr};
  to["bar.red.or.pred"] = {&barrier_or, nullptr};
  to["activemask.u32"] = {&active_lanes, nullptr};
  to["clock"] = {&clock_ticks, nullptr};
  to["fence"] = {&fence, nullptr};
  to["nothing"] = {&meet, nullptr};
  to["trap"] = {&trap, nullptr};
  to["assertion"] = {&failed_assertion, nullptr};
}

const operation_table& operations() {
  static const operation_table table = [] {
    operation_table made;
    add_integer_operations(made);
    add_bit_operations(made);
    add_number_operations(made);
    add_comparisons(made);
    add_conversions(made);
    add_accesses(made);
    add_atomics(made);
    add_lane_operations(made);
    return made;
  }();
  return table;
}

}  // namespace standin

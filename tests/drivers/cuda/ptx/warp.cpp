// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "warp.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace standin {

namespace {

constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
/// Local memory for the frames of functions that are called.
constexpr std::size_t call_stack_bytes = 16384;
/// After so many jumps back while other lanes wait, these get a turn: the jumps may wait for them.
constexpr unsigned patience = 2000;
constexpr unsigned turn = 2000;

lane_mask lanes_of(const block_state& block, unsigned number) {
  const std::uint64_t threads = block.launch.block.count() - std::uint64_t{number} * warp_lanes;
  return threads >= warp_lanes ? ~lane_mask{0} : (lane_mask{1} << threads) - 1;
}

}  // namespace

warp::warp(block_state& block, unsigned number)
    : block_(block),
      lanes_(lanes_of(block, number)),
      number_(number),
      specials_(static_cast<std::size_t>(special::count) * warp_lanes) {
  const function_code& entry = block.launch.entry;
  local_stride_ = entry.local_bytes + (block.launch.code.has_calls ? call_stack_bytes : 0);
  local_stride_ = (local_stride_ + 15) / 16 * 16;
  local_.resize(local_stride_ * warp_lanes);
  registers_.resize(entry.registers * warp_lanes);
}

void warp::restart(dimensions at) {
  const launch_state& launch = block_.launch;
  const auto set = [&](special s, unsigned lane, std::uint64_t value) {
    specials_[static_cast<std::size_t>(s) * warp_lanes + lane] = value;
  };
  for (unsigned l = 0; l < warp_lanes; ++l) {
    const unsigned t = number_ * warp_lanes + l;
    const lane_mask bit = lane_mask{1} << l;
    set(special::tid_x, l, t % launch.block.x);
    set(special::tid_y, l, t / launch.block.x % launch.block.y);
    set(special::tid_z, l, t / launch.block.x / launch.block.y);
    set(special::ntid_x, l, launch.block.x);
    set(special::ntid_y, l, launch.block.y);
    set(special::ntid_z, l, launch.block.z);
    set(special::ctaid_x, l, at.x);
    set(special::ctaid_y, l, at.y);
    set(special::ctaid_z, l, at.z);
    set(special::nctaid_x, l, launch.grid.x);
    set(special::nctaid_y, l, launch.grid.y);
    set(special::nctaid_z, l, launch.grid.z);
    set(special::laneid, l, l);
    set(special::warpid, l, number_);
    set(special::nwarpid, l, (launch.block.count() + warp_lanes - 1) / warp_lanes);
    set(special::lanemask_eq, l, bit);
    set(special::lanemask_lt, l, bit - 1);
    set(special::lanemask_le, l, bit | (bit - 1));
    set(special::lanemask_gt, l, static_cast<lane_mask>(~(bit | (bit - 1))));
    set(special::lanemask_ge, l, static_cast<lane_mask>(~(bit - 1)));
    set(special::dynamic_smem_size, l, launch.dynamic_shared);
    set(special::total_smem_size, l, block_.shared.size());
    set(special::dynamic_shared, l, launch.entry.shared_bytes);
    set(special::nsmid, l, 1);
  }
  frames_.clear();
  waiting_ = released_ = 0;
  at_barrier_ = {};
  push(launch.entry, lanes_, nullptr);
}

void warp::use_frame() {
  const frame& top = frames_.back();
  bases_[0] = registers_.data() + top.registers;
  // Operands are only read through this pointer: `out` knows the first one alone.
  bases_[1] = const_cast<std::uint64_t*>(top.function->constants.data());
  bases_[2] = specials_.data();
  const std::size_t slot = static_cast<std::size_t>(special::local_frame) * warp_lanes;
  std::fill_n(specials_.begin() + static_cast<std::ptrdiff_t>(slot), warp_lanes, top.local);
}

void warp::push(const function_code& f, lane_mask m, const call_site* site) {
  frame to;
  to.function = &f;
  to.entered = to.live = m;
  to.site = site;
  if (!frames_.empty()) {
    const frame& from = frames_.back();
    to.registers = from.registers + from.function->registers * warp_lanes;
    to.local = from.local + from.function->local_bytes;
    if (to.local + f.local_bytes > local_stride_) {
      throw failure(launch_failed,
                    "the stack of kernel " + block_.launch.entry.name + " overflows in " + f.name);
    }
    copy_arguments(from, to, m);
  }
  const std::size_t needed = to.registers + f.registers * warp_lanes;
  if (registers_.size() < needed) registers_.resize(needed);
  frames_.push_back(to);
  use_frame();
}

void warp::copy_arguments(const frame& from, const frame& to, lane_mask m) {
  const function_code& f = *to.function;
  const std::size_t count = std::min(f.parameters.size(), to.site->arguments.size());
  for (std::size_t k = 0; k < count; ++k) {
    each_lane(m, [&](unsigned l) {
      char* const memory = local_.data() + l * local_stride_;
      std::memcpy(memory + to.local + f.parameters[k].callee,
                  memory + from.local + to.site->arguments[k], f.parameters[k].bytes);
    });
  }
}

void warp::pop() {
  const frame top = frames_.back();
  frames_.pop_back();
  if (frames_.empty()) return;
  const frame& caller = frames_.back();
  const function_code& f = *top.function;
  const std::size_t count = std::min(f.results.size(), top.site->results.size());
  for (std::size_t k = 0; k < count; ++k) {
    each_lane(top.entered & caller.live, [&](unsigned l) {
      char* const memory = local_.data() + l * local_stride_;
      std::memcpy(memory + caller.local + top.site->results[k],
                  memory + top.local + f.results[k].callee, f.results[k].bytes);
    });
  }
  use_frame();
}

/// Chooses the lanes that run next. False if all wait or are done.
bool warp::select() {
  while (!frames_.empty() && frames_.back().live == 0) pop();
  if (frames_.empty()) return false;
  frame& top = frames_.back();
  const lane_mask ready = top.live & ~waiting_;
  if (ready == 0) return false;
  std::uint32_t first = nowhere, last = 0;
  each_lane(ready, [&](unsigned l) {
    first = std::min(first, top.next[l]);
    last = std::max(last, top.next[l]);
  });
  next_ = last_first_ ? last : first;
  active_ = 0;
  meeting_ = nowhere;
  each_lane(ready, [&](unsigned l) {
    if (top.next[l] == next_) {
      active_ |= lane_mask{1} << l;
    } else if (!last_first_) {
      meeting_ = std::min(meeting_, top.next[l]);
    }
  });
  return true;
}

void warp::advance(lane_mask m, std::uint32_t to) {
  frame& top = frames_.back();
  each_lane(m, [&](unsigned l) { top.next[l] = to; });
}

lane_mask warp::guarded(const instruction& i) const {
  const std::uint64_t* const p = bases_[0] + i.guard;
  lane_mask m = 0;
  for (unsigned l = 0; l < warp_lanes; ++l) m |= static_cast<lane_mask>(p[l] & 1U) << l;
  return active_ & (i.guard_negated ? ~m : m);
}

bool warp::run(unsigned budget) {
  bool ran = false;
  while (budget > 0 && select()) {
    ran = true;
    const bool ahead = last_first_;
    unsigned part = ahead ? std::min(budget, turn) : budget;
    const unsigned before = part;
    run_group(part);
    budget -= std::min(budget, std::max(before - part, 1U));
    if (ahead) last_first_ = false;
  }
  return ran;
}

/// Runs the active lanes until they part, wait, end or meet others.
void warp::run_group(unsigned& budget) {
  for (; next_ < meeting_; --budget) {
    if (budget == 0) break;
    const instruction& i = frames_.back().function->code[next_];
    const lane_mask m = i.guard < 0 ? active_ : guarded(i);
    if (i.then == step::plain) {
      if (m != 0) i.run(*this, i, m);
      ++next_;
    } else if (m == 0) {
      ++next_;
    } else if (i.then == step::branch) {
      if (!branch(i, m)) return;
    } else if (!leave_group(i, m)) {
      --budget;
      return;
    }
  }
  advance(active_, next_);
}

/// False if the lanes part or others get a turn; where each goes on is in the frame then.
bool warp::branch(const instruction& i, lane_mask m) {
  if (m != active_) {
    advance(active_ & ~m, next_ + 1);
    advance(m, i.target);
    return false;
  }
  const bool back = i.target <= next_;
  next_ = i.target;
  if (back && active_ != frames_.back().live && ++turns_back_ > patience) {
    turns_back_ = 0;
    last_first_ = true;
    advance(active_, next_);
    return false;
  }
  return true;
}

/// Executes what may stop the active lanes. False if they do not go on together.
bool warp::leave_group(const instruction& i, lane_mask m) {
  if (i.then == step::barrier) return wait_at_barrier(i, m);
  if (i.then == step::collective) return join(i, m);
  advance(active_ & ~m, next_ + 1);
  if (i.then == step::table) {
    branch_by_table(i, m);
  } else if (i.then == step::call) {
    call(i, m);
  } else if (i.then == step::exit || frames_.size() == 1) {
    end_lanes(m);
  } else {
    frames_.back().live &= ~m;
  }
  return false;
}

void warp::branch_by_table(const instruction& i, lane_mask m) {
  frame& top = frames_.back();
  const std::vector<std::uint32_t>& table = top.function->tables[i.target];
  const std::uint64_t* const index = in(i.with[0]);
  each_lane(m, [&](unsigned l) {
    const auto at = static_cast<std::uint32_t>(index[l]);
    if (at >= table.size()) fail(i, launch_failed, "brx.idx beyond its table");
    top.next[l] = table[at];
  });
}

void warp::call(const instruction& i, lane_mask m) {
  const call_site& site = frames_.back().function->calls[i.call];
  std::uint64_t target = i.target;
  if (site.indirect) {
    const std::uint64_t* const address = in(i.with[0]);
    const std::uint64_t first = address[std::countr_zero(m)];
    lane_mask same = 0;
    each_lane(m, [&](unsigned l) {
      if (address[l] == first) same |= lane_mask{1} << l;
    });
    advance(m & ~same, next_);  // they call theirs afterwards
    m = same;
    target = (first - function_window) / 16;
  }
  const std::vector<function_code>& functions = block_.launch.code.functions;
  if (target >= functions.size()) fail(i, launch_failed, "a call of what is no function");
  advance(m, next_ + 1);
  push(functions[target], m, &site);
}

void warp::end_lanes(lane_mask m) {
  for (frame& f : frames_) f.live &= ~m;
  block_.alive -= static_cast<unsigned>(std::popcount(m));
  // Lanes that wait for ended ones look again.
  lane_mask at_barriers = 0;
  for (const lane_mask b : at_barrier_) at_barriers |= b;
  waiting_ &= at_barriers;
}

void warp::release(unsigned barrier) {
  waiting_ &= ~at_barrier_[barrier];
  released_ |= at_barrier_[barrier];
  at_barrier_[barrier] = 0;
}

/// Lanes come here twice: they arrive, and they go on when the barrier has released them.
bool warp::wait_at_barrier(const instruction& i, lane_mask m) {
  const std::uint64_t id = in(i.with[1])[std::countr_zero(m)];
  if (id >= block_.barriers.size()) fail(i, launch_failed, "a barrier has a number above 15");
  advance(active_, next_);
  if ((m & released_) == m) {
    released_ &= ~m;
    if (i.run != nullptr) i.run(*this, i, m);
    advance(active_, next_ + 1);
    return false;
  }
  m &= ~released_;
  barrier_state& b = block_.barriers[id];
  b.arrived += static_cast<unsigned>(std::popcount(m));
  b.expected = i.operands > 2 ? static_cast<unsigned>(in(i.with[2])[std::countr_zero(m)]) : 0;
  if (i.operands > 3) {
    const std::uint64_t* const p = in(i.with[3]);
    each_lane(m, [&](unsigned l) { b.trues += static_cast<unsigned>(p[l] & 1U); });
  }
  waiting_ |= m;
  at_barrier_[id] |= m;
  advance(active_ & ~(m | released_), next_ + 1);
  return false;
}

/// An instruction for several lanes of the warp runs when all of them are there.
bool warp::join(const instruction& i, lane_mask m) {
  frame& top = frames_.back();
  lane_mask there = m;
  each_lane(top.live & waiting_, [&](unsigned l) {
    if (top.next[l] == next_) there |= lane_mask{1} << l;
  });
  const operand& members = i.with[i.operands - 1];
  const auto wanted = static_cast<lane_mask>(in(members)[std::countr_zero(m)]);
  const lane_mask present = frames_.front().live & wanted;
  advance(active_ & ~m, next_ + 1);
  if ((present & ~there) != 0) {
    advance(m, next_);
    waiting_ |= m;
    return false;
  }
  const lane_mask run = there & (wanted | m);
  waiting_ &= ~run;
  i.run(*this, i, run);
  advance(run, next_ + 1);
  return false;
}

void warp::fail(const instruction& i, code why, const std::string& text) const {
  throw failure(why, "kernel " + block_.launch.entry.name + ", PTX line " + std::to_string(i.line) +
                         ": " + text);
}

char* warp::windowed(space where, std::uint64_t address, std::size_t size, unsigned lane) {
  switch (where) {
    case space::shared: {
      const auto at = static_cast<std::uint32_t>(address);
      std::vector<char>& shared = block_.shared;
      return at <= shared.size() && size <= shared.size() - at ? shared.data() + at : nullptr;
    }
    case space::local:
      return local(address, size, lane);
    case space::param: {
      const std::vector<char>& block = block_.launch.parameters;
      if (address > block.size() || size > block.size() - address) return nullptr;
      return const_cast<char*>(block.data()) + address;  // decode lets nothing store there
    }
    default:
      return nullptr;
  }
}

char* warp::at(const instruction& i, space where, std::uint64_t address, std::size_t size,
               unsigned lane) {
  if ((address & (size - 1)) != 0) {
    fail(i, misaligned_address, "an access of " + std::to_string(size) + " bytes is not aligned");
  }
  char* found = nullptr;
  if (where == space::generic && (address >> 56U) >= 0x71 && (address >> 56U) <= 0x73) {
    constexpr std::array spaces{space::shared, space::local, space::param};
    found = windowed(spaces[(address >> 56U) - 0x71], address & ~(std::uint64_t{0xFF} << 56U), size,
                     lane);
  } else if (where == space::generic || where == space::global || where == space::constant) {
    found = block_.launch.memory.find(address, size, i.line);
  } else {
    found = windowed(where, address, size, lane);
  }
  if (found == nullptr) {
    char number[32];
    std::snprintf(number, sizeof number, "%#llx", static_cast<unsigned long long>(address));
    fail(i, illegal_address,
         "an access of " + std::to_string(size) + " bytes at " + number + " is in no allocation");
  }
  return found;
}

}  // namespace standin

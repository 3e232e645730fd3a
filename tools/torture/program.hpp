// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <hocket/core/access.hpp>
#include <hocket/core/duration.hpp>
#include <hocket/core/shape.hpp>
#include <hocket/devices/fault_plan.hpp>

namespace hocket::seeded {

/// A part of one of the program's buffers, all of which are matrices.
struct part {
  std::size_t buffer = 0;
  std::size_t row = 0, column = 0, rows = 0, columns = 0;
};

struct use {
  part where;
  access_mode mode = access_mode::read;
};

enum class kind : std::uint8_t {
  kernel,         ///< mixes what it reads into what it writes, on any device
  host_function,  ///< the same, on the host
  value,          ///< returns a mix of what it reads
  reduction,      ///< adds a mix of what it reads to what it reduces
  plain,          ///< a host task without accesses
  graph,          ///< runs the recorded steps several times
  view,           ///< reads or changes a part through a host view, at once
  cancel,         ///< cancels an earlier step
  pass_time,      ///< lets some events happen
  lose_device,
  stop_token,  ///< stops the token that some earlier steps were given
  choice,      ///< runs one of its bodies, or its body again and again, as what it reads says
  open_scope,  ///< of the steps up to its end
  end_scope,   ///< waits for them
};

/// How a choice uses its answer.
enum class rule : std::uint8_t {
  if_odd,     ///< the first body, or the second one if there is one
  one_of,     ///< which body; fails if the answer is their number
  while_odd,  ///< whether the body is run once more
  until_odd,  ///< whether the body was run for the last time
};

/// True if a choice by this rule has one body, which may run several times.
[[nodiscard]] constexpr bool repeats(rule r) noexcept {
  return r == rule::while_odd || r == rule::until_odd;
}

/// The number that a step computes from all it reads, element by element in order.
class mixer {
 public:
  explicit mixer(std::int64_t constant) : state_(static_cast<std::uint64_t>(constant)) {}
  void read(std::int64_t value) noexcept {
    state_ = (state_ ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15ULL;
    state_ ^= state_ >> 29U;
  }
  /// The element number index of what is written; old is 0 unless it is updated.
  [[nodiscard]] std::int64_t write(std::size_t index, std::int64_t old) const noexcept {
    mixer m = *this;
    m.read(static_cast<std::int64_t>(index));
    m.read(old);
    return m.result();
  }
  [[nodiscard]] std::int64_t result() const noexcept {
    return static_cast<std::int64_t>(state_ >> 8U);
  }

 private:
  std::uint64_t state_;
};

/// One call of the program. Steps are named by their position.
struct step {
  kind what = kind::kernel;
  std::vector<use> uses;
  std::int64_t constant = 0;
  bool throws = false;
  bool takes_token = false;
  bool stays_open = false;  ///< of a view: until the next time that something is waited for
  std::int64_t priority = 0;
  int device = -1;                 ///< -1: any
  std::vector<std::size_t> after;  ///< steps whose futures have to end well
  int number_from = -1;            ///< a value step whose future is the constant
  int takes = 0;                   ///< units of the program's budget
  int returns = -1;                ///< the step whose units come back
  int asks = 0;                    ///< levels of tasks that a host function submits and waits for
  std::size_t target = 0;          ///< of a cancel; the device of a lose_device
  std::size_t count = 1;        ///< runs of a graph; events of a pass_time; most rounds of a loop
  std::vector<step> recorded;   ///< of a graph
  bool batched = false;         ///< of a graph: neighbours of one device are one submission
  bool one_by_one = false;      ///< of a graph: each run is waited for, and nothing is before them
  bool in_order = false;        ///< starts in its turn on its device
  int timeout = 0;              ///< microseconds; 0: none
  bool cancels = false;         ///< of a scope's end: it is cancelled before
  rule chooses = rule::if_odd;  ///< of a choice
  std::vector<std::vector<step>> bodies;  ///< of a choice

  /// Of a choice, from all that it has read: 1 and 0 for odd and even, or the number of a body.
  [[nodiscard]] std::size_t answer(const mixer& read) const noexcept {
    const std::size_t answers = chooses == rule::one_of ? bodies.size() + 1 : 2;
    return static_cast<std::size_t>(read.result()) % answers;
  }
  /// Which body is run then; none if there are not so many.
  [[nodiscard]] std::size_t body_of(std::size_t answered) const noexcept {
    if (chooses == rule::one_of) return answered;
    return chooses == rule::if_odd && answered == 0 ? 1 : 0;
  }
};

/// True if the step is a task, or a graph of tasks.
[[nodiscard]] inline bool is_task(const step& s) noexcept { return s.what <= kind::graph; }

struct matrix_size {
  std::size_t rows = 0, columns = 0;
};

struct program {
  std::uint64_t seed = 0;
  std::string sim;                    ///< configuration of the simulated devices
  std::vector<std::size_t> memories;  ///< bytes of each simulated device
  std::size_t devices = 1;            ///< NUMA0 and the simulated ones
  bool private_memory = false;
  double delay_probability = 0;
  bool loses_devices = false;
  int budget = 0;
  std::size_t max_pending = 0;  ///< tasks, or 0 for any number
  std::vector<matrix_size> buffers;
  std::vector<step> steps;
  std::string policy;              ///< how devices are chosen; empty for the default
  bool alone = false;              ///< nothing runs beside it
  std::vector<fault_rule> faults;  ///< that are injected while it runs
  nanoseconds hang_timeout{0};     ///< after which a device is lost whose command hangs
};

/// The demands on a program; the rest comes from its seed.
struct program_shape {
  std::size_t tasks = 0;  ///< so many steps of tasks and graphs; 0: as the seed says
  std::optional<bool> loses_devices;
};

/// Everything about the program comes from the seed; the schedule has a stream of its own.
[[nodiscard]] program make_program(std::uint64_t seed, const program_shape& shape = {});

/// A program with buffers of its own that runs at the same time on the same runtime, if this one
/// has one: a quarter of those that can.
[[nodiscard]] std::optional<program> other_program(const program& made);

/// Any device may run a step that its own has no memory for.
void unbind_from_small_devices(program& made);

/// Changes the program so that it runs on the devices of a machine: their texts of kernels do not
/// throw, and kernels that read nothing have no texts.
void fit_to_devices(program& made, std::size_t devices);

/// The program in words, a line for each step, for who looks into a seed that fails.
[[nodiscard]] std::string to_string(const program& made);

}  // namespace hocket::seeded

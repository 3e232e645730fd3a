// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "crowd.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <hocket/execution/seed.hpp>

namespace hocket::seeded {

namespace {

constexpr std::uint64_t program_stream = 11, fault_stream = 12;

class crowd_generator {
 public:
  crowd_generator(std::uint64_t seed, const program_shape& shape)
      : shape_(shape), random_(seed, program_stream) {
    made_.seed = seed;
  }

  program run() {
    add_machine();
    made_.buffers.push_back({between(1, 48), between(1, 4)});  // the sums
    const std::size_t wide = between(1, 3);
    for (std::size_t i = 0; i < wide; ++i) {
      made_.buffers.push_back({between(8, 48), between(1, 4)});
    }
    const std::size_t phases = between(2, 8);
    for (std::size_t i = 0; shape_.tasks == 0 ? i < phases : made_.steps.size() < shape_.tasks;
         ++i) {
      add_phase(i);
    }
    unbind_from_small_devices(made_);
    return std::move(made_);
  }

 private:
  std::size_t between(std::size_t least, std::size_t most) {
    return least + random_.below(most - least + 1);
  }
  bool chance(double probability) { return random_.chance(probability); }

  void add_machine() {
    const std::size_t sims = between(1, 3);
    const bool is_cramped = chance(0.4);
    // Where tasks are short, a round of placement asks for few of those that are ready.
    const std::string rate = chance(0.5) ? "M" : "G";
    for (std::size_t i = 0; i < sims; ++i) {
      const std::size_t memory = is_cramped ? between(240, 1600) : 1U << 20U;
      made_.memories.push_back(memory);
      made_.sim +=
          (i == 0 ? "1,memory=" : ";1,memory=") + std::to_string(memory) +
          ",lanes=" + std::to_string(between(1, 2)) + ",depth=" + std::to_string(between(1, 4)) +
          ",flops=" + std::to_string(between(1, 50)) + rate +
          ",link=" + std::to_string(between(1, 100)) +
          "M,latency=" + std::to_string(between(0, 9)) +
          "us,launch=" + std::to_string(between(0, 5)) + "us,peer=" + (chance(0.7) ? "yes" : "no");
    }
    made_.devices = 1 + sims;
    made_.delay_probability = chance(0.3) ? 0.2 : 0.0;
  }

  [[nodiscard]] part all_of(std::size_t buffer) const {
    return {buffer, 0, 0, made_.buffers[buffer].rows, made_.buffers[buffer].columns};
  }
  [[nodiscard]] part rows_of(std::size_t buffer, std::size_t first, std::size_t rows) const {
    return {buffer, first, 0, rows, made_.buffers[buffer].columns};
  }

  void add(kind what, std::vector<use> uses, int device = -1) {
    step made;
    made.what = what;
    made.uses = std::move(uses);
    made.device = device;
    made.constant = static_cast<std::int64_t>(random_.below(1000));
    made_.steps.push_back(std::move(made));
  }

  /// How the tasks of a phase name devices.
  enum class naming : std::uint8_t { none, some, all_in_turn };

  int device_for(naming how, std::size_t number) {
    if (how == naming::all_in_turn) return static_cast<int>(number % made_.devices);
    if (how == naming::none || chance(0.5)) return -1;
    return static_cast<int>(random_.below(made_.devices));
  }

  /// One task that reads the sums, and perhaps the wide buffer, and the many that follow.
  void add_phase(std::size_t phase) {
    if (chance(0.7)) add(kind::value, {{all_of(0), access_mode::read}});
    const std::size_t buffer = between(1, made_.buffers.size() - 1);
    if (chance(0.2)) add(kind::value, {{all_of(buffer), access_mode::read}});
    const std::size_t rows = chance(0.3) ? 1 : between(2, 10);
    const naming how = chance(0.6) ? naming::all_in_turn : static_cast<naming>(random_.below(3));
    const bool sums = chance(0.8);
    const std::size_t summed =
        chance(0.5) ? made_.buffers[0].rows : between(1, made_.buffers[0].rows);
    const std::size_t other = between(1, made_.buffers.size() - 1);
    for (std::size_t row = 0; row < made_.buffers[buffer].rows; row += rows) {
      const part own = rows_of(buffer, row, std::min(rows, made_.buffers[buffer].rows - row));
      std::vector<use> uses;
      if (sums) {
        uses = {{own, access_mode::read}, {rows_of(0, 0, summed), access_mode::update}};
      } else {
        const std::size_t from = row % made_.buffers[other].rows;
        if (other != buffer) uses.push_back({rows_of(other, from, 1), access_mode::read});
        uses.push_back({own, chance(0.7) ? access_mode::update : access_mode::write});
      }
      add(sums ? kind::reduction : kind::kernel, std::move(uses),
          device_for(how, phase + row / rows));
    }
    if (chance(0.2)) pass_time();
  }

  void pass_time() {
    step made;
    made.what = kind::pass_time;
    made.count = between(1, 30);
    made_.steps.push_back(std::move(made));
  }

  program made_;
  const program_shape shape_;
  seeded_stream random_;
};

/// Draws the rules of a crowd's plan.
class crowd_planner {
 public:
  crowd_planner(std::uint64_t seed, const std::vector<std::string>& devices, bool only_launches)
      : random_(seed, fault_stream), devices_(devices), only_launches_(only_launches) {}

  std::vector<fault_rule> run() {
    add_losses();
    if (!only_launches_ && random_.chance(0.6)) add_failing_copies();
    if (random_.chance(0.2)) add_failing_launches();
    return std::move(made_);
  }

 private:
  void add_loss(const std::string& device, std::uint64_t moment) {
    made_.push_back({.action = fault_action::lose,
                     .device = device,
                     .call = fault_call::launch,
                     .first = moment});
  }

  /// Each device is lost at a launch of its own, at about the same time or soon after another.
  void add_losses() {
    constexpr std::uint64_t latest = 40;
    const std::uint64_t moment = 1 + random_.below(latest);
    if (random_.chance(0.3)) return add_loss("*", moment);
    for (const std::string& each : devices_) {
      if (random_.chance(0.7)) add_loss(each, moment + random_.below(12));
    }
  }

  /// Not those of the host, where functions are called that run once.
  void add_failing_launches() {
    made_.push_back({.action = fault_action::fail,
                     .device = devices_[random_.below(devices_.size())],
                     .call = fault_call::launch,
                     .percent = 1 + static_cast<double>(random_.below(5))});
  }

  void add_failing_copies() {
    constexpr std::array calls{fault_call::copy_out, fault_call::copy_out, fault_call::copy,
                               fault_call::copy_in};
    constexpr std::uint64_t most = 25;  // per cent
    made_.push_back({.action = fault_action::fail,
                     .device = "*",
                     .call = calls[random_.below(calls.size())],
                     .percent = 1 + static_cast<double>(random_.below(most))});
  }

  seeded_stream random_;
  const std::vector<std::string>& devices_;
  const bool only_launches_;
  std::vector<fault_rule> made_;
};

}  // namespace

program make_crowd(std::uint64_t seed, const program_shape& shape) {
  return crowd_generator(seed, shape).run();
}

std::vector<fault_rule> crowd_faults(std::uint64_t seed, const std::vector<std::string>& devices,
                                     bool only_launches) {
  return crowd_planner(seed, devices, only_launches).run();
}

}  // namespace hocket::seeded

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <hocket/core/duration.hpp>
#include <hocket/devices/counter_files.hpp>

namespace tools {

/// The rates of a device between two readings, and its state at the second.
struct device_rates {
  std::string name;
  std::string backend;
  bool alive = true;
  std::string state;  ///< as in "in use"; empty: not known
  double busy = 0;    ///< share of its lanes, from 0 to 1
  double kernels_per_second = 0;
  double bytes_in_per_second = 0;
  double bytes_out_per_second = 0;
  std::uint64_t used_bytes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t queued = 0;
  std::uint64_t in_flight = 0;
};

/// The rates of a runtime, likewise.
struct runtime_rates {
  hocket::exporter_id from;
  std::string program;
  double tasks_per_second = 0;
  std::uint64_t ended = 0;
  std::uint64_t pending = 0;
  bool are_placed = false;  ///< then its devices know what is queued and in flight
  std::vector<device_rates> devices;
};

/// Makes rates of counters that are read again and again.
class rate_meter {
 public:
  /// The next reading. A file that is damaged, or of another version, is left out.
  void add(const std::vector<hocket::exported_counters>& all);

  /// Between the last two states of each runtime that were different; of one that was read once,
  /// since it began.
  [[nodiscard]] std::vector<runtime_rates> rates() const;

  /// Why files were left out of the last reading.
  [[nodiscard]] const std::vector<std::string>& problems() const noexcept { return problems_; }

 private:
  struct device_state {
    device_rates now;  ///< without rates
    std::uint64_t lanes = 1;
    std::uint64_t kernels = 0;
    std::uint64_t busy_ns = 0;
    std::uint64_t bytes_in = 0;
    std::uint64_t bytes_out = 0;
  };
  struct state {
    std::string program;
    std::uint64_t time_ns = 0;
    std::uint64_t ended = 0;
    std::uint64_t pending = 0;
    bool are_placed = false;
    std::vector<device_state> devices;
  };
  struct two_states {
    state before;  ///< nothing was done at time zero
    state last;
  };

  [[nodiscard]] static state parse(const hocket::exported_counters& file);
  [[nodiscard]] static device_rates rates_of(const device_state& before, const device_state& last,
                                             double seconds);

  std::map<hocket::exporter_id, two_states> known_;
  std::vector<std::string> problems_;
};

}  // namespace tools

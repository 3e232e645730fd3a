// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace train {

/// What one device did in a run.
struct device_report {
  std::string name;
  std::string kind;
  std::uint64_t kernels = 0;
  double busy = 0;  ///< share of the time in which it ran kernels, 0 .. 1
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t peak_bytes = 0;
  double flops_share = 0;  ///< its part of the arithmetic, 0 .. 1
};

/// What a run achieved. The keys of the JSON are the names of the members.
struct run_report {
  double test_accuracy = 0;  ///< 0 .. 1
  double seconds = 0;
  double bubble = 0;
  double bubble_theory = 0;
  double transfers_hidden = 0;  ///< share of their time in which kernels ran, 0 .. 1
  std::string weights_hash;     ///< of the bits of all weights, in hexadecimal
  std::size_t epochs = 0;
  std::vector<double> loss;  ///< of each epoch
  std::uint64_t seed = 0;
  std::string schedule;
  std::string clock;
  std::string dataset;
  std::vector<device_report> devices;
};

/// For people: a few lines and a table of the devices.
[[nodiscard]] std::string to_table(const run_report& report);

/// For programs: one JSON object on one line.
[[nodiscard]] std::string to_json(const run_report& report);

/// Prints the table to standard output and writes the JSON where one is asked for. If the JSON goes
/// to standard output ("-"), it goes there alone and the table to standard error.
void publish(const run_report& report, const std::optional<std::filesystem::path>& json);

}  // namespace train

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "data_source.hpp"
#include "schedule.hpp"

namespace train {

/// virtual_time: simulated devices say how long they would take. real: the time on the wall.
enum class clock_kind { virtual_time, real };

/// As on the command line: virtual, real.
[[nodiscard]] std::string_view to_string(clock_kind kind) noexcept;

/// The command line. What is not set depends on the data or on the machine.
struct options {
  std::optional<std::filesystem::path> data;
  std::optional<dataset_kind> dataset;
  bool download = false;
  schedule pipeline = schedule::one_f_one_b;
  std::optional<std::size_t> stages;
  std::vector<std::string> devices;
  std::optional<std::vector<std::size_t>> hidden;
  std::size_t micro_batches = 8;
  std::optional<std::size_t> batch;
  std::optional<std::size_t> epochs;
  std::optional<double> learning_rate;
  double momentum = 0.9;
  std::uint64_t seed = 1;
  std::optional<clock_kind> clock;
  std::map<std::string, std::string> backends;  ///< what each is told
  bool private_memory = false;
  std::optional<std::filesystem::path> checkpoint;  ///< the folder
  std::optional<std::size_t> steps_between_checkpoints;
  bool resume = false;
  std::optional<std::filesystem::path> trace;
  std::optional<std::filesystem::path> json;  ///< "-" is standard output
  bool quiet = false;
};

/// The text that --help or --version asks for.
struct text_to_print {
  std::string text;
};

/// Reads the command line; arguments begin behind the program's name. Wrong ones are a usage_error
/// that gives the value and what is allowed.
[[nodiscard]] std::variant<options, text_to_print> parse_options(
    std::span<const char* const> arguments, std::string_view version);

/// How the network looks and how it is trained, with nothing left open.
struct hyperparameters {
  std::vector<std::size_t> hidden;
  std::size_t batch = 0;
  std::size_t micro_batches = 0;
  std::size_t epochs = 0;
  double learning_rate = 0;
  double momentum = 0;

  [[nodiscard]] std::size_t micro_batch_rows() const noexcept { return batch / micro_batches; }
};

/// What the command line says, and for the rest what suits the data. A batch that is larger than
/// the training part or does not divide into micro-batches is a usage_error.
[[nodiscard]] hyperparameters choose(const options& given, dataset_kind kind,
                                     std::size_t training_rows);

}  // namespace train

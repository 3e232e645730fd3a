// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "position.hpp"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>

#include "hash.hpp"

namespace train {

namespace {

constexpr std::string_view advice =
    "--resume goes on with the options that a training began with; for another training choose "
    "another folder for --checkpoint";

/// Reads the texts of one checkpoint.
class reader {
 public:
  reader(const position_texts& saved, const std::string& file) : saved_(saved), file_(file) {}

  [[nodiscard]] const std::string& text(std::string_view name) const {
    const auto found = saved_.find(name);
    if (found != saved_.end()) return found->second;
    throw hocket::usage_error(fmt::format(
        "The checkpoint \"{}\" has no \"{}\"; it is not of a training of digits.", file_, name));
  }

  template <class Number>
  [[nodiscard]] Number number(std::string_view name, std::string_view from) const {
    Number value{};
    const char* const end = from.data() + from.size();
    const auto [stop, problem] = std::from_chars(from.data(), end, value);
    if (problem == std::errc() && stop == end) return value;
    throw hocket::usage_error(
        fmt::format("The checkpoint \"{}\" has \"{}\" for \"{}\"; it must be "
                    "a number.",
                    file_, from, name));
  }
  template <class Number>
  [[nodiscard]] Number number(std::string_view name) const {
    return number<Number>(name, text(name));
  }

 private:
  const position_texts& saved_;
  const std::string& file_;
};

}  // namespace

position_texts identity_of(const hyperparameters& how, dataset_kind kind, std::uint64_t seed,
                           const dataset& data) {
  bit_hash bits;
  bits.add(std::span<const float>(data.images));
  bits.add(std::span<const std::int32_t>(data.labels));
  return {{"--dataset", std::string(to_string(kind))},
          {"--hidden", fmt::format("{}", fmt::join(how.hidden, ","))},
          {"--batch", fmt::format("{}", how.batch)},
          {"--micro-batches", fmt::format("{}", how.micro_batches)},
          {"--learning-rate", fmt::format("{}", how.learning_rate)},
          {"--momentum", fmt::format("{}", how.momentum)},
          {"--seed", fmt::format("{}", seed)},
          {"images", fmt::format("{} with hash {}", data.rows, bits.text())}};
}

position_texts to_texts(const position_texts& identity, const training_position& at) {
  position_texts made = identity;
  made["steps"] = fmt::format("{}", at.steps);
  made["loss sum"] = fmt::format("{}", at.loss_sum);
  made["losses"] = fmt::format("{}", fmt::join(at.losses, ","));
  return made;
}

training_position position_in(const position_texts& saved, const position_texts& identity,
                              const std::string& file) {
  const reader from(saved, file);
  for (const auto& [name, value] : identity) {
    const std::string& before = from.text(name);
    if (before == value) continue;
    throw hocket::usage_error(
        fmt::format("The checkpoint \"{}\" is of a training with \"{}\" for {}, and here it is "
                    "\"{}\"; {}.",
                    file, before, name, value, advice));
  }
  training_position made;
  made.steps = from.number<std::size_t>("steps");
  made.loss_sum = from.number<double>("loss sum");
  for (const std::string& each : hocket::split(from.text("losses"), ',')) {
    made.losses.push_back(from.number<double>("losses", each));
  }
  return made;
}

}  // namespace train

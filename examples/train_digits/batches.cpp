// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "batches.hpp"

#include <limits>

#include <fmt/format.h>

#include "network.hpp"

namespace train {

namespace {

constexpr std::size_t no_epoch = std::numeric_limits<std::size_t>::max();

}  // namespace

batch_source::batch_source(const dataset& data, const hyperparameters& how, std::uint64_t seed)
    : data_(data), how_(how), seed_(seed), epoch_(no_epoch) {}

void batch_source::select(std::size_t step) {
  const std::size_t steps = steps_of_epoch(data_, how_);
  const std::size_t epoch = step / steps;
  if (epoch != epoch_) order_ = shuffled_rows(data_.rows, seed_, epoch);
  epoch_ = epoch;
  first_ = step % steps * how_.batch;
}

void batch_source::submit_load(hocket::submitter& s, const model& network) const {
  for (std::size_t micro = 0; micro < network.micro_batches.size(); ++micro) {
    const std::size_t from = micro * network.rows;
    submit_images(s, data_, network.micro_batches[micro], network.rows,
                  {.priority = after_the_pipeline - 1, .label = fmt::format("load {}", micro)},
                  [this, from](std::size_t i) { return order_[first_ + from + i]; });
  }
}

}  // namespace train

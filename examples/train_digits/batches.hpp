// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <hocket/hocket.hpp>

#include "dataset.hpp"
#include "model.hpp"

namespace train {

/// How many steps an epoch has; what does not fill a batch at its end is left out.
[[nodiscard]] inline std::size_t steps_of_epoch(const dataset& data, const hyperparameters& how) {
  return data.rows / how.batch;
}

/// Which images a step of training sees. Tasks read it, so it is moved on between two runs only.
class batch_source {
 public:
  /// Both must outlive the tasks.
  batch_source(const dataset& data, const hyperparameters& how, std::uint64_t seed);

  /// Chooses the images of the step-th step, counted over all epochs. Every epoch has an order of
  /// its own.
  void select(std::size_t step);

  /// Submits host tasks that put the chosen images of every micro-batch into its buffers.
  void submit_load(hocket::submitter& s, const model& network) const;

 private:
  const dataset& data_;
  const hyperparameters& how_;
  std::uint64_t seed_;
  std::size_t epoch_;
  std::size_t first_ = 0;
  std::vector<std::uint32_t> order_;
};

/// Submits a host task that puts images into the buffers of a micro-batch: those whose numbers are
/// row_of(0), row_of(1), ... of data, which must outlive it.
template <class RowOf>
void submit_images(hocket::submitter& s, const dataset& data, const micro_batch& to,
                   std::size_t rows, const hocket::task_options& how, RowOf row_of) {
  const auto load = [&data, row_of](const hocket::buffer_view<float, 2>& images,
                                    const hocket::buffer_view<std::int32_t, 1>& truth) {
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const std::size_t row = row_of(i);
      std::copy_n(&data.images[row * data.columns], data.columns, &images(i, 0));
      truth[i] = data.labels[row];
    }
  };
  s.submit(how, load, writes(to.images.rows(0, rows)), writes(to.truth.rows(0, rows)));
}

}  // namespace train

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "training.hpp"

#include <algorithm>

#include "batches.hpp"
#include "pipeline.hpp"

namespace train {

namespace {

using hocket::reads;

/// Adds up losses; a task does so, and it is read between two runs.
struct loss_counter {
  double sum = 0;
  std::size_t images = 0;

  [[nodiscard]] double mean() const { return images > 0 ? sum / static_cast<double>(images) : 0; }
};

void submit_count(hocket::submitter& s, const model& network, loss_counter& counter) {
  const auto count = [&counter](const hocket::buffer_view<const float, 1>& losses) {
    for (const float loss : losses) counter.sum += static_cast<double>(loss);
    counter.images += losses.size();
  };
  s.submit({.label = "loss"}, count, reads(network.losses));
}

void check(const std::stop_token& stop) {
  if (stop.stop_requested()) {
    throw hocket::error(
        hocket::failure(hocket::failure_code::cancelled, "The training was stopped."));
  }
}

}  // namespace

training_log run_training(hocket::runtime& rt, const model& network, const dataset& data,
                          const training_plan& plan, progress& shown) {
  batch_source batches(data, plan.how, plan.seed);
  const std::size_t steps = steps_of_epoch(data, plan.how);
  loss_counter counter{plan.begin.loss_sum, plan.begin.steps % steps * plan.how.batch};
  batches.select(plan.begin.steps);
  batches.submit_load(rt, network);
  // The images of the next step come while this one is under way, as soon as their buffers are
  // free.
  const hocket::graph step = rt.record([&](hocket::submitter& s) {
    submit_step(s, network, plan.how, plan.kind);
    submit_count(s, network, counter);
    batches.submit_load(s, network);
  });
  rt.wait();

  training_log log{plan.begin.losses, {}};
  progress_state state{plan.begin.steps / steps, plan.how.epochs, counter.images,
                       steps * plan.how.batch, counter.mean()};
  shown.begin_at(state);
  for (std::size_t ended = plan.begin.steps; state.epoch < state.epochs;) {
    check(plan.stop);
    batches.select(ended + 1);
    const hocket::time_stamp begin = rt.now();
    rt.run(step).get();
    if (log.steps.size() == steps_of_log) log.steps.erase(log.steps.begin());
    log.steps.push_back({begin, rt.now()});

    ++ended;
    state.images += plan.how.batch;
    state.loss = counter.mean();
    shown.update(state);
    if (state.images == state.images_of_epoch) {
      shown.end_epoch(state);
      log.loss.push_back(state.loss);
      counter = {};
      state.images = 0;
      ++state.epoch;
    }
    plan.after_step({ended, counter.sum, log.loss});
  }
  return log;
}

double test_accuracy(hocket::runtime& rt, const model& network, const dataset& data) {
  std::vector<hocket::future<std::int64_t>> counts;
  std::size_t micro = 0;
  for (std::size_t first = 0; first < data.rows; first += network.rows) {
    const std::size_t rows = std::min(network.rows, data.rows - first);
    const micro_batch& batch = network.micro_batches[micro];
    submit_images(rt, data, batch, rows, {.label = "load test"},
                  [first](std::size_t i) { return first + i; });
    const auto logits = submit_inference(rt, network, micro, rows);
    counts.push_back(rt.submit({.on = network.stages.back().on, .label = "test"},
                               hocket::ops::count_correct, reads(logits),
                               reads(batch.truth.rows(0, rows))));
    micro = (micro + 1) % network.micro_batches.size();
  }
  std::int64_t correct = 0;
  for (const auto& count : counts) correct += count.get();
  return static_cast<double>(correct) / static_cast<double>(data.rows);
}

}  // namespace train

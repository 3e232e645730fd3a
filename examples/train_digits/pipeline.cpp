// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "pipeline.hpp"

#include <fmt/format.h>

namespace train {

namespace {

using hocket::reads;
using hocket::task_options;
using hocket::updates;
using hocket::writes;
namespace ops = hocket::ops;

using rows_of_matrix = hocket::region<float, 2>;

/// y = x W + b, rectified in all layers but the last. Returns the first of its tasks.
hocket::any_future submit_layer(hocket::submitter& s, const task_options& how, const dense& layer,
                                const rows_of_matrix& x, const rows_of_matrix& y) {
  task_options then = how;
  then.takes.reset();
  const auto first = s.submit(how, ops::gemm_nn, reads(x), reads(layer.weights.value), writes(y));
  if (layer.rectified) {
    s.submit(then, ops::bias_relu_forward, reads(y), reads(layer.bias.value), writes(y));
  } else {
    s.submit(then, ops::bias_forward, reads(y), reads(layer.bias.value), writes(y));
  }
  return first;
}

/// Calls submit with the access to a gradient: the first micro-batch of a step writes it, the
/// others add to it.
template <class Region, class Submit>
void accumulate(std::size_t micro, const Region& gradient, const Submit& submit) {
  if (micro == 0) {
    submit(writes(gradient));
  } else {
    submit(updates(gradient));
  }
}

/// From dy, the gradient by a layer's output, that of its bias; dy becomes the gradient by what
/// went into the rectifier.
void submit_bias_gradient(hocket::submitter& s, const task_options& how, const dense& layer,
                          const matrix& y, const matrix& dy, std::size_t micro) {
  accumulate(micro, layer.bias.gradient, [&](const auto& bias) {
    if (layer.rectified) {
      s.submit(how, ops::bias_relu_backward, reads(y), reads(dy), writes(dy), bias);
    } else {
      s.submit(how, ops::bias_backward, reads(dy), bias);
    }
  });
}

/// Submits one step; every function submits the tasks of one stage.
class step {
 public:
  step(hocket::submitter& s, const model& network, const hyperparameters& how, schedule kind)
      : s_(s), network_(network), how_(how), kind_(kind) {}

  /// Returns the task that took the stage's budget.
  hocket::any_future forward(std::size_t at, std::size_t micro) {
    const stage& here = network_.stages[at];
    const micro_batch& batch = network_.micro_batches[micro];
    task_options how = options(at, micro, direction::forward);
    task_options first = how;
    first.takes = here.activations.share(here.bytes_of_micro_batch);
    const std::size_t begin = here.layers.begin;
    const auto taker = submit_layer(s_, first, network_.layers[begin], batch.input_of(begin),
                                    batch.outputs[begin]);
    for (std::size_t l = begin + 1; l < here.layers.end; ++l) {
      submit_layer(s_, how, network_.layers[l], batch.input_of(l), batch.outputs[l]);
    }
    if (is_last(at)) {
      s_.submit(how, ops::softmax_cross_entropy_forward, reads(batch.outputs.back()),
                reads(batch.truth), writes(network_.losses_of(micro)));
    }
    return taker;
  }

  /// Its last task returns to the budget what taker took.
  void backward(std::size_t at, std::size_t micro, const hocket::any_future& taker) {
    const stage& here = network_.stages[at];
    const micro_batch& batch = network_.micro_batches[micro];
    const task_options how = options(at, micro, direction::backward);
    if (is_last(at)) {
      const float mean = 1.0f / static_cast<float>(how_.batch);
      s_.submit(how, ops::softmax_cross_entropy_backward, mean, reads(batch.outputs.back()),
                reads(batch.truth), writes(batch.gradients.back()));
    }
    for (std::size_t l = here.layers.end; l-- > here.layers.begin;) {
      const dense& layer = network_.layers[l];
      const matrix& dy = batch.gradients[l];
      task_options last = how;
      if (l == here.layers.begin) last.returns = {taker};
      submit_bias_gradient(s_, how, layer, batch.outputs[l], dy, micro);
      accumulate(micro, layer.weights.gradient, [&](const auto& weights) {
        s_.submit(l == 0 ? last : how, ops::gemm_tn, reads(batch.input_of(l)), reads(dy), weights);
      });
      if (l == 0) continue;  // nobody needs the gradient of the images
      s_.submit(last, ops::gemm_nt, reads(dy), reads(layer.weights.value),
                writes(batch.gradients[l - 1]));
    }
  }

  void update(std::size_t at) {
    const stage& here = network_.stages[at];
    const task_options how{
        .on = here.on, .priority = after_the_pipeline, .label = fmt::format("update {}", at)};
    const auto rate = static_cast<float>(how_.learning_rate);
    const auto momentum = static_cast<float>(how_.momentum);
    const auto apply = [&](const auto& each) {
      s_.submit(how, ops::sgd_momentum, rate, momentum, reads(each.gradient),
                updates(each.velocity), updates(each.value));
    };
    for (std::size_t l = here.layers.begin; l < here.layers.end; ++l) {
      apply(network_.layers[l].weights);
      apply(network_.layers[l].bias);
    }
  }

 private:
  [[nodiscard]] bool is_last(std::size_t at) const { return at + 1 == network_.stages.size(); }

  [[nodiscard]] task_options options(std::size_t at, std::size_t micro, direction way) const {
    return {.on = network_.stages[at].on,
            .priority = priority(kind_, at, network_.stages.size(), micro, way),
            .in_order = true,
            .label = name_of(way, at, micro)};
  }

  hocket::submitter& s_;
  const model& network_;
  const hyperparameters& how_;
  schedule kind_;
};

}  // namespace

std::string name_of(direction way, std::size_t stage, std::size_t micro) {
  return fmt::format("{} {}.{}", way == direction::forward ? "forward" : "backward", stage, micro);
}

void submit_step(hocket::submitter& s, const model& network, const hyperparameters& how,
                 schedule kind) {
  step tasks(s, network, how, kind);
  const std::size_t stages = network.stages.size();
  for (std::size_t micro = 0; micro < network.micro_batches.size(); ++micro) {
    std::vector<hocket::any_future> takers;
    for (std::size_t at = 0; at < stages; ++at) takers.push_back(tasks.forward(at, micro));
    for (std::size_t at = stages; at-- > 0;) tasks.backward(at, micro, takers[at]);
  }
  for (std::size_t at = 0; at < stages; ++at) tasks.update(at);
}

hocket::region<float, 2> submit_inference(hocket::submitter& s, const model& network,
                                          std::size_t micro, std::size_t rows) {
  const micro_batch& batch = network.micro_batches[micro];
  for (std::size_t at = 0; at < network.stages.size(); ++at) {
    const stage& here = network.stages[at];
    const task_options how{.on = here.on, .label = "test"};
    for (std::size_t l = here.layers.begin; l < here.layers.end; ++l) {
      submit_layer(s, how, network.layers[l], batch.input_of(l).rows(0, rows),
                   batch.outputs[l].rows(0, rows));
    }
  }
  return batch.outputs.back().rows(0, rows);
}

}  // namespace train

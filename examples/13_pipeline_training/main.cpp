// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A network in two stages on two devices; a training step is one recorded graph. Priorities make
// the schedule: forward and backward passes in turn ("1F1B"). Budgets bound what is in flight.

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include <hocket/hocket.hpp>

#include "common/ending.hpp"

using namespace hocket;

namespace {

constexpr std::size_t stages = 2, last = stages - 1, widths[] = {2, 32, 2};
constexpr std::size_t micros = 4, rows = 64, points = micros * rows;
constexpr std::int64_t steps = 600, priority_range = 2 * (micros + stages);  // of one step's tasks

struct stage {
  std::size_t number;
  device_handle on;
  buffer<float, 2> weights, d_weights;  // d_...: the gradient of the loss by these
  buffer<float> bias, d_bias;
  budget in_flight;  // micro-batches between their forward and their backward pass
};

struct micro_batch {
  std::int64_t number;
  buffer<std::int32_t> labels;
  std::vector<buffer<float, 2>> y, dy;  // of the input and of each stage
};

// One device alone could run all tasks in the order of these priorities. Other orders can deadlock.
future<void> submit_forward(submitter& s, const stage& of, const micro_batch& micro) {
  task_options how{.on = of.on, .priority = -2 * micro.number, .in_order = true};
  task_options first = how;
  first.takes = of.in_flight.share(1);
  const auto &x = micro.y[of.number], &y = micro.y[of.number + 1];
  future<void> begun = s.submit(first, ops::gemm_nn, reads(x), reads(of.weights), writes(y));
  if (of.number < last) s.submit(how, ops::bias_relu_forward, reads(y), reads(of.bias), writes(y));
  return begun;
}

void submit_backward(submitter& s, const stage& of, const micro_batch& m, const any_future& begun) {
  const std::size_t i = of.number;
  const std::int64_t turn = m.number + static_cast<std::int64_t>(stages - i);
  const auto &x = m.y[i], &y = m.y[i + 1], &dx = m.dy[i], &dy = m.dy[i + 1];
  task_options how{.on = of.on, .priority = 1 - 2 * turn, .in_order = true};
  if (i == last) {
    s.submit(how, ops::softmax_cross_entropy_backward, 1.0F / points, reads(y), reads(m.labels),
             writes(dy));
  } else {
    s.submit(how, ops::bias_relu_backward, reads(y), reads(dy), writes(dy), updates(of.d_bias));
  }
  if (i > 0) s.submit(how, ops::gemm_nt, reads(dy), reads(of.weights), writes(dx));
  how.returns = {begun};
  s.submit(how, ops::gemm_tn, reads(x), reads(dy), updates(of.d_weights));
}

void submit_update(submitter& s, const stage& of) {
  const task_options how{.on = of.on, .priority = 1 - priority_range};
  s.submit(how, ops::axpy, -1.0F, reads(of.d_weights), updates(of.weights));
  s.submit(how, ops::axpy, -1.0F, reads(of.d_bias), updates(of.bias));
  s.submit(how, ops::fill, 0.0F, writes(of.d_weights));
  s.submit(how, ops::fill, 0.0F, writes(of.d_bias));
}

/// The label of a point says on which side of a hyperbola the point lies.
void classify(buffer_view<const float, 2> x, buffer_view<std::int32_t> labels) {
  for (std::size_t i = 0; i < rows; ++i) labels(i) = x(i, 0) * x(i, 1) < 0.2F ? 1 : 0;
}

}  // namespace

int main() try {
  runtime rt;
  std::vector<stage> net;
  for (std::uint32_t i = 0; i < stages; ++i) {
    const auto on = rt.device(rt.devices()[i % rt.devices().size()].name);
    const shape<2> size{widths[i], widths[i + 1]};
    const buffer<float, 2> weights{rt, size, "weights"}, d_weights{rt, size, 0.0F, "d_weights"};
    const buffer<float> bias{rt, size[1], 0.0F, "bias"}, d_bias{rt, size[1], 0.0F, "d_bias"};
    rt.submit(ops::random_normal, i, 0U, writes(weights));
    net.push_back({i, on, weights, d_weights, bias, d_bias, budget(rt, stages - i)});
  }
  std::vector<micro_batch> batch;
  for (std::uint32_t m = 0; m < micros; ++m) {
    batch.push_back({m, {rt, rows, "labels"}, {}, {}});
    for (const std::size_t width : widths) {
      for (auto* each : {&batch[m].y, &batch[m].dy}) each->emplace_back(rt, shape<2>{rows, width});
    }
    rt.submit(ops::random_uniform, 9U, m, writes(batch[m].y[0]));
    rt.submit({.label = "classify"}, classify, reads(batch[m].y[0]), writes(batch[m].labels));
  }

  const graph step = rt.record([&](submitter& s) {
    for (const micro_batch& micro : batch) {
      std::vector<future<void>> begun;
      for (const stage& each : net) begun.push_back(submit_forward(s, each, micro));
      for (auto i = stages; i-- > 0;) submit_backward(s, net[i], micro, begun[i]);
    }
    for (const stage& each : net) submit_update(s, each);
  });
  // Each run gets lower priorities than all tasks of the run before it.
  for (std::int64_t i = 0; i < steps; ++i) rt.run({.priority = -i * priority_range}, step);
  std::int64_t wrong = points;
  for (const micro_batch& m : batch) {
    wrong -= rt.submit(ops::count_correct, reads(m.y[stages]), reads(m.labels)).get();
  }
  std::printf("%d of %d points are classified wrong\n", static_cast<int>(wrong), int{points});
  if (wrong > std::int64_t{points} / 20) throw std::runtime_error("The network has not learned.");
  examples::flush_output();
} catch (...) {
  return examples::end_of_program("13_pipeline_training");
}

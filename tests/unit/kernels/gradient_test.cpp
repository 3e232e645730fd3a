// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <gtest/gtest.h>

#include <hocket/kernels/ops.hpp>

#include "support.hpp"

namespace hocket::testing {
namespace {

/// A network of two layers, with every gradient by the kernels.
class small_network {
 public:
  static constexpr std::size_t batch = 7, inputs = 5, hidden = 11, classes = 4;

  explicit small_network(std::mt19937_64& random) {
    do {
      for (tensor<double>* drawn : {&x, &weight1, &bias1, &weight2, &bias2}) drawn->fill(random);
      for (std::size_t i = 0; i < batch; ++i) {
        labels[i] = static_cast<std::int32_t>(random() % classes);
      }
      mean_loss();
    } while (is_near_kink());
  }

  double mean_loss() {
    run(ops::gemm_nn.resolve<matrix, matrix, out_buffer<double, 2>>(), {}, {&x, &weight1, &before});
    run(ops::bias_relu_forward.resolve<matrix, in_buffer<double>, out_buffer<double, 2>>(), {},
        {&before, &bias1, &active});
    run(ops::gemm_nn.resolve<matrix, matrix, out_buffer<double, 2>>(), {},
        {&active, &weight2, &logits});
    run(ops::bias_forward.resolve<matrix, in_buffer<double>, out_buffer<double, 2>>(), {},
        {&logits, &bias2, &logits});
    launch(*ops::softmax_cross_entropy_forward
                .resolve<matrix, in_buffer<std::int32_t>, out_buffer<double>>()
                .definition(),
           lanes, {}, {logits.argument(), labels.argument(), loss.argument()});
    return launch_value<double>(*ops::sum.resolve<in_buffer<double>>().definition(), lanes, {},
                                {loss.argument()}) /
           batch;
  }

  void backward() {
    launch(*ops::softmax_cross_entropy_backward
                .resolve<double, matrix, in_buffer<std::int32_t>, out_buffer<double, 2>>()
                .definition(),
           lanes, {scalar_argument::of(1.0 / batch)},
           {logits.argument(), labels.argument(), dlogits.argument()});
    run(ops::bias_backward.resolve<matrix, out_buffer<double>>(), {}, {&dlogits, &dbias2});
    run(ops::gemm_tn.resolve<matrix, matrix, out_buffer<double, 2>>(), {},
        {&active, &dlogits, &dweight2});
    run(ops::gemm_nt.resolve<matrix, matrix, out_buffer<double, 2>>(), {},
        {&dlogits, &weight2, &dactive});
    run(ops::bias_relu_backward
            .resolve<matrix, matrix, out_buffer<double, 2>, out_buffer<double>>(),
        {}, {&active, &dactive, &dactive, &dbias1});
    run(ops::gemm_tn.resolve<matrix, matrix, out_buffer<double, 2>>(), {},
        {&x, &dactive, &dweight1});
    run(ops::gemm_nt.resolve<matrix, matrix, out_buffer<double, 2>>(), {},
        {&dactive, &weight1, &dx});
  }

  tensor<double> x{{batch, inputs}}, dx{{batch, inputs}};
  tensor<double> weight1{{inputs, hidden}}, dweight1{{inputs, hidden}};
  tensor<double> bias1{{hidden}}, dbias1{{hidden}};
  tensor<double> weight2{{hidden, classes}}, dweight2{{hidden, classes}};
  tensor<double> bias2{{classes}}, dbias2{{classes}};

 private:
  using matrix = in_buffer<double, 2>;

  /// A difference across the kink of the ReLU would be no derivative.
  [[nodiscard]] bool is_near_kink() const {
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (std::abs(before[i] + bias1[i % hidden]) < 1e-4) return true;
    }
    return false;
  }

  template <class Kernel>
  void run(const Kernel& kernel, const std::vector<scalar_argument>& scalars,
           std::initializer_list<const tensor<double>*> tensors) {
    std::vector<buffer_argument> arguments;
    for (const auto* given : tensors) arguments.push_back(given->argument());
    launch(*kernel.definition(), lanes, scalars, std::move(arguments));
  }

  shuffled_lanes lanes{1};
  tensor<std::int32_t> labels{{batch}};
  tensor<double> before{{batch, hidden}}, active{{batch, hidden}}, dactive{{batch, hidden}};
  tensor<double> logits{{batch, classes}}, dlogits{{batch, classes}}, loss{{batch}};
};

class gradients : public random_test {
 protected:
  /// Central differences lose half of the digits.
  void expect_gradient(small_network& network, tensor<double>& of, const tensor<double>& gradient) {
    constexpr double step = 1e-6;
    for (std::size_t i = 0; i < of.size(); ++i) {
      const double value = of[i];
      of[i] = value + step;
      const double above = network.mean_loss();
      of[i] = value - step;
      const double below = network.mean_loss();
      of[i] = value;
      EXPECT_NEAR((above - below) / (2 * step), gradient[i], 1e-8) << i;
    }
  }
};

TEST_F(gradients, agree_with_finite_differences) {
  small_network network(random_);
  network.mean_loss();
  network.backward();
  expect_gradient(network, network.x, network.dx);
  expect_gradient(network, network.weight1, network.dweight1);
  expect_gradient(network, network.bias1, network.dbias1);
  expect_gradient(network, network.weight2, network.dweight2);
  expect_gradient(network, network.bias2, network.dbias2);
}

}  // namespace
}  // namespace hocket::testing

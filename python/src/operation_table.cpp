// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <cstring>
#include <hocket/kernels/array_ops.hpp>
#include <hocket/kernels/loop_nest.hpp>
#include <hocket/kernels/matrix_ops.hpp>
#include <hocket/kernels/ops.hpp>
#include <map>
#include <string>

#include "accesses.hpp"
#include "element_types.hpp"

namespace hocket::python {

namespace {

namespace kinds = ops::detail;

/// The kernels of one operation, by the type of the elements of its first buffer.
using operation = std::map<element_type, kernel_ref>;

template <class Op, class T>
void add_if_supported(operation& to) {
  if constexpr (Op::template supports<T>) {
    to.emplace(element_type_of<T>, Op::template instance<T>().definition());
  }
}

template <class Op, class... T>
operation of_types() {
  operation made;
  (add_if_supported<Op, T>(made), ...);
  return made;
}

template <class Op>
operation of_all_types() {
  return of_types<Op, float, double, float16, bfloat16, float8_e4m3, float8_e5m2, bool, std::int8_t,
                  std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                  std::int64_t, std::uint64_t>();
}

/// The operations by the names that hocket.ops uses.
class operation_table {
 public:
  operation_table() {
    add_elementwise();
    add_reductions();
    add_matrices();
    add_networks();
  }

  [[nodiscard]] kernel_ref find(const std::string& name, element_type type) const {
    const auto found = all_.find(name);
    if (found == all_.end()) raise_value_error("There is no operation \"" + name + "\".");
    if (const auto kernel = found->second.find(type); kernel != found->second.end()) {
      return kernel->second;
    }
    if (name == "copy") return copy_of_bytes(type);
    std::string known;
    for (const auto& [each, kernel] : found->second) {
      known += (known.empty() ? "" : ", ") + name_of(each);
    }
    raise_type_error("The operation \"" + name + "\" is given a buffer of " + name_of(type) +
                     "; it is for " + known + ".");
  }

 private:
  template <class Op>
  void add(const std::string& name) {
    all_.emplace(name, of_all_types<Op>());
  }

  void add_elementwise() {
    add<kinds::fill_op>("fill");
    add<kinds::copy_op>("copy");
    add<kinds::axpy_op>("axpy");
    add<kinds::add_op>("add");
    add<kinds::mul_op>("mul");
    add<kinds::random_uniform_op>("random_uniform");
    add<kinds::random_normal_op>("random_normal");
  }

  void add_reductions() {
    add<kinds::sum_op>("sum");
    add<kinds::max_op>("max");
    add<kinds::min_op>("min");
    add<kinds::dot_op>("dot");
    add<kinds::sum_of_squares_op>("sum_of_squares");
    add<kinds::max_magnitude_op>("max_magnitude");
    add<kinds::mean_op>("mean");
    add<kinds::norm_op>("norm");
    add<kinds::extreme_place_op<true>>("argmax");
    add<kinds::extreme_place_op<false>>("argmin");
    add<kinds::scan_op<true>>("inclusive_scan");
    add<kinds::scan_op<false>>("exclusive_scan");
    add<kinds::sort_op>("sort");
  }

  /// Rank 3: several products in one launch. Widens: of numbers in 16 bits, that are floats.
  template <std::size_t Rank, bool Widens>
  void add_products(const std::string& name) {
    add<kinds::gemm_op<false, false, Rank, access_mode::write, Widens>>(name + "nn");
    add<kinds::gemm_op<false, true, Rank, access_mode::write, Widens>>(name + "nt");
    add<kinds::gemm_op<true, false, Rank, access_mode::write, Widens>>(name + "tn");
    add<kinds::scaled_gemm_op<false, false, Rank, Widens>>("scaled_" + name + "nn");
    add<kinds::scaled_gemm_op<false, true, Rank, Widens>>("scaled_" + name + "nt");
    add<kinds::scaled_gemm_op<true, false, Rank, Widens>>("scaled_" + name + "tn");
    for (const char* const form : {"nn", "nt", "tn"}) add_replacing(name + form);
  }

  /// The scaled product where beta is zero: the kernel does not look at what c has then, so that c
  /// need not have any content.
  void add_replacing(const std::string& name) {
    operation replacing;
    for (const auto& [type, kernel] : all_.at("scaled_" + name)) {
      auto made = std::make_shared<kernel_definition>(*kernel);
      made->parameters.back().mode = access_mode::write;
      replacing.emplace(type, std::move(made));
    }
    all_.emplace("replacing_" + name, std::move(replacing));
  }

  void add_matrices() {
    using enum kinds::triangular_system;
    add<kinds::transpose_op>("transpose");
    add_products<2, false>("gemm_");
    add_products<3, false>("gemms_");
    add_products<2, true>("widened_gemm_");
    add_products<3, true>("widened_gemms_");
    add<kinds::syrk_lower_op>("syrk_lower");
    add<kinds::trsm_op<lower>>("trsm_lower");
    add<kinds::trsm_op<lower_transposed>>("trsm_lower_transposed");
    add<kinds::trsm_op<right_lower_transposed>>("trsm_right_lower_transposed");
    add<kinds::potrf_lower_op>("potrf_lower");
    add<kinds::getrf_op>("getrf");
  }

  void add_networks() {
    add<kinds::bias_forward_op<false>>("bias_forward");
    add<kinds::bias_forward_op<true>>("bias_relu_forward");
    add<kinds::bias_backward_op<access_mode::write>>("bias_backward");
    add<kinds::bias_relu_backward_op<access_mode::write>>("bias_relu_backward");
    add<kinds::softmax_cross_entropy_forward_op>("softmax_cross_entropy_forward");
    add<kinds::softmax_cross_entropy_backward_op>("softmax_cross_entropy_backward");
    add<kinds::count_correct_op>("count_correct");
    add<kinds::sgd_momentum_op>("sgd_momentum");
  }

  /// Complex numbers and structures.
  static kernel_ref copy_of_bytes(element_type type) {
    auto made = std::make_shared<kernel_definition>();
    made->name = "copy";
    made->parameters = {{parameter::kind::buffer, type, access_mode::read, any_rank},
                        {parameter::kind::buffer, type, access_mode::write, any_rank}};
    made->check = [](const launch_shape& shape) { detail::require_equal_extents("copy", shape); };
    made->host = [](const host_launch& launch) {
      const buffer_argument &from = launch.buffers[0], &to = launch.buffers[1];
      const std::size_t bytes = size_of(from.type);
      const loop_nest<2> nest(from.extents, {&from.strides, &to.strides});
      nest.for_runs(0, nest.size(), [&](const auto& offsets, std::size_t count) {
        const auto* const first = static_cast<const std::byte*>(from.base) + offsets[0] * bytes;
        auto* const last = static_cast<std::byte*>(to.base) + offsets[1] * bytes;
        const auto& steps = nest.run_strides();
        for (std::size_t i = 0; i < count; ++i) {
          std::memcpy(last + i * steps[1] * bytes, first + i * steps[0] * bytes, bytes);
        }
      });
    };
    made->sources = detail::copy_bodies(type);
    made->in_place = true;
    return made;
  }

  std::map<std::string, operation> all_;
};

}  // namespace

void bind_operations(nb::module_& to) {
  const auto table = std::make_shared<const operation_table>();
  to.def(
      "submit_operation",
      [table](const nb::handle& into, const std::string& name, const std::string& dtype,
              const nb::list& arguments, const nb::dict& options) {
        const auto type = element_type_named(dtype);
        const bool is_structure = !type && dtype.starts_with("void");
        if (!type && !is_structure) raise_type_error("There is no element type " + dtype + ".");
        const element_type wanted =
            is_structure ? structure_of(std::stoul(dtype.substr(4)) / 8) : *type;
        return submit_kernel(into, table->find(name, wanted), arguments, options);
      },
      nb::arg("into"), nb::arg("name"), nb::arg("dtype"), nb::arg("arguments"), nb::arg("options"),
      "Submits an operation for buffers of that element type.");
}

}  // namespace hocket::python

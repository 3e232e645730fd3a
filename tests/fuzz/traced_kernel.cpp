// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any values that a traced lambda can compute have a text in GLSL, or none because GLSL lacks a
// function; the text compiles, and its SPIR-V is valid, as elementwise kernel and as reduction.

#include <cstdlib>
#include <vector>

#include <hocket/kernels/program.hpp>
#include <hocket/kernels/traced_source.hpp>

#include "compile.hpp"
#include "fuzz.hpp"

namespace {

using hocket::element_type;
using hocket::detail::expression;
using hocket::detail::operation;

constexpr element_type types[] = {element_type::f32,    element_type::f64,   element_type::i8,
                                  element_type::u8,     element_type::i16,   element_type::u16,
                                  element_type::i32,    element_type::u32,   element_type::i64,
                                  element_type::u64,    element_type::f16,   element_type::bf16,
                                  element_type::f8e4m3, element_type::f8e5m2};
/// The types that arithmetic has in C++, where smaller integers become int.
constexpr element_type computed[] = {element_type::f32, element_type::f64, element_type::i32,
                                     element_type::u32, element_type::i64, element_type::u64};

/// The values that a lambda has computed so far; each step adds one, by the rules that traced<T>
/// and the functions of math.hpp have.
class lambda {
 public:
  lambda(fuzz::input_bytes& in, std::vector<hocket::parameter> parameters)
      : in_(in), parameters_(std::move(parameters)) {
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
      numbers_.push_back(hocket::detail::make_parameter(parameters_[k].type, k));
    }
    truths_.push_back(hocket::detail::make_truth(true));
  }

  void compute(std::size_t most_steps) {
    for (std::size_t i = 0; i < most_steps && !in_.empty(); ++i) step();
  }
  void use_index() { numbers_.push_back(hocket::detail::make_index()); }
  [[nodiscard]] expression number(element_type as) {
    return converted(as, numbers_[numbers_.size() - 1 - in_.below(numbers_.size())]);
  }

 private:
  template <std::size_t Count>
  [[nodiscard]] element_type one_of(const element_type (&of)[Count]) {
    return of[in_.below(Count)];
  }
  [[nodiscard]] expression truth() { return truths_[in_.below(truths_.size())]; }

  void step() {
    constexpr std::size_t kinds = 8;
    switch (in_.below(kinds)) {
      case 0:
        return add_literal();
      case 1:
        return add_number(operation::negate, one_of(computed), 1);
      case 2:
        return add_number(chosen(operation::add, operation::divide), one_of(computed), 2);
      case 3:
        return add_number(in_.below(2) == 0 ? operation::remainder
                                            : chosen(operation::bit_and, operation::shift_right),
                          computed[2 + in_.below(4)], 2);
      case 4:
        return add_truth();
      case 5:
        return add_choice();
      case 6:
        return add_function();
      default:
        numbers_.push_back(number(one_of(types)));
    }
  }

  [[nodiscard]] operation chosen(operation first, operation last) {
    const auto begin = static_cast<std::size_t>(first), end = static_cast<std::size_t>(last) + 1;
    return static_cast<operation>(begin + in_.below(end - begin));
  }

  void add_literal() {
    hocket::scalar_argument value{one_of(types)};
    const std::uint64_t bits = in_.number();
    std::memcpy(value.bytes, &bits, size_of(value.type));
    numbers_.push_back(hocket::detail::make_literal(value));
  }

  void add_number(operation what, element_type type, std::size_t count) {
    std::vector<expression> operands;
    for (std::size_t i = 0; i < count; ++i) operands.push_back(number(type));
    numbers_.push_back(apply(what, type, std::move(operands)));
  }

  void add_truth() {
    const operation what = chosen(operation::equal, operation::invert);
    if (what <= operation::less_equal) {
      const element_type type = one_of(computed);
      const expression first = number(type);
      truths_.push_back(apply(what, {}, {first, number(type)}));
    } else if (what == operation::invert) {
      truths_.push_back(apply(what, {}, {truth()}));
    } else {
      const expression first = truth();
      truths_.push_back(apply(what, {}, {first, truth()}));
    }
  }

  void add_choice() {
    const element_type type = one_of(types);
    const expression condition = truth(), first = number(type);
    numbers_.push_back(apply(operation::select, type, {condition, first, number(type)}));
  }

  void add_function() {
    const operation what = chosen(operation::exp, operation::fma);
    const std::size_t count = what == operation::fma ? 3 : what == operation::pow ? 2 : 1;
    add_number(what, computed[in_.below(2)], count);
  }

  fuzz::input_bytes& in_;
  const std::vector<hocket::parameter> parameters_;
  std::vector<expression> numbers_, truths_;
};

/// Every pass of every body in GLSL.
void compile(const hocket::kernel_definition& kernel, std::size_t rank) {
  // Without a home there is no cache: every text is compiled.
  static const int homeless = ::unsetenv("HOME") + ::unsetenv("XDG_CACHE_HOME");
  static hocket::vulkan::compiler compiler;
  fuzz::require(homeless == 0, "there is no home");
  const auto is_buffer = [](const hocket::parameter& p) {
    return p.is == hocket::parameter::kind::buffer;
  };
  const auto buffers =
      static_cast<std::size_t>(std::ranges::count_if(kernel.parameters, is_buffer)) +
      (kernel.result ? 1 : 0);
  for (const hocket::kernel_source& source : kernel.sources) {
    if (source.format != hocket::kernel_format::glsl) continue;
    for (std::size_t pass = 0; pass < source.passes.size(); ++pass) {
      const std::string text =
          glsl_program(kernel, source, pass, {std::vector<std::size_t>(buffers, rank)},
                       hocket::argument_block::storage_buffer);
      const auto words = compiler.compile("device", kernel.name, text);
      if (!words) std::fprintf(stderr, "%s\n%s\n", text.c_str(), words.error().message().c_str());
      fuzz::require(static_cast<bool>(words), "a text of a traced lambda compiles");
    }
  }
}

void compile_elementwise(fuzz::input_bytes& in) {
  hocket::kernel_definition kernel;
  kernel.name = "traced";
  const std::size_t count = 1 + in.below(4), rank = 1 + in.below(2);
  for (std::size_t k = 0; k < count; ++k) {
    const bool is_scalar = k > 0 && in.below(4) == 0;
    kernel.parameters.push_back(
        {is_scalar ? hocket::parameter::kind::scalar : hocket::parameter::kind::buffer,
         types[in.below(std::size(types))], static_cast<hocket::access_mode>(in.below(3))});
  }
  kernel.parameters[0].mode = hocket::access_mode::update;
  lambda traced(in, kernel.parameters);
  if (in.below(2) == 0) traced.use_index();
  constexpr std::size_t most_steps = 48;
  traced.compute(most_steps);
  std::vector<hocket::detail::traced_result> results;
  for (std::size_t k = 0; k < count; ++k) {
    const hocket::parameter& p = kernel.parameters[k];
    if (p.is == hocket::parameter::kind::buffer && writes_content(p.mode)) {
      results.push_back({k, traced.number(p.type)});
    }
  }
  kernel.sources = hocket::detail::elementwise_sources(kernel.parameters, results);
  compile(kernel, rank);
}

void compile_reduction(fuzz::input_bytes& in) {
  hocket::kernel_definition kernel;
  kernel.name = "traced";
  hocket::scalar_argument identity{types[in.below(std::size(types))]};
  const std::uint64_t bits = in.number();
  std::memcpy(identity.bytes, &bits, size_of(identity.type));
  const hocket::parameter one{.is = hocket::parameter::kind::buffer, .type = identity.type};
  lambda traced(in, {one, one});
  constexpr std::size_t most_steps = 16;
  traced.compute(most_steps);
  kernel.parameters = {one};
  kernel.result = identity.type;
  hocket::detail::traced_map map{{identity.type}, {}};
  if (in.below(2) == 0) {
    kernel.parameters.resize(1 + in.below(3), one);
    map.inputs.clear();
    for (hocket::parameter& each : kernel.parameters) {
      each.type = types[in.below(std::size(types))];
      map.inputs.push_back(each.type);
    }
    lambda of_elements(in, kernel.parameters);
    of_elements.compute(most_steps);
    map.value = of_elements.number(identity.type);
  }
  kernel.sources = hocket::detail::reduction_sources(identity, traced.number(identity.type), map);
  compile(kernel, 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::input_bytes in(data, size);
  if (in.below(4) == 0) {
    compile_reduction(in);
  } else {
    compile_elementwise(in);
  }
  return 0;
}

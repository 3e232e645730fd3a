// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "value_program.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <hocket/core/error.hpp>
#include <hocket/core/float8.hpp>
#include <memory>
#include <string>
#include <type_traits>

namespace hocket::python {

namespace {

using detail::expression_type;
using detail::operation;
using loop = void (*)(void*, const void* const*, std::size_t);

/// How many elements one loop has, and how many bytes they take at most.
constexpr std::size_t block = 512;
constexpr std::size_t column_bytes = block * 8;

/// Calls use(std::type_identity<T>) with the C++ type of the elements; a truth value is a bool.
template <class F>
decltype(auto) with_type(expression_type type, F&& use) {
  switch (type.value_or(element_type::boolean)) {
    case element_type::f32:
      return use(std::type_identity<float>{});
    case element_type::f64:
      return use(std::type_identity<double>{});
    case element_type::f16:
      return use(std::type_identity<float16>{});
    case element_type::bf16:
      return use(std::type_identity<bfloat16>{});
    case element_type::f8e4m3:
      return use(std::type_identity<float8_e4m3>{});
    case element_type::f8e5m2:
      return use(std::type_identity<float8_e5m2>{});
    case element_type::i8:
      return use(std::type_identity<std::int8_t>{});
    case element_type::u8:
      return use(std::type_identity<std::uint8_t>{});
    case element_type::i16:
      return use(std::type_identity<std::int16_t>{});
    case element_type::u16:
      return use(std::type_identity<std::uint16_t>{});
    case element_type::i32:
      return use(std::type_identity<std::int32_t>{});
    case element_type::u32:
      return use(std::type_identity<std::uint32_t>{});
    case element_type::i64:
      return use(std::type_identity<std::int64_t>{});
    case element_type::u64:
      return use(std::type_identity<std::uint64_t>{});
    default:
      return use(std::type_identity<bool>{});
  }
}

template <class T>
constexpr bool is_narrow = detail::is_narrow_float<T>;
/// The types in which operators compute.
template <class T>
constexpr bool computes = std::is_arithmetic_v<T> && (sizeof(T) >= 4 || std::is_same_v<T, bool>);

/// result[i] = F{}(operand[i]...), where the operands have the type T.
template <class R, class T, class F, std::size_t... I>
void loop_of(void* result, const void* const* operands, std::size_t count) {
  auto* const to = static_cast<R*>(result);
  const auto call = [&](const auto*... from) {
    for (std::size_t i = 0; i < count; ++i) to[i] = F{}(from[i]...);
  };
  call(static_cast<const T*>(operands[I])...);
}
template <class R, class T, class F>
constexpr loop unary = &loop_of<R, T, F, 0>;
template <class R, class T, class F>
constexpr loop binary = &loop_of<R, T, F, 0, 1>;

template <class To, class From>
void convert_loop(void* result, const void* const* operands, std::size_t count) {
  auto* const to = static_cast<To*>(result);
  const auto* const from = static_cast<const From*>(operands[0]);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<To, From>) {
      to[i] = from[i];
    } else if constexpr (is_narrow<From>) {
      to[i] = static_cast<To>(static_cast<float>(from[i]));
    } else if constexpr (is_narrow<To>) {
      to[i] = To(static_cast<float>(from[i]));
    } else {
      to[i] = static_cast<To>(from[i]);
    }
  }
}

template <class T>
void select_loop(void* result, const void* const* operands, std::size_t count) {
  auto* const to = static_cast<T*>(result);
  const auto* const is = static_cast<const bool*>(operands[0]);
  const auto *const a = static_cast<const T*>(operands[1]), *const b =
                                                                static_cast<const T*>(operands[2]);
  for (std::size_t i = 0; i < count; ++i) to[i] = is[i] ? a[i] : b[i];
}

// Integers wrap around, as on devices; what C++ leaves undefined would end the program.
#define HOCKET_WRAPPING(NAME, SIGN)                                      \
  struct NAME {                                                          \
    template <class T>                                                   \
    T operator()(T a, T b) const noexcept {                              \
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) { \
        using u = std::make_unsigned_t<T>;                               \
        return static_cast<T>(static_cast<u>(a) SIGN static_cast<u>(b)); \
      } else {                                                           \
        return static_cast<T>(a SIGN b);                                 \
      }                                                                  \
    }                                                                    \
  };
HOCKET_WRAPPING(plus_of, +)
HOCKET_WRAPPING(minus_of, -)
HOCKET_WRAPPING(product_of, *)
#undef HOCKET_WRAPPING

struct quotient_of {
  template <class T>
  T operator()(T a, T b) const noexcept {
    if constexpr (std::is_integral_v<T>) {
      if (b == T{0}) return T{0};
      if constexpr (std::is_signed_v<T>) {
        if (b == T{-1}) return minus_of{}(T{0}, a);
      }
    }
    return static_cast<T>(a / b);
  }
};
struct remainder_of {
  template <class T>
  T operator()(T a, T b) const noexcept {
    return minus_of{}(a, product_of{}(quotient_of{}(a, b), b));
  }
};
struct negative_of {
  template <class T>
  T operator()(T a) const noexcept {
    if constexpr (std::is_floating_point_v<T>) {
      return -a;
    } else {
      return minus_of{}(T{0}, a);
    }
  }
};

/// Arithmetic and comparisons, of numbers of the type T.
template <class T>
loop arithmetic(operation what) {
  switch (what) {
    case operation::add:
      return binary<T, T, plus_of>;
    case operation::subtract:
      return binary<T, T, minus_of>;
    case operation::multiply:
      return binary<T, T, product_of>;
    case operation::divide:
      return binary<T, T, quotient_of>;
    case operation::remainder:
      return binary<T, T, remainder_of>;
    case operation::negate:
      return unary<T, T, negative_of>;
    case operation::equal:
      return binary<bool, T, std::equal_to<T>>;
    case operation::not_equal:
      return binary<bool, T, std::not_equal_to<T>>;
    case operation::less:
      return binary<bool, T, std::less<T>>;
    case operation::less_equal:
      return binary<bool, T, std::less_equal<T>>;
    default:
      return nullptr;
  }
}

#define HOCKET_FUNCTIONS(X) \
  X(exp)                    \
  X(exp2)                   \
  X(log)                    \
  X(log2)                   \
  X(sqrt)                   \
  X(sin)                    \
  X(cos) X(tan) X(sinh) X(cosh) X(tanh) X(asin) X(acos) X(atan) X(floor) X(ceil) X(trunc) X(rint)

#define HOCKET_FUNCTION(NAME)          \
  struct NAME##_of {                   \
    template <class T>                 \
    T operator()(T x) const noexcept { \
      return std::NAME(x);             \
    }                                  \
  };
HOCKET_FUNCTIONS(HOCKET_FUNCTION)
#undef HOCKET_FUNCTION

struct magnitude_of {
  template <class T>
  T operator()(T x) const noexcept {
    return std::fabs(x);
  }
};
struct power_of {
  template <class T>
  T operator()(T x, T y) const noexcept {
    return std::pow(x, y);
  }
};
struct fma_of {
  template <class T>
  T operator()(T x, T y, T z) const noexcept {
    return std::fma(x, y, z);
  }
};

/// Functions of floating numbers.
template <class T>
loop function(operation what) {
  switch (what) {
#define HOCKET_CASE(NAME) \
  case operation::NAME:   \
    return unary<T, T, NAME##_of>;
    HOCKET_FUNCTIONS(HOCKET_CASE)
#undef HOCKET_CASE
    case operation::absolute:
      return unary<T, T, magnitude_of>;
    case operation::pow:
      return binary<T, T, power_of>;
    case operation::fma:
      return &loop_of<T, T, fma_of, 0, 1, 2>;
    default:
      return nullptr;
  }
}
#undef HOCKET_FUNCTIONS

loop truth(operation what) {
  switch (what) {
    case operation::both:
      return binary<bool, bool, std::logical_and<bool>>;
    case operation::either:
      return binary<bool, bool, std::logical_or<bool>>;
    case operation::invert:
      return unary<bool, bool, std::logical_not<bool>>;
    default:
      return nullptr;
  }
}

loop conversion(expression_type to, expression_type from) {
  return with_type(to, [&]<class To>(std::type_identity<To>) {
    return with_type(
        from, []<class From>(std::type_identity<From>) -> loop { return &convert_loop<To, From>; });
  });
}

loop loop_for(const detail::expression_node& node) {
  const operation what = node.what;
  loop found = nullptr;
  if (what == operation::select) {
    return with_type(node.type,
                     []<class T>(std::type_identity<T>) -> loop { return &select_loop<T>; });
  }
  const expression_type of = node.operands.front()->type;
  if (what == operation::convert) return conversion(node.type, of);
  if (!of) found = truth(what);
  if (found == nullptr) {
    found = with_type(of, [what]<class T>(std::type_identity<T>) -> loop {
      loop made = nullptr;
      if constexpr (computes<T> && !std::is_same_v<T, bool>) made = arithmetic<T>(what);
      if constexpr (std::is_floating_point_v<T>) {
        if (made == nullptr) made = function<T>(what);
      }
      return made;
    });
  }
  if (found == nullptr) {
    throw usage_error("An elementwise expression has an operation that its operands, " +
                      (of ? std::string(to_string(*of)) : "truth values") + ", do not have.");
  }
  return found;
}

std::size_t bytes_of(expression_type type) { return size_of(type.value_or(element_type::boolean)); }

void repeat(const void* one, std::size_t bytes, std::size_t count, std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * bytes, one, bytes);
}

void gather(const std::byte* from, std::size_t step, std::size_t bytes, std::size_t count,
            std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * bytes, from + i * step, bytes);
}

}  // namespace

value_program::value_program(const std::vector<parameter>& parameters,
                             const std::vector<detail::traced_result>& results)
    : parameters_(parameters) {
  std::size_t buffers = 0, scalars = 0;
  for (const parameter& each : parameters_) {
    positions_.push_back(each.is == parameter::kind::buffer ? buffers++ : scalars++);
  }
  std::unordered_map<const detail::expression_node*, std::size_t> known;
  for (const detail::traced_result& each : results) {
    const std::size_t from = add(each.value, known);
    const element_type type = parameters_[each.parameter].type;
    results_.push_back(
        {from, positions_[each.parameter], type, conversion(type, each.value->type)});
  }
  // A result that is the content of a buffer itself is read when it is stored. An earlier result
  // may be stored to the same region, under the same name or another.
  for (std::size_t r = 1; r < results_.size(); ++r) {
    value& stored = values_[results_[r].value];
    stored.is_copied = stored.node->what == operation::parameter;
  }
}

std::size_t value_program::add(
    const detail::expression& node,
    std::unordered_map<const detail::expression_node*, std::size_t>& known) {
  if (const auto found = known.find(node.get()); found != known.end()) return found->second;
  value made{node, {}};
  for (const detail::expression& each : node->operands) made.operands.push_back(add(each, known));
  if (!node->operands.empty()) made.compute = loop_for(*node);
  const std::size_t number = values_.size();
  values_.push_back(std::move(made));
  known.emplace(node.get(), number);
  return number;
}

void value_program::fill_constants(const detail::elementwise_run& of, std::byte* memory,
                                   std::size_t count, columns& places) const {
  for (std::size_t v = 0; v < values_.size(); ++v) {
    const detail::expression_node& node = *values_[v].node;
    const bool is_literal = node.what == operation::literal;
    const bool is_number =
        node.what == operation::parameter && parameters_[node.number].is == parameter::kind::scalar;
    if (!is_literal && !is_number) continue;
    const scalar_argument& one = is_literal ? node.value : of.scalars[positions_[node.number]];
    std::byte* const column = memory + v * column_bytes;
    repeat(one.bytes, bytes_of(node.type), count, column);
    places[v] = column;
  }
}

void value_program::load(const detail::elementwise_run& of, std::size_t first, std::size_t count,
                         std::byte* memory, columns& places) const {
  for (std::size_t v = 0; v < values_.size(); ++v) {
    const detail::expression_node& node = *values_[v].node;
    std::byte* const column = memory + v * column_bytes;
    if (node.what == operation::index) {
      auto* const numbers = reinterpret_cast<std::uint32_t*>(column);
      for (std::size_t i = 0; i < count; ++i) {
        numbers[i] = static_cast<std::uint32_t>(of.index + first + i);
      }
      places[v] = column;
    } else if (node.what == operation::parameter &&
               parameters_[node.number].is == parameter::kind::buffer) {
      const std::size_t b = positions_[node.number], bytes = bytes_of(node.type);
      const std::size_t step = bytes * of.strides[b];
      const std::byte* const from = static_cast<const std::byte*>(of.buffers[b]) + first * step;
      if (of.strides[b] == 1 && !values_[v].is_copied) {
        places[v] = from;
      } else {
        gather(from, step, bytes, count, column);
        places[v] = column;
      }
    }
  }
}

void value_program::run(const detail::elementwise_run& of) const {
  const auto memory = std::make_unique_for_overwrite<std::byte[]>(values_.size() * column_bytes);
  columns places(values_.size());
  fill_constants(of, memory.get(), std::min(block, of.count), places);
  for (std::size_t first = 0; first < of.count; first += block) {
    const std::size_t count = std::min(block, of.count - first);
    load(of, first, count, memory.get(), places);
    for (std::size_t v = 0; v < values_.size(); ++v) {
      const value& each = values_[v];
      if (each.compute == nullptr) continue;
      const void* operands[3] = {};
      for (std::size_t k = 0; k < each.operands.size(); ++k) operands[k] = places[each.operands[k]];
      std::byte* const column = memory.get() + v * column_bytes;
      each.compute(column, operands, count);
      places[v] = column;
    }
    for (const result& each : results_) {
      const std::size_t bytes = size_of(each.type), step = bytes * of.strides[each.buffer];
      std::byte* const to = static_cast<std::byte*>(of.buffers[each.buffer]) + first * step;
      if (of.strides[each.buffer] == 1) {
        each.store(to, &places[each.value], count);
        continue;
      }
      alignas(8) std::byte dense[column_bytes];
      each.store(dense, &places[each.value], count);
      for (std::size_t i = 0; i < count; ++i) std::memcpy(to + i * step, dense + i * bytes, bytes);
    }
  }
}

}  // namespace hocket::python

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <hocket/core/dtype.hpp>
#include <hocket/kernels/argument.hpp>
#include <hocket/kernels/source.hpp>

namespace hocket::detail {

/// What a traced lambda can do with values.
enum class operation : std::uint8_t {
  parameter,
  index,
  literal,
  convert,
  negate,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  equal,
  not_equal,
  less,
  less_equal,
  both,
  either,
  invert,
  select,
  exp,
  exp2,
  log,
  log2,
  sqrt,
  absolute,
  sin,
  cos,
  tan,
  sinh,
  cosh,
  tanh,
  asin,
  acos,
  atan,
  floor,
  ceil,
  trunc,
  rint,
  pow,
  fma,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shift_left,
  shift_right
};

/// The type of a traced value; none for a truth value.
using expression_type = std::optional<element_type>;

/// Of a traced<T>.
template <class T>
inline constexpr expression_type expression_type_of = std::is_same_v<T, bool>
                                                          ? expression_type()
                                                          : expression_type(element_type_of<T>);

struct expression_node;

/// A value that a traced lambda has computed: a node of a graph that never changes.
using expression = std::shared_ptr<const expression_node>;

struct expression_node {
  operation what = operation::literal;
  expression_type type;
  std::vector<expression> operands = {};
  std::size_t number = 0;      ///< of a parameter
  scalar_argument value = {};  ///< of a literal
};

/// The value of a parameter; a bool is a truth value.
[[nodiscard]] expression make_parameter(element_type type, std::size_t number);
[[nodiscard]] expression make_index();
[[nodiscard]] expression make_literal(const scalar_argument& value);
[[nodiscard]] expression make_truth(bool value);

/// The operation on operands that have the types it asks for.
[[nodiscard]] expression apply(operation what, expression_type type,
                               std::vector<expression> operands);

/// The value as that type: itself if it has it. As a bool it is whether the value is not zero.
[[nodiscard]] expression converted(element_type type, expression value);

/// Statements in the language of a format that give each expression a name.
struct rendered_expressions {
  std::string statements;
  std::vector<std::string> results;  ///< the name of each expression
  std::vector<element_type> types;   ///< that the statements use
};

/// Parameter k is read as names[k], the index is `i`. Equal subexpressions are computed once.
/// Nothing where the language has no function for one of the operations on its type.
[[nodiscard]] std::optional<rendered_expressions> rendered(const std::vector<expression>& wanted,
                                                           const std::vector<std::string>& names,
                                                           kernel_format format);

/// A number as it is written in the language of a format.
[[nodiscard]] std::string literal_text(const scalar_argument& value, kernel_format format);

/// How a text reads a value of that type which stands under a name: a bool is a byte there.
[[nodiscard]] std::string read_text(element_type type, const std::string& name);

/// How a text writes what is called `value` to a place of that type.
[[nodiscard]] std::string written_text(element_type type, const std::string& value);

/// The name of an element type in kernel texts: of a number that is computed with as a float, and
/// of a bool, that of the integer in which texts see it. Empty for a structure.
[[nodiscard]] const char* type_name(element_type type) noexcept;

/// The element as a float, and a float as the element, in kernel texts; for a type of numbers that
/// are computed with as floats.
[[nodiscard]] std::string widened_text(element_type from, const std::string& value);
[[nodiscard]] std::string narrowed_text(element_type to, const std::string& value);

}  // namespace hocket::detail

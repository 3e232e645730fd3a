// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/expression.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

namespace hocket::detail {

namespace {

bool is_signed_integer(element_type type) {
  return type == element_type::i8 || type == element_type::i16 || type == element_type::i32 ||
         type == element_type::i64;
}

bool is_real(element_type type) { return type == element_type::f32 || type == element_type::f64; }

template <class T>
std::string shortest(T value) {
  std::array<char, 64> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  std::string made(text.data(), end);
  if constexpr (std::is_floating_point_v<T>) {
    if (made.find_first_of(".e") == std::string::npos) made += ".0";
  }
  return made;
}

template <class T>
std::string bits_text(T value, kernel_format format) {
  if constexpr (std::is_same_v<T, float>) {
    std::uint32_t word;
    std::memcpy(&word, &value, sizeof word);
    return "BITS_FLOAT(" + std::to_string(word) + "u)";
  } else {
    std::uint32_t words[2];
    std::memcpy(words, &value, sizeof words);
    const std::string both = std::to_string(words[0]) + "u, " + std::to_string(words[1]) + "u";
    if (format == kernel_format::glsl) return "packDouble2x32(uvec2(" + both + "))";
    return format == kernel_format::cuda_c ? "BITS_DOUBLE(" + both + ")"
                                           : "as_double((uint2)(" + both + "))";
  }
}

template <class T>
std::string real_text(T value, const char* suffix, kernel_format format) {
  if (!std::isfinite(value)) return bits_text(value, format);
  const std::string text = shortest(value) + suffix;
  return std::signbit(value) ? "(" + text + ")" : text;
}

/// The least number of a signed type is no literal: its magnitude is not a number of that type.
template <class T>
std::string integer_text(T value, const char* suffix) {
  if (value == std::numeric_limits<T>::min()) {
    return "(" + shortest(value + 1) + suffix + " - 1" + suffix + ")";
  }
  const std::string text = shortest(value) + suffix;
  return value < 0 ? "(" + text + ")" : text;
}

/// How an operation is written; $0, $1 and $2 stand for its operands. Empty where there is none.
struct form {
  operation what;
  const char* c;  ///< in OpenCL C and CUDA C
  const char* glsl;
  const char* glsl_double;  ///< GLSL has few functions for double; sources define hocket_...
};

constexpr form forms[] = {
    {operation::negate, "-$0", "-$0", "-$0"},
    {operation::add, "$0 + $1", "$0 + $1", "$0 + $1"},
    {operation::subtract, "$0 - $1", "$0 - $1", "$0 - $1"},
    {operation::multiply, "$0 * $1", "$0 * $1", "$0 * $1"},
    {operation::divide, "$0 / $1", "$0 / $1", "$0 / $1"},
    {operation::remainder, "$0 % $1", "$0 % $1", ""},
    {operation::equal, "$0 == $1", "$0 == $1", ""},
    {operation::not_equal, "$0 != $1", "$0 != $1", ""},
    {operation::less, "$0 < $1", "$0 < $1", ""},
    {operation::less_equal, "$0 <= $1", "$0 <= $1", ""},
    {operation::both, "$0 && $1", "$0 && $1", ""},
    {operation::either, "$0 || $1", "$0 || $1", ""},
    {operation::invert, "!$0", "!$0", ""},
    {operation::select, "$0 ? $1 : $2", "$0 ? $1 : $2", "$0 ? $1 : $2"},
    {operation::exp, "exp($0)", "exp($0)", "hocket_exp($0)"},
    {operation::exp2, "exp2($0)", "exp2($0)", ""},
    {operation::log, "log($0)", "log($0)", "hocket_log($0)"},
    {operation::log2, "log2($0)", "log2($0)", ""},
    {operation::sqrt, "sqrt($0)", "sqrt($0)", "sqrt($0)"},
    {operation::absolute, "fabs($0)", "abs($0)", "abs($0)"},
    {operation::sin, "sin($0)", "sin($0)", ""},
    {operation::cos, "cos($0)", "cos($0)", ""},
    {operation::tan, "tan($0)", "tan($0)", ""},
    {operation::sinh, "sinh($0)", "sinh($0)", ""},
    {operation::cosh, "cosh($0)", "cosh($0)", ""},
    {operation::tanh, "tanh($0)", "tanh($0)", ""},
    {operation::asin, "asin($0)", "asin($0)", ""},
    {operation::acos, "acos($0)", "acos($0)", ""},
    {operation::atan, "atan($0)", "atan($0)", ""},
    {operation::floor, "floor($0)", "floor($0)", "floor($0)"},
    {operation::ceil, "ceil($0)", "ceil($0)", "ceil($0)"},
    {operation::trunc, "trunc($0)", "trunc($0)", "trunc($0)"},
    {operation::rint, "rint($0)", "roundEven($0)", "roundEven($0)"},
    {operation::pow, "pow($0, $1)", "pow($0, $1)", ""},
    {operation::fma, "fma($0, $1, $2)", "fma($0, $1, $2)", "fma($0, $1, $2)"},
    {operation::bit_and, "$0 & $1", "$0 & $1", ""},
    {operation::bit_or, "$0 | $1", "$0 | $1", ""},
    {operation::bit_xor, "$0 ^ $1", "$0 ^ $1", ""},
    {operation::bit_not, "~$0", "~$0", ""},
    {operation::shift_left, "$0 << $1", "$0 << $1", ""},
    {operation::shift_right, "$0 >> $1", "$0 >> $1", ""},
};

/// The part of the names of the conversions that programs define.
const char* name_in_conversions(element_type type) {
  switch (type) {
    case element_type::f16:
      return "F16";
    case element_type::bf16:
      return "BF16";
    case element_type::f8e4m3:
      return "F8E4M3";
    default:
      return "F8E5M2";
  }
}

/// Numbers in 8 and 16 bits are computed with as floats.
std::string conversion_form(expression_type from, element_type to) {
  const bool widens = from && is_computed_as_float(*from);
  std::string form = widens ? widened_text(*from, "$0") : "$0";
  if (is_computed_as_float(to)) {
    const bool is_float = widens || from == element_type::f32;
    return narrowed_text(to, is_float ? form : "AS(f32, " + form + ")");
  }
  return std::string("AS(") + type_name(to) + ", " + form + ")";
}

/// OpenCL C, CUDA C and HIP leave the overflow of signed integers undefined, and their compilers
/// draw conclusions from that. Their texts compute in the unsigned type, which wraps around as GLSL
/// does, and convert the result, which takes no instruction. Empty for what cannot overflow.
std::string wrapping_form(const expression_node& node) {
  if (node.type != element_type::i32 && node.type != element_type::i64) return "";
  const std::string bits = node.type == element_type::i32 ? "AS(u32, " : "AS(u64, ";
  const std::string first = bits + "$0)", second = bits + "$1)";
  const auto wrapped = [&](const std::string& form) {
    return std::string("AS(") + type_name(*node.type) + ", " + form + ")";
  };
  switch (node.what) {
    case operation::negate:
      return wrapped("-" + first);
    case operation::add:
      return wrapped(first + " + " + second);
    case operation::subtract:
      return wrapped(first + " - " + second);
    case operation::multiply:
      return wrapped(first + " * " + second);
    case operation::shift_left:
      return wrapped(first + " << $1");
    default:
      return "";
  }
}

std::string form_of(const expression_node& node, kernel_format format) {
  if (node.what == operation::convert) {
    return conversion_form(node.operands.front()->type, *node.type);
  }
  // The sign of GLSL's % differs from that of C.
  if (node.what == operation::remainder && is_signed_integer(*node.type)) {
    return "$0 - $0 / $1 * $1";
  }
  if (format != kernel_format::glsl) {
    if (const std::string wrapping = wrapping_form(node); !wrapping.empty()) return wrapping;
  }
  for (const form& each : forms) {
    if (each.what != node.what) continue;
    if (format != kernel_format::glsl) return each.c;
    return node.type == element_type::f64 ? each.glsl_double : each.glsl;
  }
  return "";
}

std::string filled(const std::string& form, const std::vector<std::string>& operands) {
  std::string text;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] == '$') {
      text += operands[static_cast<std::size_t>(form[++i] - '0')];
    } else {
      text += form[i];
    }
  }
  return text;
}

/// Gives each different node a name, in an order in which operands come before their users.
class renderer {
 public:
  renderer(const std::vector<std::string>& names, kernel_format format)
      : names_(names), format_(format) {}

  /// The name of a node's value; empty if it cannot be written.
  std::string name_of(const expression& wanted) {
    if (const auto found = done_.find(wanted.get()); found != done_.end()) return found->second;
    std::string name = make(*wanted);
    done_.emplace(wanted.get(), name);
    return name;
  }

  std::string statements;
  std::set<element_type> types;

 private:
  std::string make(const expression_node& node) {
    if (node.type) types.insert(*node.type);
    if (node.what == operation::index) return "i";
    if (node.what == operation::literal) {
      if (!node.type) return node.number != 0 ? "true" : "false";
      return literal_text(node.value, format_);
    }
    if (node.what == operation::parameter) return variable(node.type, names_[node.number]);
    std::vector<std::string> operands;
    for (const expression& operand : node.operands) {
      operands.push_back(name_of(operand));
      if (operands.back().empty()) return "";
    }
    const std::string form = form_of(node, format_);
    if (form.empty()) return "";
    return variable(node.type, filled(form, operands));
  }

  /// One variable for each different text.
  std::string variable(expression_type type, const std::string& text) {
    const std::string declared = std::string(type ? type_name(*type) : "bool");
    const auto [at, added] = variables_.emplace(declared + " " + text, "");
    if (added) {
      at->second = "v" + std::to_string(variables_.size() - 1);
      // Without `precise` a product and a sum may become one operation, which rounds once.
      const bool exact = format_ == kernel_format::glsl && type && is_real(*type);
      statements += (exact ? "precise " : "") + declared + " " + at->second + " = " + text + ";\n";
    }
    return at->second;
  }

  const std::vector<std::string>& names_;
  kernel_format format_;
  std::unordered_map<const expression_node*, std::string> done_;
  std::map<std::string, std::string> variables_;
};

}  // namespace

const char* type_name(element_type type) noexcept {
  switch (type) {
    case element_type::f32:
      return "f32";
    case element_type::f64:
      return "f64";
    case element_type::i8:
      return "i8";
    case element_type::u8:
      return "u8";
    case element_type::i16:
      return "i16";
    case element_type::u16:
      return "u16";
    case element_type::i32:
      return "i32";
    case element_type::u32:
      return "u32";
    case element_type::i64:
      return "i64";
    case element_type::u64:
      return "u64";
    case element_type::f16:
    case element_type::bf16:
      return "u16";
    case element_type::c64:
      return "c64";
    case element_type::c128:
      return "c128";
    case element_type::boolean:
    case element_type::f8e4m3:
    case element_type::f8e5m2:
      return "u8";
    case element_type::structures:
      break;
  }
  return "";
}

std::string widened_text(element_type from, const std::string& value) {
  return std::string(name_in_conversions(from)) + "_FLOAT(" + value + ")";
}

std::string narrowed_text(element_type to, const std::string& value) {
  return std::string("FLOAT_") + name_in_conversions(to) + "(" + value + ")";
}

std::string literal_text(const scalar_argument& value, kernel_format format) {
  const auto converted_int = [&](std::int32_t number) {
    return std::string("AS(") + type_name(value.type) + ", " + integer_text(number, "") + ")";
  };
  switch (value.type) {
    case element_type::f32:
      return real_text(value.as<float>(), "f", format);
    case element_type::f64:
      return real_text(value.as<double>(), format == kernel_format::glsl ? "lf" : "", format);
    case element_type::i8:
      return converted_int(value.as<std::int8_t>());
    case element_type::u8:
      return converted_int(value.as<std::uint8_t>());
    case element_type::i16:
      return converted_int(value.as<std::int16_t>());
    case element_type::u16:
      return converted_int(value.as<std::uint16_t>());
    case element_type::i32:
      return integer_text(value.as<std::int32_t>(), "");
    case element_type::u32:
      return shortest(value.as<std::uint32_t>()) + "u";
    case element_type::i64:
      return integer_text(value.as<std::int64_t>(), "l");
    case element_type::u64:
      return shortest(value.as<std::uint64_t>()) + "ul";
    case element_type::f16:
    case element_type::bf16:
      return converted_int(value.as<std::uint16_t>());
    case element_type::boolean:
    case element_type::f8e4m3:
    case element_type::f8e5m2:
      return converted_int(value.as<std::uint8_t>());
    case element_type::c64:
    case element_type::c128:
    case element_type::structures:
      break;
  }
  return "";
}

std::string read_text(element_type type, const std::string& name) {
  return type == element_type::boolean ? "(" + name + " != AS(u8, 0))" : name;
}

std::string written_text(element_type type, const std::string& value) {
  return type == element_type::boolean ? "AS(u8, " + value + ")" : value;
}

expression make_parameter(element_type type, std::size_t number) {
  const expression_type traced =
      type == element_type::boolean ? expression_type() : expression_type(type);
  return std::make_shared<expression_node>(
      expression_node{operation::parameter, traced, {}, number});
}

expression make_index() {
  return std::make_shared<expression_node>(expression_node{operation::index, element_type::u32});
}

expression make_literal(const scalar_argument& value) {
  return std::make_shared<expression_node>(
      expression_node{operation::literal, value.type, {}, 0, value});
}

expression make_truth(bool value) {
  return std::make_shared<expression_node>(
      expression_node{operation::literal, {}, {}, value ? std::size_t{1} : std::size_t{0}});
}

expression apply(operation what, expression_type type, std::vector<expression> operands) {
  return std::make_shared<expression_node>(expression_node{what, type, std::move(operands)});
}

expression converted(element_type type, expression value) {
  if (value->type == type) return value;
  if (type == element_type::boolean) {
    if (!value->type) return value;
    const element_type compared = computed_type(*value->type);
    return apply(operation::not_equal, {},
                 {converted(compared, std::move(value)), make_literal({compared})});
  }
  return apply(operation::convert, type, {std::move(value)});
}

std::optional<rendered_expressions> rendered(const std::vector<expression>& wanted,
                                             const std::vector<std::string>& names,
                                             kernel_format format) {
  renderer made(names, format);
  rendered_expressions all;
  for (const expression& each : wanted) {
    all.results.push_back(made.name_of(each));
    if (all.results.back().empty()) return std::nullopt;
  }
  all.statements = std::move(made.statements);
  all.types.assign(made.types.begin(), made.types.end());
  return all;
}

}  // namespace hocket::detail

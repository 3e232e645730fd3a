// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace standin {

/// The state space of a variable or of an access; `generic` addresses are those of all spaces.
enum class space : std::uint8_t { generic, global, constant, shared, local, param };

/// An element of an initialiser: a value, or the address of a symbol plus the value.
struct initial {
  std::uint64_t value = 0;
  std::string symbol;
};

struct variable {
  std::string name;
  space where = space::global;
  std::size_t alignment = 1;
  std::size_t bytes = 0;
  std::size_t element = 1;  ///< bytes of an element of the initialiser
  bool dynamic = false;     ///< its size is given at the launch
  std::vector<initial> content;
};

enum class term_kind : std::uint8_t {
  none,      ///< "_": a result that is not wanted
  reg,       ///< `index` is the number of the register in its function
  integer,   ///< `value`
  real,      ///< `value` has the bits, `bits` says how many
  variable,  ///< `index` is the number of the variable in its function
  symbol,    ///< `name`: a variable or function of the module, a label or a special register
  address,   ///< `parts[0]` plus `value`
  list,      ///< `parts`: a vector, or the arguments of a call
};

struct term {
  term_kind kind = term_kind::none;
  bool negated = false;
  unsigned bits = 0;
  std::uint32_t index = 0;
  std::uint64_t value = 0;
  std::string name;
  std::vector<term> parts;
};

struct statement {
  std::vector<std::string> opcode;  ///< its parts between the dots
  std::vector<term> operands;
  int guard = -1;  ///< the number of a predicate register, if any
  bool guard_negated = false;
  unsigned line = 0;
};

struct function_text {
  std::string name;
  bool entry = false;
  bool defined = false;
  unsigned registers = 0;
  std::vector<std::size_t> results;     ///< numbers of variables
  std::vector<std::size_t> parameters;  ///< numbers of variables
  std::vector<variable> variables;
  std::vector<statement> statements;
  std::map<std::string, std::size_t> labels;  ///< the number of the next statement
  std::map<std::string, std::vector<std::string>> branch_tables;
};

struct module_text {
  unsigned target = 0;  ///< 75 for sm_75
  std::vector<variable> variables;
  std::vector<function_text> functions;
};

/// Returns the bytes of a value of a PTX type such as "f32"; 0 for a predicate and for what is no
/// type.
std::size_t bytes_of_type(std::string_view type);

/// Reads PTX text. Throws a `failure` that names the line of what is not understood.
module_text parse_ptx(std::string_view source);

}  // namespace standin

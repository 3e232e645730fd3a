// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "modifiers.hpp"
#include "program.hpp"

namespace standin {

/// Names of a module's functions and variables.
struct module_names {
  const symbol_table& symbols;
  std::map<std::string, std::size_t> shared;  ///< offsets
  std::set<std::string> dynamic_shared;
  std::map<std::string, std::size_t> functions;
  std::set<std::string> undefined;
  std::size_t shared_bytes = 0;
};

/// Writes the instructions of one function.
class function_decoder {
 public:
  function_decoder(const function_text& text, const module_names& names);

  function_code run();

 private:
  using operands = std::vector<operand>;
  struct address {
    operand base;
    std::int64_t offset;
    space where;
  };

  [[noreturn]] void wrong(const std::string& what) const;
  void lay_out();
  void decode(const statement& s);
  bool decode_flow(const modifiers& m);
  bool decode_joint(const modifiers& m);
  void decode_access(const modifiers& m);
  void decode_atomic(const modifiers& m);
  void decode_generic(const modifiers& m);
  void decode_async_copy(const modifiers& m);
  void decode_move(const modifiers& m);
  void decode_comparison(modifiers m);
  void decode_set(modifiers m);
  operand compared_half(const modifiers& m, unsigned which, const operand& a, const operand& b);
  void decode_carry(const modifiers& m);
  void decode_barrier(const modifiers& m);
  void decode_call();
  void patch_branches();

  instruction& emit(const std::string& key, const operands& with);
  instruction& emit(const modifiers& m, const std::string& key, const operands& with);
  instruction& emit_step(step then, const operands& with);

  operand constant(std::uint64_t value);
  operand carry() {
    if (carry_.offset == 0) carry_ = fresh();
    return carry_;
  }
  operand fresh() { return {registers_++ * warp_lanes, area::registers}; }
  static operand special_register(special s) {
    return {static_cast<std::uint32_t>(s) * warp_lanes, area::specials};
  }
  operand value(const term& t);
  operand symbol(const std::string& name);
  operand result(const term& t);
  address address_of(const term& t, space where);
  operand with_offset(const address& a);
  std::uint32_t place_of(const term& t);
  const term& term_at(std::size_t n) const;
  [[nodiscard]] bool in_block(std::uint32_t variable) const;

  const function_text& text_;
  const module_names& names_;
  const statement* now_ = nullptr;
  function_code code_;
  std::uint32_t registers_;
  operand carry_{};  ///< the register of the carry, once an instruction has used it
  std::vector<std::uint32_t> places_;  ///< of variables, in their space
  std::map<std::uint64_t, std::uint32_t> constants_;
  std::vector<std::uint32_t> starts_;  ///< the first instruction of each statement
  std::vector<std::pair<std::size_t, std::string>> branches_;
  std::vector<std::string> tables_;
};

}  // namespace standin

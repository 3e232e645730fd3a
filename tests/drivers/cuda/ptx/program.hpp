// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "syntax.hpp"

namespace standin {

class warp;
struct instruction;

constexpr unsigned warp_lanes = 32;
/// A bit for each lane of a warp.
using lane_mask = std::uint32_t;
/// Executes an instruction for the lanes of the mask.
using handler = void (*)(warp&, const instruction&, lane_mask);

/// Where an operand is: a register holds 32 values of 64 bits, one for each lane.
enum class area : std::uint8_t { registers, constants, specials };

struct operand {
  std::uint32_t offset = 0;  ///< of the value of lane 0 in its area
  area where = area::registers;
};

/// How the run of a warp goes on after an instruction.
enum class step : std::uint8_t { plain, branch, table, call, leave, exit, barrier, collective };

enum class rounding : std::uint8_t { nearest, zero, down, up };

/// The special registers, in the order of their slots.
enum class special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_smem_size,
  total_smem_size,
  smid,
  nsmid,
  gridid,
  dynamic_shared,  ///< where the shared memory begins that the launch adds
  local_frame,     ///< where the local memory of the function begins
  count
};

struct instruction {
  handler run = nullptr;
  step then = step::plain;
  bool guard_negated = false;
  bool flushes = false;    ///< subnormal numbers are zero
  bool saturates = false;  ///< results are in [0, 1], or in the range of an integer
  bool integral = false;   ///< a conversion rounds to a whole number
  rounding round = rounding::nearest;
  space where = space::generic;
  std::uint8_t width = 1;  ///< elements of a vector that is loaded or stored
  std::uint8_t operands = 0;
  int guard = -1;  ///< offset of a predicate register, if any
  std::array<operand, 6> with{};
  std::int64_t offset = 0;   ///< added to an address
  std::uint32_t target = 0;  ///< an instruction, a function or a table of branches
  std::uint32_t call = 0;    ///< of a call: which of the program's calls
  unsigned line = 0;
};

/// Bytes that a call copies between the frames of its caller and its function.
struct passed {
  std::uint32_t caller = 0, callee = 0, bytes = 0;
};

struct call_site {
  std::vector<std::uint32_t> arguments;  ///< offsets in the local memory of the caller
  std::vector<std::uint32_t> results;
  bool indirect = false;
};

struct function_code {
  std::string name;
  bool entry = false;
  std::vector<instruction> code;
  std::vector<std::uint64_t> constants;
  std::vector<std::vector<std::uint32_t>> tables;
  std::vector<call_site> calls;
  std::size_t registers = 0;
  std::size_t local_bytes = 0;
  std::size_t shared_bytes = 0;  ///< without what a launch adds
  std::size_t parameter_bytes = 0;
  std::vector<passed> parameters;  ///< `callee` and `bytes`: where they are in local memory or, of
                                   ///< an entry, in its block
  std::vector<passed> results;
};

/// The code of a module.
struct program {
  std::vector<function_code> functions;
  bool has_calls = false;

  [[nodiscard]] const function_code* find_entry(const std::string& name) const {
    for (const function_code& f : functions) {
      if (f.entry && f.name == name) return &f;
    }
    return nullptr;
  }
};

/// Addresses of functions as kernels see them.
constexpr std::uint64_t function_window = std::uint64_t{0x74} << 56U;
/// Where generic addresses of the other spaces begin.
constexpr std::uint64_t shared_window = std::uint64_t{0x71} << 56U;
constexpr std::uint64_t local_window = std::uint64_t{0x72} << 56U;
constexpr std::uint64_t param_window = std::uint64_t{0x73} << 56U;

/// Addresses of the global and constant variables of a module, by name.
using symbol_table = std::map<std::string, std::uint64_t>;

/// Turns a module into instructions. Throws a `failure` that names the line of what it does not
/// know.
program decode(const module_text& text, const symbol_table& symbols);

/// The address of a function whose number in the program is `index`.
constexpr std::uint64_t address_of_function(std::size_t index) {
  return function_window + index * 16;
}

}  // namespace standin

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <string>
#include <vector>

#include "program.hpp"

namespace standin {

/// The parts of an opcode by what they mean.
struct modifiers {
  std::string name;  ///< the first part
  std::vector<std::string>
      rest;  ///< parts that are in names of operations; types of bits as unsigned ones
  space where = space::generic;
  rounding round = rounding::nearest;
  bool integral = false, flushes = false, saturates = false;
  unsigned width = 1;

  /// The name of the operation in the table.
  [[nodiscard]] std::string key() const;
  [[nodiscard]] const std::string& type() const { return rest.back(); }
  [[nodiscard]] bool has(const std::string& part) const;
};

modifiers read_modifiers(const std::vector<std::string>& opcode);

}  // namespace standin

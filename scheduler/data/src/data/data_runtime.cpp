// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/data_runtime.hpp"

namespace hocket::detail {

namespace {

std::uint64_t next_runtime_number() noexcept {
  static std::atomic<std::uint64_t> made{0};
  return made.fetch_add(1) + 1;
}

}  // namespace

data_runtime::data_runtime() noexcept : number_(next_runtime_number()) {}

}  // namespace hocket::detail

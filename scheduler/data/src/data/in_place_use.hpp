// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/scheduler/detail/buffer_state.hpp>

namespace hocket::detail {

/// One access of a node to a region of a buffer.
struct in_place_use {
  in_place_use() = default;
  in_place_use(const buffer_ref& of, access_mode by) : data(of), mode(by) {}
  in_place_use(const buffer_ref& of, const box* where, access_mode by)
      : data(of), part(where), mode(by) {}

  buffer_ref data;
  const box* part = nullptr;  ///< null: all of it; else it lives as long as the node
  access_mode mode = access_mode::read;

  [[nodiscard]] const box& where() const noexcept {
    return part != nullptr ? *part : data->whole();
  }
  [[nodiscard]] bool empty() const noexcept {
    return part != nullptr ? part->empty() : data->bytes() == 0;
  }
};

}  // namespace hocket::detail

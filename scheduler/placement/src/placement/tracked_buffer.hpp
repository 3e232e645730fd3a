// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>

#include <hocket/core/shape.hpp>
#include <hocket/memory/coherence.hpp>

#include "data/access_history.hpp"

namespace hocket::placement {

using task_accesses = detail::access_history<task_id>;

/// What the placement engine knows of one buffer beside its content.
struct tracked_buffer {
  std::string label;
  box all;
  std::size_t element_size = 0;
  task_accesses history;
  std::uint64_t last_use = 0;
  buffer_state* where = nullptr;  ///< its content
};

}  // namespace hocket::placement

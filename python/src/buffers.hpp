// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>

#include <hocket/scheduler/detail/buffer_state.hpp>

#include "runtimes.hpp"

namespace hocket::python {

/// What hocket.Buffer stands for: a region of a buffer, whose elements have a dtype of numpy.
struct array_buffer {
  open_runtime_ref home;
  detail::region_ref what;

  [[nodiscard]] const detail::buffer_state& data() const noexcept { return *what.data; }
};

/// "read", "write" or "update".
[[nodiscard]] access_mode mode_named(const std::string& name);

}  // namespace hocket::python

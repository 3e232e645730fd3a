// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>

#include <hocket/core/duration.hpp>
#include <hocket/execution/executor.hpp>
#include <hocket/scheduler/task_label.hpp>

namespace hocket::detail {

/// How a host task is to be run.
struct host_options {
  task_label label = {};
  int priority = 0;
  std::stop_token stop = {};
  std::optional<std::size_t> arena = {};    ///< else the context says
  executor* via = nullptr;                  ///< else that of the context
  time_stamp deadline = time_stamp::max();  ///< cancelled if it has not begun by then
  bool cheap = false;    ///< run it where its last predecessor ends, without posting
  bool gathers = false;  ///< fail with what the first failed predecessor failed with
};

}  // namespace hocket::detail

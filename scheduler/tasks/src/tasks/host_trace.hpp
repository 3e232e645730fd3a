// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include <oneapi/tbb/enumerable_thread_specific.h>

#include <hocket/execution/executor.hpp>
#include <hocket/scheduler/report.hpp>
#include <hocket/scheduler/task_label.hpp>

#include "tasks/span_ring.hpp"

namespace hocket::detail {

/// When host tasks ran: a ring for each thread that ran one, so that writers do not meet.
class host_trace {
 public:
  /// The capacity is that of each thread. Memory is taken as spans come.
  host_trace(std::size_t capacity, const executor& clock);

  /// Any thread. From begin, which is what ticks() of the executor was, until now.
  void push(const task_label& label, std::int64_t begin) noexcept;

  /// Appends the spans, each on the first stream where it meets no other. Any time, any thread.
  void add_to(trace_snapshot& trace) const;

 private:
  using ring = span_ring<>;

  [[nodiscard]] ring* make_ring();

  const std::size_t capacity_;
  const executor& clock_;
  mutable std::mutex guard_;  // for rings_
  std::deque<ring> rings_;
  oneapi::tbb::enumerable_thread_specific<ring*> own_;
};

}  // namespace hocket::detail

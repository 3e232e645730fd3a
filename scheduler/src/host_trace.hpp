// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include <oneapi/tbb/enumerable_thread_specific.h>
#include <boost/circular_buffer.hpp>

#include <hocket/core/duration.hpp>
#include <hocket/scheduler/report.hpp>
#include <hocket/scheduler/task_label.hpp>

namespace hocket::detail {

/// When host tasks ran: a ring for each thread that ran one, so that writers do not meet.
class host_trace {
 public:
  struct span {
    task_label label;
    time_stamp begin{};
    time_stamp end{};
  };

  /// The capacity is that of each thread; 0 keeps nothing. Memory is taken as spans come.
  explicit host_trace(std::size_t capacity);

  /// Any thread. Without memory for the span it counts as dropped.
  void push(const span& ran) noexcept;

  /// Appends the spans, each on the first stream where it meets no other. Any time, any thread.
  void add_to(trace_snapshot& trace) const;

 private:
  struct ring {
    explicit ring(std::size_t capacity) : spans(capacity) {}
    mutable std::mutex guard;
    boost::circular_buffer_space_optimized<span> spans;
    std::uint64_t dropped = 0;
  };

  [[nodiscard]] ring* make_ring();

  std::size_t capacity_;
  mutable std::mutex guard_;  // for rings_
  std::deque<ring> rings_;
  oneapi::tbb::enumerable_thread_specific<ring*> own_;
};

}  // namespace hocket::detail

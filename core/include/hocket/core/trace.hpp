// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/core/duration.hpp>
#include <hocket/core/ids.hpp>

namespace hocket {

enum class trace_kind : std::uint8_t {
  kernel,
  host_task,
  transfer,
  compilation,  ///< of the kernel of a task, which runs elsewhere meanwhile
  wait,         ///< a stream stood still, although the command that came next was already wanted
  mark
};

/// One span of the timeline, as it is kept in the ring: 80 bytes, no allocation.
struct trace_record {
  trace_kind kind = trace_kind::mark;
  device_id device;
  stream_id stream;
  task_id task;            ///< the task that ran, or that a transfer is for
  task_id cause;           ///< the task whose end this one waited for last; none if there is none
  std::uint32_t name = 0;  ///< from trace_names::intern
  std::uint64_t bytes = 0;
  time_stamp begin{};
  time_stamp end{};
};

/// Names that records refer to. Thread-safe; a name is stored once.
class trace_names {
 public:
  trace_names();
  ~trace_names();
  [[nodiscard]] std::uint32_t intern(std::string_view name);
  [[nodiscard]] std::string name(std::uint32_t id) const;

 private:
  struct content;
  std::unique_ptr<content> content_;
};

/// A ring of the last records, one writer at a time, read after the writers are quiet. When it is
/// full the oldest records are overwritten and counted in dropped().
class trace_ring {
 public:
  /// capacity is rounded up to a power of two; 0 keeps nothing.
  explicit trace_ring(std::size_t capacity);

  /// False if what is pushed is lost at once.
  [[nodiscard]] bool keeps() const noexcept { return !records_.empty(); }

  void push(const trace_record& record) noexcept {
    if (records_.empty()) return;
    records_[written_ & (records_.size() - 1)] = record;
    ++written_;
  }

  /// Oldest first.
  [[nodiscard]] std::vector<trace_record> snapshot() const;
  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return written_ > records_.size() ? written_ - records_.size() : 0;
  }

 private:
  std::vector<trace_record> records_;
  std::uint64_t written_ = 0;
};

}  // namespace hocket

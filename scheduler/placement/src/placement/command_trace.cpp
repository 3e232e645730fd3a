// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/command_trace.hpp"

#include <algorithm>
#include <utility>

namespace hocket::placement {

command_trace::command_trace(const machine& machine, std::size_t capacity)
    : machine_(machine), records_(capacity), last_end_(machine.streams.size()) {}

void command_trace::write(const command_record& record, const command_result& how,
                          const placed_task* of) {
  trace_record made;
  made.kind = record.copy == nullptr ? trace_kind::kernel : trace_kind::transfer;
  if (of != nullptr && of->is_preparation) made.kind = trace_kind::compilation;
  const auto device = machine_.streams[record.number.stream.value].device;
  if (device) made.device = *device;
  made.stream = record.number.stream;
  made.task = record.task;
  if (of != nullptr) {
    if (of->traced != nullptr) made.cause = of->traced->cause;
    made.name = of->trace_name;
  }
  if (record.copy != nullptr) made.bytes = record.copy->bytes;
  made.begin = how.begin;
  made.end = how.end;
  write_wait(made, record.wanted);
  records_.push(made);
}

void command_trace::write_wait(const trace_record& ended, time_stamp wanted) {
  // Shorter gaps are the overhead of a stream between two commands.
  constexpr nanoseconds shortest{1000};
  const time_stamp last = std::exchange(last_end_[ended.stream.value], ended.end);
  trace_record gap = ended;
  gap.kind = trace_kind::wait;
  gap.bytes = 0;
  gap.begin = std::max(last, wanted);
  gap.end = ended.begin;
  if (gap.end - gap.begin >= shortest) records_.push(gap);
}

}  // namespace hocket::placement

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/command_retries.hpp"

#include <chrono>

namespace hocket::placement {

namespace {

// The first attempt after a failure is made at once, each one after that waits eight times as long.
constexpr nanoseconds first_wait = std::chrono::milliseconds(1);

}  // namespace

void command_retries::command_ended(const command_record& record, const command_result& how) {
  if (!s_.log.is_on()) return;
  const stream_id stream = record.number.stream;
  if (!how.why) return s_.retries.command_succeeded(stream);
  const auto device = s_.nodes.streams[stream.value].device;
  if (!device || !s_.devices[device->value].alive) return;
  if (is_lost_device(how.why)) return recovery_.expect_loss(how.why);
  if (retry_table::may_pass(how.why)) command_failed(record, *device, how.why);
}

void command_retries::command_failed(const command_record& record, device_id device,
                                     const failure& why) {
  if (!s_.nodes.devices[device.value].runs_host_tasks &&
      s_.retries.command_failed(record.number.stream)) {
    give_up(device, why);
  }
  placed_task* const t = s_.tasks.find(record.task);
  const bool is_launch = record.launched != nullptr;
  if (is_launch && record.launched->host_only) return;
  if (t != nullptr && (t->poisoned || !note(*t, device, why))) return;
  ++s_.losses.counts.retried;
  recovery_.repeat(is_launch ? t : nullptr, t != nullptr && t->is_recovery, why);
}

bool command_retries::note(const placed_task& t, device_id device, const failure& why) {
  const task_id task = s_.original_of(t);
  const bool is_again = s_.retries.failed(task, device, why);
  if (why.code() == failure_code::compile_failed) refuse_kernel(t, device);
  const std::size_t failures = s_.retries.failures(task);
  if (is_again && failures > 1 && !is_waiting_) {
    is_waiting_ = true;
    s_.work.actions().emplace_back(await_time{first_wait * (1LL << (3 * (failures - 2)))});
  }
  return is_again;
}

/// No later task with that kernel is placed there, unless there is no other device for it.
void command_retries::refuse_kernel(const placed_task& t, device_id device) {
  if (t.kind != task_kind::launch) return;
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    const device_id other{i};
    if (other == device || !s_.view.can_run(t, other)) continue;
    s_.devices[device.value].refuses.insert(t.launch->kernel->name);
    return s_.costs.note_change();
  }
}

void command_retries::give_up(device_id device, const failure& why) {
  const failure lost(
      failure_code::device_lost,
      s_.nodes.devices[device.value].label_text() +
          " is not used any more, because its commands fail one after another: " + why.message());
  recovery_.expect_loss(lost);
  s_.work.actions().emplace_back(give_up_device{device, lost});
}

}  // namespace hocket::placement

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/command_retries.hpp"

#include <algorithm>
#include <chrono>

#include "placement/kernel_trials.hpp"

namespace hocket::placement {

namespace {

// The first attempt after a failure is made at once, those after the second one wait, each eight
// times as long as the one before.
constexpr nanoseconds first_wait = std::chrono::milliseconds(1);
constexpr std::size_t longest_wait = 3;  // as a power of eight

// Drivers tell of a loss at about the time at which commands fail for it.
constexpr nanoseconds longest_silence = std::chrono::seconds(1);

/// The copy was made and compared several times: no later one can be trusted.
bool is_corrupting_link(const failure& why) {
  return why.code() == failure_code::data_corrupted && !why.thrown();
}

}  // namespace

void command_retries::command_ended(const command_record& record, const command_result& how) {
  if (!s_.log.is_on()) return;
  const stream_id stream = record.number.stream;
  if (!how.why) {
    s_.retries.command_succeeded(stream);
    if (record.copy != nullptr) s_.retries.forget(retry_table::of_buffer(record.copy->data));
    // Others end with their launch. With them end the attempts of the copies that they needed.
    const placed_task* const t = record.launched;
    if (t != nullptr && t->is_recovery && !t->poisoned) s_.retries.forget(s_.original_of(*t));
    if (s_.quarantined > 0 && record.launched != nullptr) launch_succeeded(record);
    return;
  }
  const auto device = s_.nodes.streams[stream.value].device;
  if (!device || !s_.devices[device->value].alive()) return;
  if (is_lost_device(how.why)) {
    if (!recovery_.expect_loss(how.why)) return;
    suspect_ = *device;
    s_.work.actions().emplace_back(await_time{timed_part::loss, longest_silence});
  } else if (is_corrupting_link(how.why) && !s_.nodes.devices[device->value].runs_host_tasks) {
    quarantine_.give_up(*device, how.why);
  } else if (retry_table::may_pass(how.why)) {
    command_failed(record, *device, how.why);
  }
}

void command_retries::launch_succeeded(const command_record& record) {
  const auto device = s_.nodes.streams[record.number.stream.value].device;
  if (s_.devices[device->value].state != device_state::quarantined) return;
  quarantine_.launch_succeeded(*device, *record.launched);
}

void command_retries::loss_not_told() {
  if (!recovery_.is_expecting() || !suspect_.valid()) return;
  s_.work.actions().emplace_back(give_up_device{
      suspect_, failure(failure_code::device_lost,
                        s_.nodes.devices[suspect_.value].label_text() +
                            " is not used any more, because a command has said that it is lost.")});
}

void command_retries::command_failed(const command_record& record, device_id device,
                                     const failure& why) {
  placed_task* const t = record.launched;
  if (t == nullptr) {
    copy_failed(record, why);
  } else if ((!t->host_only || t->is_recovery) && !t->poisoned && !s_.losses.is_affected(*t)) {
    launch_failed(*t, device, why);
  }
  // The other codes say nothing of the device as a whole.
  if (why.code() != failure_code::task_failed) return;
  if (s_.nodes.devices[device.value].runs_host_tasks) return;
  if (s_.devices[device.value].state == device_state::quarantined) {
    return quarantine_.command_failed(device, t, record, why);
  }
  const void* const what = t == nullptr ? nullptr : t->launch->kernel.get();
  if (!s_.retries.command_failed(record.number.stream, what)) return;
  s_.retries.command_succeeded(record.number.stream);
  quarantine_.begin(device, why);
}

void command_retries::launch_failed(placed_task& t, device_id device, const failure& why) {
  if (why.code() == failure_code::compile_failed) {
    (void)refuse_kernel(s_, t, device, why);
  }
  if (note(s_.original_of(t), device, why)) recovery_.repeat(&t, why);
}

/// The tasks that were to read the copy are found and torn when its content is poisoned.
void command_retries::copy_failed(const command_record& record, const failure& why) {
  const placed_task* const t = s_.tasks.find(record.task);
  const bool is_for_task = t != nullptr && !t->poisoned;
  // No device is to blame: the copy may have been meant for another one.
  const task_id what = is_for_task ? s_.original_of(*t) : retry_table::of_buffer(record.copy->data);
  if (note(what, device_id{}, why)) recovery_.repeat(nullptr, why);
}

bool command_retries::note(task_id what, device_id device, const failure& why) {
  if (!s_.retries.failed(what, device, why) || recovery_.is_going_round()) return false;
  ++s_.losses.counts.retried;
  const std::size_t failures = s_.retries.failures(what);
  if (failures > 1 && !is_waiting_) {
    is_waiting_ = true;
    const std::size_t power = std::min(failures - 2, longest_wait);
    s_.work.actions().emplace_back(
        await_time{timed_part::retry, first_wait * (std::int64_t{1} << (3 * power))});
  }
  return true;
}

}  // namespace hocket::placement

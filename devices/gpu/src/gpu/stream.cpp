// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/stream.hpp"

#include <utility>

#include "gpu/errors.hpp"

namespace hocket::gpu {

queue_stream::queue_stream(const stream_parts& parts, handle<stream_handle> made, event_ref start,
                           executor& where, stream_id id)
    : driver_stream(parts.in->domain(), where, parts.epoch, id),
      in_(parts.in),
      device_(parts.device),
      stream_(std::move(made)),
      launcher_(parts.in, parts.limits, parts.device),
      completions_(parts.in, std::move(start), where, parts.device,
                   [this](std::uint64_t first, std::span<command_result> how) {
                     ended_or_lost(first, how);
                   }) {}

queue_stream::~queue_stream() {
  close();
  staging_.reset();
  if (in_->driver().gone) {
    launcher_.close();
    return;
  }
  const current in(*in_);
  // After a loss functions of the host may still run.
  (void)in_->driver().stream_synchronize(stream_.get());
  launcher_.close();
  stream_ = {};
}

bool queue_stream::prepared(const command& what) {
  if (what.launch() != nullptr) return launcher_.prepared(what);
  const auto& copy = std::get<copy_command>(what.what);
  if (in_->pins().should_pin(copy.from) || in_->pins().should_pin(copy.to)) return false;
  return staging_ != nullptr || !needs_staging(copy);
}

failure queue_stream::prepare(const command& what) {
  failure why =
      what.launch() != nullptr ? launcher_.prepare() : prepare(std::get<copy_command>(what.what));
  if (why.code() == failure_code::device_lost) lose(why);
  return why;
}

failure queue_stream::prepare(const copy_command& what) {
  for (const allocation& end : {what.from, what.to}) {
    if (in_->pins().should_pin(end)) in_->pins().pin(in_, end);
  }
  return staging_ != nullptr || !needs_staging(what) ? failure() : make_staging();
}

failure queue_stream::make_staging() {
  const current in(*in_);
  if (in.why() != success) return failure_of(in_->driver(), in.why(), device_, "to take a command");
  auto made = staging::make(in_, device_);
  if (!made) return made.error();
  staging_ = std::move(made).value();
  return {};
}

failure queue_stream::enqueue(const command& what, std::span<const device_wait> waits) {
  const current in(*in_);
  enqueued made;
  const time_stamp now = where().now();
  if (in.why() != success) return failure_of(in_->driver(), in.why(), device_, "to take a command");
  if (failure why = begin(waits, made)) return why;
  made.why = what.launch() != nullptr
                 ? launcher_.enqueue(stream_.get())
                 : copy(std::get<copy_command>(what.what), made, waits.empty());
  const code answer = in_->driver().event_record(made.end.get(), stream_.get());
  if (answer != success) {
    // Blocks, because the stream may still use the memory.
    (void)in_->driver().stream_synchronize(stream_.get());
    in_->cancel(made.used);
    failure end = failure_of(in_->driver(), answer, device_, "to take a command");
    // A library does not say that the device is lost.
    return !made.why || end.code() == failure_code::device_lost ? end : made.why;
  }
  completions_.add(what.value, std::move(made), now);
  return {};
}

/// Lets the stream wait, and notes when the command begins.
failure queue_stream::begin(std::span<const device_wait> waits, enqueued& made) {
  const api& driver = in_->driver();
  for (const device_wait& w : waits) {
    // All streams of the domain are of this class.
    const auto* const on = static_cast<const queue_stream*>(w.on);
    const event_ref event = on->completions_.last_event(w.value);
    if (event == nullptr) continue;
    const code answer = driver.stream_wait(stream_.get(), event.get(), 0);
    if (answer == success) continue;
    const failure why =
        failure_of(in_->driver(), answer, device_, "to wait for device " + on->device_);
    // The code may be that of the other device's context, which has failed; this one has not.
    return on->in_ == in_ ? why : failure(failure_code::task_failed, why.message());
  }
  code answer = success;
  made.end = in_->events().take(answer);
  // A command right behind another begins with its end, which saves an event between the two.
  if (waits.empty()) made.begin = completions_.last_event(UINT64_MAX);
  if (answer == success && made.begin == nullptr) {
    made.begin = in_->events().take(answer);
    if (answer == success) answer = driver.event_record(made.begin.get(), stream_.get());
  }
  return answer == success ? failure()
                           : failure_of(in_->driver(), answer, device_, "to take a command");
}

/// is_ready: nothing that the device waits for comes before it.
failure queue_stream::copy(const copy_command& what, enqueued& made, bool is_ready) {
  if (what.region.empty()) return {};
  const auto end_of = [&](const allocation& where) -> slab_end {
    const context_handle owner = in_->addresses().context_of(where);
    if (owner == nullptr) return {0, nullptr, static_cast<std::byte*>(where.address())};
    return {address_of(where), owner, nullptr};
  };
  const slab_end from = end_of(what.from), to = end_of(what.to);
  code answer = success;
  if (staging_ != nullptr && needs_staging(what)) {
    const bool to_host = to.context == nullptr;
    in_->pins().note_copy(to_host ? what.to : what.from);
    answer = staging_->enqueue({stream_.get(), made.begin, to_host ? to.host : from.host,
                                to_host ? from.device : to.device, to_host, is_ready,
                                slabs_up_to(what, staging::chunk_bytes)},
                               made.used);
  } else {
    for_each_slab(what, [&](const copy_slab& part) {
      answer = copy_in_stream(in_->driver(), stream_.get(), part, from, to);
      return answer == success;
    });
  }
  if (answer == success) return {};
  return failure_of(in_->driver(), answer, device_,
                    "to copy " + std::to_string(what.bytes) + " bytes");
}

bool queue_stream::needs_staging(const copy_command& what) const {
  if (what.region.empty()) return false;
  const auto is_pageable = [&](const allocation& where) {
    return in_->addresses().context_of(where) == nullptr && !is_pinned(where);
  };
  return is_pageable(what.from) || is_pageable(what.to);
}

/// True if the driver copies from and to it without the host.
bool queue_stream::is_pinned(const allocation& host) const {
  if (const auto known = in_->pins().is_pinned(host)) return *known;
  const current in(*in_);
  if (in.why() != success || host.bytes == 0) return false;
  for (const std::size_t offset : {std::size_t{0}, host.bytes - 1}) {
    if (!in_->driver().is_pinned(static_cast<std::byte*>(host.address()) + offset)) return false;
  }
  return true;
}

}  // namespace hocket::gpu

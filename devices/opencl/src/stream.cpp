// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "stream.hpp"

#include "copy.hpp"
#include "errors.hpp"

namespace hocket::opencl {

namespace {

// A command of so many launches is worth a gate of its own.
constexpr std::size_t several = 4;

}  // namespace

queue_stream::queue_stream(const stream_parts& parts, handle<cl_command_queue> queue,
                           executor& where, stream_id id, bool outbound)
    : driver_stream(parts.in->domain(), where, parts.epoch, id),
      context_(parts.in),
      device_(parts.device),
      host_memory_(parts.host_memory),
      outbound_(outbound),
      on_host_cores_(parts.style == device_style::cpu_compiler),
      queue_(std::move(queue)),
      gate_(*parts.in),
      launcher_(parts.in, parts.id, parts.device, parts.style, parts.host_memory),
      completions_(parts.in, parts.clock, where, parts.device,
                   [this](std::uint64_t first, std::span<command_result> how) {
                     ended_or_lost(first, how);
                   }) {}

queue_stream::~queue_stream() { close(); }

void queue_stream::flush() {
  gate_.open();
  // Without it another queue that waits for this one may wait for ever.
  (void)context_->cl().clFlush(queue_.get());
}

bool queue_stream::prepared(const command& what) {
  return what.launch() == nullptr || launcher_.prepared(what);
}

failure queue_stream::prepare(const command& /*what*/) { return launcher_.prepare(); }

bool queue_stream::starts_early(const command& what, const driver_stream& other) const {
  // All streams of the domain are of this class.
  const auto& on = static_cast<const queue_stream&>(other);
  const auto* const copy = std::get_if<copy_command>(&what.what);
  return copy != nullptr && on.ends_are_awaited() && !context_->buffers().owns(copy->from.chunk);
}

failure queue_stream::enqueue(const command& what, std::span<const device_wait> waits) {
  // The events stay until the driver has taken them.
  std::vector<std::shared_ptr<const handle<cl_event>>> kept;
  std::vector<cl_event> events;
  for (const device_wait& w : waits) {
    // All streams of the domain are of this class.
    const auto* const on = static_cast<const queue_stream*>(w.on);
    if (auto event = on->completions_.last_event(w.value)) {
      events.push_back(event->get());
      kept.push_back(std::move(event));
    }
  }
  const bool launch = what.launch() != nullptr;
  const bool gated = launch && on_host_cores_ && (is_batching() || launcher_.parts() >= several);
  if (gated && !gate_.is_closed()) {
    gate_.close();
    if (gate_.is_closed()) events.push_back(gate_.event());
  }
  const time_stamp now = where().now();
  enqueued made;
  if (launch) {
    made = launcher_.enqueue(queue_.get(), events, gate_);
  } else {
    made = copy(std::get<copy_command>(what.what), events);
  }
  if (!made.last && !made.why) made = mark(events);
  if (!made.last) return made.why;
  // From here on the driver has something of the command, whatever went wrong with the rest.
  completions_.add(what.value, std::move(made), now);
  return {};
}

enqueued queue_stream::copy(const copy_command& what, std::span<const cl_event> waits) {
  if (what.region.empty()) return {};
  buffer_table& buffers = context_->buffers();
  enqueued refused;
  const auto end_of = [&](const allocation& where, bool on_device) -> copy_end {
    if (!on_device) return {nullptr, static_cast<std::byte*>(where.address())};
    auto buffer = buffers.use(where, host_memory_, device_);
    if (!buffer) {
      refused.why = buffer.error();
      return {};
    }
    return {buffer.value(), nullptr};
  };
  const copy_end from = end_of(what.from, host_memory_ ? outbound_ : buffers.owns(what.from.chunk));
  const copy_end to = end_of(what.to, host_memory_ ? !outbound_ : buffers.owns(what.to.chunk));
  if (refused.why) return refused;
  return enqueue_copy(context_->cl(), queue_.get(), what, from, to, waits, device_);
}

enqueued queue_stream::mark(std::span<const cl_event> waits) {
  enqueued made;
  cl_event event = nullptr;
  const cl_int code =
      context_->cl().clEnqueueMarkerWithWaitList(queue_.get(), static_cast<cl_uint>(waits.size()),
                                                 waits.empty() ? nullptr : waits.data(), &event);
  if (code == CL_SUCCESS) {
    made.last = handle<cl_event>(context_->cl(), event);
  } else {
    made.why = failure_of(code, device_, "to take a command");
  }
  return made;
}

}  // namespace hocket::opencl

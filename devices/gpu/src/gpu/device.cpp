// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/device.hpp"

#include <utility>

#include <hocket/devices/driver_device.hpp>

#include "gpu/errors.hpp"
#include "gpu/stream.hpp"

namespace hocket::gpu {

namespace {

/// A stream, and an event that is recorded in it before anything else.
struct started_stream {
  handle<stream_handle> stream;
  event_ref start;
};

result<started_stream> start_stream(context& in, const std::string& device) {
  const api& driver = in.driver();
  started_stream made;
  stream_handle stream = nullptr;
  code answer = driver.stream_create(&stream, stream_non_blocking);
  if (answer != success) return failure_of(driver, answer, device, "to make a stream");
  made.stream = handle<stream_handle>(driver, stream);
  made.start = in.events().take(answer);
  if (answer == success) answer = driver.event_record(made.start.get(), stream);
  if (answer != success) return failure_of(driver, answer, device, "to make a stream");
  return made;
}

}  // namespace

result<std::unique_ptr<device>> connect_device(const device_info& info, const launch_limits& limits,
                                               const context_place& at,
                                               const device_numbers& numbers, executor& where,
                                               completion_sink& sink) {
  auto opened = context::open(at, info.name);
  if (!opened) return opened.error();
  const std::shared_ptr<context> in = std::move(opened).value();
  const current now(*in);
  if (now.why() != success) return failure_of(in->driver(), now.why(), info.name, "to start");
  const stream_parts parts{in, std::make_shared<host_epoch>(numbers.device, sink), limits,
                           info.name};
  failure why;
  const auto stream_of = [&](stream_id id) -> std::unique_ptr<driver_stream> {
    if (why) return nullptr;
    auto started = start_stream(*in, info.name);
    if (!started) {
      why = started.error();
      return nullptr;
    }
    return std::make_unique<queue_stream>(parts, std::move(started.value().stream),
                                          std::move(started.value().start), where, id);
  };
  driver_device_parts made;
  made.info = info;
  made.context = in;
  const auto uses = std::make_shared<pinned_blocks::user>(in->pins(), in);
  made.remember = [in, uses](const allocation& host) { in->pins().remember(host); };
  made.forget = [in, uses](const allocation& host) { in->pins().forget(host); };
  made.leave = [in] { in->driver().gone = true; };
  made.compute = stream_of(numbers.compute.front());
  made.inbound = stream_of(numbers.inbound);
  made.outbound = stream_of(numbers.outbound);
  if (why) {
    for (const auto* each : {&made.compute, &made.inbound}) {
      if (*each != nullptr) (*each)->close();
    }
    return why;
  }
  made.memory = std::make_unique<device_memory>(
      *in, info, [lane = made.compute.get()](const failure& lost) { lane->lose(lost); });
  return std::unique_ptr<device>(std::make_unique<driver_device>(std::move(made)));
}

}  // namespace hocket::gpu

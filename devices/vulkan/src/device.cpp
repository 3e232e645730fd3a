// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "device.hpp"

#include <hocket/devices/driver_device.hpp>

#include "staging.hpp"
#include "stream.hpp"

namespace hocket::vulkan {

namespace {

/// Puts the address of the device's memory, which the host addresses, in place of its buffer.
std::function<void(copy_command&)> address_of(copy_direction way) {
  return [way](copy_command& what) {
    allocation& own = way == copy_direction::inbound ? what.to : what.from;
    own.chunk = device_memory::chunk(own).mapped;
  };
}

/// The objects that the streams of a device share.
struct shared_parts {
  std::unique_ptr<context> of;
  std::unique_ptr<imported_buffers> imports;  ///< null if the device has memory of its own
  driver_domain domain;
};

result<std::unique_ptr<driver_stream>> make_copies(context& of, copy_direction way,
                                                   bool host_memory,
                                                   const threaded_stream::parts& parts) {
  std::unique_ptr<driver_stream> made;
  if (host_memory || of.plan().mapped) {
    made = std::make_unique<host_copy_stream>(parts, host_memory ? nullptr : address_of(way));
    return made;
  }
  auto staging = make_staging(of, way);
  if (!staging) return staging.error();
  made = std::make_unique<staged_copy_stream>(parts, std::move(staging).value());
  return made;
}

}  // namespace

result<std::unique_ptr<device>> connect_device(const found_device& found,
                                               const device_numbers& numbers, executor& where,
                                               completion_sink& sink) {
  auto opened = context::make(found);
  if (!opened) return opened.error();
  const auto shared = std::make_shared<shared_parts>();
  shared->of = std::move(opened).value();
  context& of = *shared->of;
  if (numbers.uses_host_memory) shared->imports = std::make_unique<imported_buffers>();
  const auto epoch = std::make_shared<host_epoch>(numbers.device, sink);
  auto compute = launch_stream::make(
      {of, shared->domain, where, epoch, numbers.compute.front(), shared->imports.get()});
  if (!compute) return compute.error();
  const auto copies = [&](copy_direction way, stream_id id, const char* name) {
    return make_copies(of, way, numbers.uses_host_memory,
                       {shared->domain, where, epoch, id, of.name() + name,
                        [lane = compute.value().get()] { lane->go_on(); }});
  };
  auto inbound = copies(copy_direction::inbound, numbers.inbound, " in");
  if (!inbound) return inbound.error();
  auto outbound = copies(copy_direction::outbound, numbers.outbound, " out");
  if (!outbound) return outbound.error();
  driver_device_parts made;
  made.info = of.info();
  made.context = shared;
  made.leave = [&of] { of.leave_driver(); };
  if (numbers.uses_host_memory) {
    made.forget = [&of, imports = shared->imports.get()](const allocation& host) {
      of.note_release();
      imports->forget(host);
    };
  }
  made.memory = std::make_unique<device_memory>(of);
  made.compute = std::move(compute).value();
  made.inbound = std::move(inbound).value();
  made.outbound = std::move(outbound).value();
  return std::unique_ptr<device>(std::make_unique<driver_device>(std::move(made)));
}

}  // namespace hocket::vulkan

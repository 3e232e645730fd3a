// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/configuration.hpp>
#include <hocket/devices/driver_device.hpp>
#include <hocket/devices/null.hpp>
#include <hocket/memory/host_resource.hpp>

#include "stream.hpp"

namespace hocket {

namespace {

struct options {
  std::uint64_t devices = 0;
  std::uint64_t memory = std::uint64_t{256} << 20U;
};

options parse(const std::string& configuration) {
  configuration_reader reader("null", configuration);
  options made;
  made.devices = reader.number("devices", 1, 64).value_or(made.devices);
  made.memory = reader.bytes("memory").value_or(made.memory);
  reader.finish();
  return made;
}

device_info describe(std::uint64_t number, const options& given) {
  device_info info;
  info.name = "Null" + std::to_string(number);
  info.backend = "null";
  info.description = "a thread of the host";
  info.formats = {kernel_format::host};
  info.peer_copies = true;
  info.memory_bytes = given.memory;
  info.is_simulated = true;
  return info;
}

/// What the devices of one search share once one of them is connected.
using shared_driver = std::shared_ptr<std::weak_ptr<null::driver>>;

std::shared_ptr<null::driver> opened(std::weak_ptr<null::driver>& known) {
  auto made = known.lock();
  if (!made) known = made = std::make_shared<null::driver>();
  return made;
}

result<std::unique_ptr<device>> connect(const std::shared_ptr<null::driver>& driver,
                                        const device_info& info, const device_numbers& numbers,
                                        executor& where, completion_sink& sink) {
  const auto epoch = std::make_shared<host_epoch>(numbers.device, sink);
  const auto queue = [&](stream_id id) {
    return std::make_unique<null::queue_stream>(*driver, where, epoch, id);
  };
  driver_device_parts parts;
  parts.info = info;
  parts.context = driver;
  parts.memory = std::make_unique<host_resource>(device_title(info.name));
  parts.compute = queue(numbers.compute.front());
  parts.inbound = queue(numbers.inbound);
  parts.outbound = queue(numbers.outbound);
  return std::unique_ptr<device>(std::make_unique<driver_device>(std::move(parts)));
}

std::unique_ptr<device_candidate> candidate(const device_info& info, const shared_driver& driver) {
  return std::make_unique<device_candidate>(
      info, [info, driver](const device_numbers& numbers, executor& where, completion_sink& sink) {
        return connect(opened(*driver), info, numbers, where, sink);
      });
}

class null_backend final : public backend {
 public:
  [[nodiscard]] std::string name() const override { return "null"; }

  [[nodiscard]] found_devices find(const executor& where, const std::string& configuration,
                                   const adopted_contexts& /*adopted*/) const override {
    const options given = parse(configuration);
    found_devices found;
    if (where.is_virtual()) return found;  // its thread takes real time
    const auto driver = std::make_shared<std::weak_ptr<null::driver>>();
    for (std::uint64_t number = 0; number < given.devices; ++number) {
      found.usable.push_back(candidate(describe(number, given), driver));
    }
    return found;
  }

  [[nodiscard]] std::string why_none() const override {
    return "No device of the null backend is asked for; the configuration \"devices=1\" makes one.";
  }
};

}  // namespace

std::unique_ptr<const backend> make_null_backend() { return std::make_unique<null_backend>(); }

}  // namespace hocket

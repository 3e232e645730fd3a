// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/device_control.hpp"

#include <memory>
#include <string>

#include "runtime/runtime_core.hpp"

namespace hocket::detail {

namespace {

/// What the future of a drain refers to.
class drain_state final : public task_state {
 public:
  drain_state(host_context& context, const std::string& label) : task_state(&context, label) {
    context.started(*this);
  }
};

/// Throws usage_error if the device is none of the runtime, or cannot be taken out of use.
const device_info& check_control(runtime_core& home, const device_handle& device,
                                 const std::string& what) {
  const std::vector<device_info>& infos = home.connection().machine().infos();
  if (device.runtime != 0 && device.runtime != home.number()) {
    throw usage_error("A device of another runtime is to be " + what +
                      "; ask its own runtime for that.");
  }
  if (device.id.value >= infos.size()) {
    throw usage_error("Device number " + std::to_string(device.id.value) + " of " +
                      std::to_string(infos.size()) + " is to be " + what + ".");
  }
  const device_info& info = infos[device.id.value];
  if (info.can_be_lost) return info;
  throw usage_error(device_title(info.name) +
                    " is that of the host, on which the program itself runs; it cannot be " + what +
                    ".");
}

}  // namespace

future<void> drain(runtime_core& home, const device_handle& device) {
  const device_info& info = check_control(home, device, "drained");
  const boost::intrusive_ptr<drain_state> state(new drain_state(home, "drain of " + info.name));
  home.post(placement::drain_asked{device.id, [state](const failure& why) { state->finish(why); }});
  return future<void>(task_state_ptr(state));
}

void resume(runtime_core& home, const device_handle& device) {
  (void)check_control(home, device, "resumed");
  failure problem;
  home.where().wait([&](const std::shared_ptr<executor::gate>& answered) {
    home.post(placement::resume_asked{device.id, [&problem, answered](const failure& why) {
                                        problem = why;
                                        answered->open();
                                      }});
  });
  if (problem) problem.raise();
}

}  // namespace hocket::detail

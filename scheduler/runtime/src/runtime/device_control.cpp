// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/device_control.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/runtime_core.hpp"

namespace hocket::detail {

namespace {

/// The task behind the future of a drain.
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
  if (!device.id.valid()) {
    throw usage_error("An empty device handle is to be " + what +
                      "; runtime::device gives the one of a device.");
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

/// Posts the event and waits for the answer.
template <class Event>
[[nodiscard]] failure ask(runtime_core& home, Event what) {
  failure problem;
  home.where().wait([&](const std::shared_ptr<executor::gate>& answered) {
    what.tell = [&problem, answered](const failure& why) {
      problem = why;
      answered->open();
    };
    home.post(std::move(what));
  });
  return problem;
}

/// Lets go of the device, which is not in use; the driver ends what it still has.
void close(runtime_core& home, device_id device, bool removes) {
  // Streams that stand before those of the devices are closed together.
  if (home.connection().faults() != nullptr || home.connection().checks() != nullptr) {
    throw usage_error(
        "A runtime with a plan of faults, or with compared copies, lets go of no device before it "
        "ends.");
  }
  const failure problem =
      ask<placement::close_asked>(home, {.device = device, .removes = removes, .tell = {}});
  if (problem) throw usage_error(problem.message());
  device_set& machine = home.connection().machine();
  machine.gate(device).close();
  // A thread that polls leaves when the last command of the device has ended.
  while (!machine.gate(device).is_empty()) {
    constexpr nanoseconds moment = std::chrono::microseconds(100);
    (void)home.where().wait([](const std::shared_ptr<executor::gate>&) {},
                            home.where().now() + moment);
  }
  std::unique_ptr<class device> gone;
  home.events().inspect([&](const placement::engine&) { gone = machine.take_out(device); });
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
  const failure problem = ask<placement::resume_asked>(home, {.device = device.id, .tell = {}});
  if (problem) problem.raise();
}

void remove(runtime_core& home, const device_handle& device) {
  (void)check_control(home, device, "removed");
  const std::scoped_lock lock(home.connection().replacing());
  close(home, device.id, true);
}

void reopen(runtime_core& home, const device_handle& device) {
  (void)check_control(home, device, "opened again");
  const std::scoped_lock lock(home.connection().replacing());
  close(home, device.id, false);
  device_set& machine = home.connection().machine();
  auto made = machine.connect(device.id);
  if (!made) made.error().raise();
  home.events().inspect([&](const placement::engine& e) {
    machine.put_in(device.id, std::move(made).value(),
                   [&](stream_id stream) { return e.state().commands.next(stream).value - 1; });
  });
  machine.gate(device.id).open();
  const failure problem = ask<placement::device_opened>(home, {.device = device.id, .tell = {}});
  if (problem) problem.raise();
}

}  // namespace hocket::detail

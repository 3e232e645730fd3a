// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Ends the program while a runtime still has devices of all drivers of the machine.
//   static_runtime used     all tasks have ended
//   static_runtime pending  some have not
//   static_runtime late     a task submits them when main has ended
//   static_runtime kept     as used, and the runtime is never destroyed
//   static_runtime stuck    as kept, and a function with data behind it never ends
//   static_runtime forked   as kept, and a forked child ends as well
// SIGUSR1 makes it print the stack of its main thread and exit with 3.

#include <execinfo.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

namespace {

using namespace hocket;

constexpr std::size_t count = 1000;

/// Opens its drivers when it is first used, after its destructor was registered.
runtime& of_static() {
  static runtime rt;
  return rt;
}

runtime& of_heap() {
  static runtime* const rt = new runtime;
  return *rt;
}

struct pair_of_buffers {
  buffer<float> x, y;
};

/// y = 2 x + y on each device, or so often where one is, and a function that says what y holds
/// then.
void use_each(runtime& rt, const std::vector<pair_of_buffers>& data, bool names_devices = true) {
  std::size_t next = 0;
  for (const device_info& each : rt.devices()) {
    const auto& [x, y] = data[next++];
    task_options options;
    if (names_devices) options.on = rt.device(each.name);
    rt.submit(options, ops::axpy, 2.0F, reads(x), updates(y));
    rt.submit(
        [name = each.name](buffer_view<const float> sum) {
          std::printf("%s: %g\n", name.c_str(), static_cast<double>(sum[count - 1]));
        },
        reads(y));
  }
}

/// A task does so on the host when static objects that were made later than the runtime are gone,
/// and drivers may be.
void use_each_late(runtime& rt, std::vector<pair_of_buffers> data) {
  rt.async([&rt, data = std::move(data)] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    use_each(rt, data, false);
    rt.submit(ops::axpy, 1.0F, reads(data.front().y), reduces(data.front().x, plus{}));
  });
}

void print_stack(int /*signal*/) {
  void* frames[64];
  ::backtrace_symbols_fd(frames, ::backtrace(frames, 64), STDERR_FILENO);
  ::_exit(3);
}

/// Returns true if a forked child ends well.
bool child_ends() {
  // A lock of AddressSanitizer's allocator that a thread of a driver holds while it tidies up would
  // be held in the child for ever.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const pid_t child = ::fork();
  if (child == 0) std::exit(0);
  int status = 1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

}  // namespace

int main(int, char** arguments) {
  const std::string_view how = arguments[1];
  std::signal(SIGUSR1, print_stack);
  runtime& rt = how == "used" || how == "pending" || how == "late" ? of_static() : of_heap();
  // Destroyed before the runtime, as what is made later is.
  static std::vector<pair_of_buffers> data;
  for (std::size_t i = 0; i < rt.devices().size(); ++i) {
    data.push_back({buffer<float>{rt, count, 1.0F}, buffer<float>{rt, count, 2.0F}});
  }
  how == "late" ? use_each_late(rt, data) : use_each(rt, data);
  if (how != "pending" && how != "late") rt.wait();
  if (how == "stuck") {
    rt.submit([](buffer_view<float>) { std::this_thread::sleep_for(std::chrono::hours(1)); },
              updates(data.front().y));
    rt.submit({.on = rt.device(rt.devices().back().name)}, ops::fill, 1.0F, writes(data.front().y));
  }
  std::fflush(stdout);
  if (how == "forked" && !child_ends()) return 1;
  std::printf("main ends\n");
  // Later output comes from exit handlers.
  std::fflush(stdout);
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/program.hpp"

#include <cstdio>
#include <span>
#include <utility>

#include <hocket/devices/device.hpp>

#include "gpu/errors.hpp"

namespace hocket::gpu {

result<function_handle> program_store::get(const std::string& text, const std::string& kernel,
                                           const std::string& device) {
  const std::lock_guard lock(guard_);
  const auto known = programs_.find(text);
  if (known != programs_.end()) return known->second.main;
  const std::string key = identity_ + "\n" + text;
  program made;
  if (!load_from_disk(key, device, made)) {
    const compiler::compiled compiled = with_->compile(text, architecture_);
    if (!compiled.log.empty()) return compile_failure(device, kernel, compiled.log);
    const std::string binary = driver_.machine_code(compiled.binary);
    std::string log;
    const code answer = load(binary, made, log);
    if (answer != success) {
      failure why = failure_of(driver_, answer, device, "to load kernel \"" + kernel + "\"");
      if (why.code() != failure_code::task_failed) return why;
      return compile_failure(device, kernel, driver_.name_of(answer) + ": " + log);
    }
    disk_.store(key, std::as_bytes(std::span(binary)));
  }
  return programs_.emplace(text, std::move(made)).first->second.main;
}

/// The log is empty where the driver says nothing.
code program_store::load(const std::string& binary, program& made, std::string& log) const {
  module_handle object = nullptr;
  const code answer = driver_.load(object, binary, log);
  if (answer != success) return answer;
  made.module = handle<module_handle>(driver_, object);
  return driver_.module_function(&made.main, object, "hocket_main");
}

/// A program that the driver refuses is compiled again, and replaced on disk.
bool program_store::load_from_disk(const std::string& key, const std::string& device,
                                   program& made) {
  const auto stored = disk_.load(key);
  if (!stored || stored->empty()) return false;
  const std::string binary(reinterpret_cast<const char*>(stored->data()), stored->size());
  std::string log;
  program loaded;
  const code answer = load(binary, loaded, log);
  if (answer == success) {
    made = std::move(loaded);
    return true;
  }
  // Other codes are no matter of the program.
  const bool is_refused = driver_.meaning_of(answer) == failure_code::task_failed;
  if (is_refused && !std::exchange(has_warned_, true)) {
    std::fprintf(stderr,
                 "hocket: %s refuses a compiled program that was kept: %s. It is compiled anew.\n",
                 device_title(device).c_str(), driver_.name_of(answer).c_str());
  }
  return false;
}

}  // namespace hocket::gpu

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/program.hpp"

#include <span>

#include "gpu/errors.hpp"

namespace hocket::gpu {

result<function_handle> program_store::get(const std::string& text, const std::string& kernel,
                                           const std::string& device) {
  const std::lock_guard lock(guard_);
  const auto known = programs_.find(text);
  if (known != programs_.end()) return known->second.main;
  const std::string key = identity_ + "\n" + text;
  program made;
  if (!load_from_disk(key, made)) {
    const compiler::compiled compiled = with_->compile(text, architecture_);
    if (!compiled.log.empty()) return compile_failure(device, kernel, compiled.log);
    std::string log;
    const code answer = load(compiled.binary, made, log);
    if (answer != success) {
      failure why = failure_of(driver_, answer, device, "to load kernel \"" + kernel + "\"");
      if (why.code() != failure_code::task_failed) return why;
      return compile_failure(device, kernel, driver_.name_of(answer) + ": " + log);
    }
    disk_.store(key, std::as_bytes(std::span(compiled.binary)));
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

bool program_store::load_from_disk(const std::string& key, program& made) const {
  const auto stored = disk_.load(key);
  if (!stored || stored->empty()) return false;
  const std::string binary(reinterpret_cast<const char*>(stored->data()), stored->size());
  std::string log;
  program loaded;
  if (load(binary, loaded, log) != success) return false;
  made = std::move(loaded);
  return true;
}

}  // namespace hocket::gpu

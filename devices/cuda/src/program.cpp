// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "program.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "errors.hpp"

namespace hocket::cuda {

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
    const code answer = load(compiled.ptx, made, log);
    if (answer != success) {
      failure why = failure_of(answer, device, "to load kernel \"" + kernel + "\"");
      if (why.code() != failure_code::task_failed) return why;
      return compile_failure(device, kernel, name_of(answer) + ": " + log);
    }
    disk_.store(key, std::as_bytes(std::span(compiled.ptx)));
  }
  return programs_.emplace(text, std::move(made)).first->second.main;
}

/// The log is empty where the driver says nothing.
code program_store::load(const std::string& ptx, program& made, std::string& log) const {
  std::array<char, 8192> said{};
  std::array<int, 2> options{load_error_log, load_error_log_bytes};
  std::array<void*, 2> values{said.data(), reinterpret_cast<void*>(said.size() - 1)};
  module_handle object = nullptr;
  code answer = driver_.cuModuleLoadDataEx(&object, ptx.c_str(), options.size(), options.data(),
                                           values.data());
  log = said.data();
  if (answer != success) return answer;
  made.module = handle<module_handle>(driver_, object);
  return driver_.cuModuleGetFunction(&made.main, object, "hocket_main");
}

bool program_store::load_from_disk(const std::string& key, program& made) const {
  const auto stored = disk_.load(key);
  if (!stored || stored->empty()) return false;
  const std::string ptx(reinterpret_cast<const char*>(stored->data()), stored->size());
  std::string log;
  program loaded;
  if (load(ptx, loaded, log) != success) return false;
  made = std::move(loaded);
  return true;
}

}  // namespace hocket::cuda

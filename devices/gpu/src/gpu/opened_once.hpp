// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <hocket/core/result.hpp>

namespace hocket::gpu {

/// A library that is opened when it is first wanted. Table: its functions. Any thread.
template <class Table>
class opened_once {
 public:
  using functions = std::shared_ptr<const Table>;
  using loader = std::function<result<functions>(const std::optional<std::string>& file)>;

  /// file: none where the library is looked for; "no": it is not used.
  opened_once(std::optional<std::string> file, loader load)
      : file_(std::move(file)), load_(std::move(load)) {}

  /// Null where it is not installed, or is not used. Fails where a file was named and cannot be
  /// opened.
  [[nodiscard]] result<functions> get() {
    const std::lock_guard lock(guard_);
    if (!opened_) {
      opened_ = file_ == "no" ? result(functions()) : load_(file_);
      if (!*opened_ && !file_) opened_ = result(functions());
    }
    return *opened_;
  }

  /// False where get() has nothing; fails as it does.
  [[nodiscard]] result<bool> is_there() {
    const auto opened = get();
    if (!opened) return opened.error();
    return opened.value() != nullptr;
  }

 private:
  const std::optional<std::string> file_;
  const loader load_;
  std::mutex guard_;  // for what follows
  std::optional<result<functions>> opened_;
};

}  // namespace hocket::gpu

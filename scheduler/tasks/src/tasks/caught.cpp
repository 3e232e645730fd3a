// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "tasks/caught.hpp"

#include <cctype>
#include <cstddef>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace hocket::detail {

namespace {

std::string sentence(std::string text) {
  if (text.empty() || (text.back() != '.' && text.back() != '!' && text.back() != '?')) text += '.';
  return text;
}

/// Failures that are there before memory is short. Each is for one task, because the copies of a
/// failure share whether a thread has looked at it. The last one is for all that fail once the
/// others are used up and as long as no memory is free for more.
class spare_failures {
 public:
  spare_failures() {
    spare_.reserve(most);
    fill();
  }

  [[nodiscard]] failure take() noexcept {
    const std::lock_guard lock(guard_);
    try {
      fill();
    } catch (const std::bad_alloc&) {
      // Those that are left have to do.
    }
    if (spare_.size() == 1) return spare_.back();
    failure taken = std::move(spare_.back());
    spare_.pop_back();
    return taken;
  }

 private:
  static constexpr std::size_t most = 32;

  void fill() {
    while (spare_.size() < most) {
      spare_.emplace_back(failure_code::task_failed,
                          "A task failed, and the host has no memory left to say which, and why.",
                          std::make_exception_ptr(std::bad_alloc()));
    }
  }

  std::mutex guard_;  // for what follows
  std::vector<failure> spare_;
};

/// Never destroyed: tasks may fail while the process ends.
spare_failures& spares() {
  static spare_failures& all = *new spare_failures;
  return all;
}

/// Makes them when the program starts.
[[maybe_unused]] const spare_failures& made_at_start = spares();

}  // namespace

failure failure_without_memory() noexcept { return spares().take(); }

std::string task_name(std::string_view label) {
  if (label.empty()) return "A task without a label";
  return "Task \"" + std::string(label) + "\"";
}

std::string in_a_sentence(std::string text) {
  if (!text.empty()) {
    text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  }
  return text;
}

failure caught(const std::string& name, bool stopped) {
  try {
    throw;
  } catch (const hocket::error& e) {
    if (e.code() == failure_code::cancelled && stopped) {
      return {failure_code::cancelled, name + " was cancelled while it ran.",
              std::current_exception()};
    }
    // A function that cannot read or write a file says so with this code. The others say what
    // became of another task.
    const bool is_io = e.code() == failure_code::io;
    return {is_io ? failure_code::io : failure_code::task_failed,
            sentence(name + " failed: " + e.what()), std::current_exception()};
  } catch (const std::exception& e) {
    return {failure_code::task_failed, sentence(name + " failed: " + e.what()),
            std::current_exception()};
  } catch (...) {
    return {failure_code::task_failed,
            name + " failed: it threw something that is no std::exception.",
            std::current_exception()};
  }
}

failure cancelled(std::string_view label) {
  return failure(failure_code::cancelled, task_name(label) + " was cancelled.");
}

}  // namespace hocket::detail

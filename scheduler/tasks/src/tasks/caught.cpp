// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "tasks/caught.hpp"

#include <cctype>
#include <exception>

namespace hocket::detail {

namespace {

std::string sentence(std::string text) {
  if (text.empty() || (text.back() != '.' && text.back() != '!' && text.back() != '?')) text += '.';
  return text;
}

}  // namespace

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

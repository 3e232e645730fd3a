// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <new>
#include <string>
#include <string_view>

#include <hocket/core/error.hpp>

namespace hocket::detail {

/// What a task fails with whose function has thrown the exception that is being handled. name
/// begins the sentence; stopped: a thread asked for the task to end early.
[[nodiscard]] failure caught(const std::string& name, bool stopped);

/// What a task fails with where no memory is left to say more: it keeps std::bad_alloc. It was made
/// before, so that this needs no memory.
[[nodiscard]] failure failure_without_memory() noexcept;

/// The failure that the function makes of the exception that is being handled, or the one that
/// needs no memory: a task that ends because memory is out is not to end the program.
template <class Explain>
[[nodiscard]] failure explained(const Explain& explain) noexcept {
  try {
    return explain();
  } catch (const std::bad_alloc&) {
    return failure_without_memory();
  }
}

/// How a task of that label ends that was cancelled before it ran.
[[nodiscard]] failure cancelled(std::string_view label);

/// `Task "label"`, the way sentences begin with it.
[[nodiscard]] std::string task_name(std::string_view label);

/// The sentence, or the name at its beginning, as it stands in the middle of another.
[[nodiscard]] std::string in_a_sentence(std::string text);

}  // namespace hocket::detail

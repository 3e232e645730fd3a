// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#ifndef __cpp_rtti
#error "Hocket needs run-time type information: it cannot be used with -fno-rtti."
#endif
#ifndef __cpp_exceptions
#error "Hocket reports errors by exceptions: it cannot be used with -fno-exceptions."
#endif

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hocket {

/// What kind of thing went wrong in the world (not in the caller's code; that is a usage_error).
enum class failure_code : std::uint8_t {
  task_failed,        ///< a task's body threw or its kernel failed
  dependency_failed,  ///< a task was not run because one it depends on did not commit
  cancelled,          ///< somebody asked for the task not to run
  timed_out,          ///< the task did not end within its time
  device_lost,        ///< the device is gone; its epoch ended
  data_lost,          ///< the only copy of a version was on a lost device
  data_corrupted,     ///< content differs from what it has to be: see runtime_options::integrity
  out_of_memory,      ///< a memory could not give what was reserved
  compile_failed,     ///< a kernel's text was refused by the device's compiler
  no_device,          ///< no device can run the task
  overloaded,         ///< a runtime has as many pending tasks as it may have
  io,                 ///< a file could not be read or written
  internal,           ///< a broken promise of Hocket itself
};

[[nodiscard]] std::string_view to_string(failure_code code) noexcept;

/// A failure of the world, as a cheap value that travels along the graph. Copies share their
/// content. An empty failure means that nothing went wrong.
///
/// ```cpp
/// runtime rt;
/// const future<void> bad = rt.async({.label = "bad"}, [] { throw std::runtime_error("no"); });
/// const future<void> after = rt.async({.after = {bad}}, [] {});
/// const failure why = after.error();  // waits; get() throws
/// std::printf("%s: %s\n", std::string(to_string(why.code())).c_str(), why.message().c_str());
/// ```
class failure {
 public:
  failure() = default;

  /// message is a whole sentence in the present tense that names the object by its label, the value
  /// given and the value allowed.
  failure(failure_code code, std::string message);

  /// Keeps the exception that a task's body threw, so that the waiting thread gets that very one.
  failure(failure_code code, std::string message, std::exception_ptr thrown);

  [[nodiscard]] explicit operator bool() const noexcept { return content_ != nullptr; }
  [[nodiscard]] failure_code code() const noexcept;

  /// The first sentence, then one "While ..." clause for each step of context, innermost first.
  [[nodiscard]] std::string message() const;

  /// The exception thrown by a body, or null.
  [[nodiscard]] std::exception_ptr thrown() const noexcept;

  /// The same failure with one more step of context, for example "reading buffer \"x\"".
  [[nodiscard]] failure within(std::string context) const;

  /// The failure of a task that did not run because of this one: dependency_failed, with the labels
  /// of the tasks in between (of a long chain only the nearest are named, and the others counted).
  [[nodiscard]] failure downstream(const std::string& label) const;

  /// Somebody has looked at this failure, or at one that comes from it (see downstream): it need
  /// not be reported any more. Any thread.
  void mark_seen() const noexcept;
  [[nodiscard]] bool seen() const noexcept;

  /// Returns true to the first caller that asks for this failure, or for another one that comes
  /// from the same; to none if that is a cancellation. Any thread.
  [[nodiscard]] bool begin_telling() const noexcept;

  /// Throws: the kept exception where there is one and it was not passed on through other tasks,
  /// else an error.
  [[noreturn]] void raise() const;

 private:
  struct content;
  std::shared_ptr<const content> content_;
};

/// Thrown where the user waits for something that failed.
class error : public std::runtime_error {
 public:
  explicit error(failure why) : std::runtime_error(why.message()), why_(std::move(why)) {}
  [[nodiscard]] const failure& reason() const noexcept { return why_; }
  [[nodiscard]] failure_code code() const noexcept { return why_.code(); }

 private:
  failure why_;
};

/// Thrown at the call that is wrong: a shape, a name, a mode that the caller could have known.
class usage_error : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace hocket

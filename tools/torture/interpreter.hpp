// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program.hpp"

namespace hocket::seeded {

/// The value of one element, and whether the last task that was to write it did.
struct cell {
  std::int64_t value = 0;
  bool good = true;
};

/// Runs a program one step after the other, by the rules that users are told: this is the
/// reference. What may legitimately happen or not (a cancellation that came in time, a lost device)
/// is taken from what did happen.
class interpreter {
 public:
  explicit interpreter(const program& made);

  /// True if the step has to fail: it throws, or something that it needs is not good.
  [[nodiscard]] bool must_fail(std::size_t index) const;

  /// Carries the step out, well or as a failure.
  void apply(std::size_t index, bool failed);

  /// All runs of a graph; returns whether some task of it fails.
  bool apply_graph(std::size_t index);

  /// A choice, well or as a failure. Returns whether it has to fail.
  bool apply_choice(std::size_t index, bool failed);

  [[nodiscard]] const cell& at(std::size_t buffer, std::size_t row, std::size_t column) const;
  [[nodiscard]] bool good(const part& where) const;
  [[nodiscard]] std::int64_t value(std::size_t index) const { return done_[index].value; }
  void change(const part& where, std::int64_t constant);
  void poison(const part& where);

 private:
  struct outcome {
    bool failed = false;
    std::int64_t value = 0;
  };

  [[nodiscard]] bool must_fail(const step& s, const std::vector<outcome>& before) const;
  void apply(const step& s, bool failed, std::vector<outcome>& outcomes);
  bool apply_all(const std::vector<step>& recorded);
  bool choose(const step& s);
  void lose_outputs(const std::vector<step>& recorded);
  void lose_outputs(const step& choice);
  void write(const part& where, const mixer& m, bool updates);
  template <class F>
  void for_each(const part& where, F&& f);
  template <class F>
  void for_each(const part& where, F&& f) const;

  const program& program_;
  std::vector<std::vector<cell>> cells_;
  std::vector<outcome> done_;
};

}  // namespace hocket::seeded

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <chrono>
#include <cstddef>

namespace image_pipeline {

/// A bar on standard error while it lives, if that is a terminal; else nothing.
class progress_line {
 public:
  explicit progress_line(std::size_t frames);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// Cheap: draws at most ten times a second.
  void show(std::size_t finished);

 private:
  std::size_t frames_;
  bool on_terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point last_ = begin_;
};

}  // namespace image_pipeline

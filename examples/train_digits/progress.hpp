// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace train {

/// How far a training is.
struct progress_state {
  std::size_t epoch = 0;  ///< counted from 0
  std::size_t epochs = 0;
  std::size_t images = 0;  ///< of this epoch
  std::size_t images_of_epoch = 0;
  double loss = 0;
};

/// Where and how progress is shown.
struct progress_view {
  bool silent = false;  ///< nothing at all
  bool bar = false;     ///< a bar that is drawn again and again; else a line for each epoch
  bool colours = false;
  std::function<std::size_t()> width;           ///< columns of the terminal
  std::function<void(std::string_view)> write;  ///< one call for each redraw
  std::function<std::chrono::nanoseconds()> now;

  /// Standard error of this process: a bar if it is a terminal, colours unless NO_COLOR is set.
  [[nodiscard]] static progress_view of_standard_error(bool quiet);
};

/// One line: the bar with loss, speed and remaining time, in at most width columns. What does not
/// fit is left out, the bar first.
[[nodiscard]] std::string draw_bar(const progress_state& state, double images_per_second,
                                   double seconds_left, std::size_t width, bool colours);

/// Shows progress while it lives; takes the bar away at its end.
class progress {
 public:
  explicit progress(progress_view view);
  ~progress();
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;

  /// The training has begun before this process: speeds are of what is done from here on.
  void begin_at(const progress_state& state);

  /// Cheap: draws at most ten times a second.
  void update(const progress_state& state);

  /// Leaves one line for the epoch.
  void end_epoch(const progress_state& state);

 private:
  void erase();

  progress_view view_;
  std::chrono::nanoseconds begin_;
  std::chrono::nanoseconds epoch_begin_;
  std::chrono::nanoseconds drawn_{};
  std::size_t done_before_ = 0;           // images, when this process began
  std::size_t done_before_of_epoch_ = 0;  // of this epoch
  bool bar_is_drawn_ = false;
};

}  // namespace train

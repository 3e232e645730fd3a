// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <hocket/hocket.hpp>

#include "frame_log.hpp"
#include "stages.hpp"

namespace image_pipeline {

struct frame_format {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::string folder;  ///< that results are written to, as PGM; empty: none are

  /// Of the images that a frame has between its first and its last stage.
  [[nodiscard]] std::size_t bytes() const noexcept { return 3 * rows * columns; }
};

/// A pipeline that frames are given to one after the other: draw, blur, edges, count_levels, store.
class pipeline {
 public:
  /// Of each frame: the most tasks that it has.
  static constexpr std::size_t tasks_of_frame = 5;

  /// `log` must outlive the tasks.
  pipeline(hocket::runtime& rt, const frame_format& format, std::size_t in_flight, frame_log& log);

  /// Submits the tasks of a frame. They start when fewer than `in_flight` frames are under way:
  /// its images exist from the first task to the last, so that this bounds the memory too.
  void submit(std::uint64_t frame);

 private:
  hocket::runtime& rt_;
  frame_format format_;
  hocket::budget memory_;
  hocket::kernel<std::uint64_t, image_out> draw_;
  filter_kernel blur_ = make_blur(), edges_ = make_edges();
  hocket::kernel<image_in, hocket::out_buffer<std::uint32_t>> count_levels_ = make_count_levels();
  hocket::kernel<std::uint64_t, image_in, hocket::in_buffer<std::uint32_t>> store_;
};

}  // namespace image_pipeline

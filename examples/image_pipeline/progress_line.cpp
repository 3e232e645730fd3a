// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "progress_line.hpp"

#include <unistd.h>

#include <fmt/format.h>

#include "common/standard_streams.hpp"

namespace image_pipeline {

progress_line::progress_line(std::size_t frames)
    : frames_(frames), on_terminal_(::isatty(STDERR_FILENO) == 1) {}

progress_line::~progress_line() {
  if (drawn_) examples::say("\r\x1b[K");
}

void progress_line::show(std::size_t finished) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (!on_terminal_ || now - last_ < 100ms) return;
  last_ = now;
  drawn_ = true;
  constexpr std::size_t width = 40;
  const std::size_t filled = finished * width / frames_;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  examples::say(fmt::format("\r\x1b[Kframe {}/{} [{:=<{}}{: <{}}] {:.0f} frames/s", finished,
                            frames_, "", filled, "", width - filled,
                            static_cast<double>(finished) / seconds));
}

}  // namespace image_pipeline

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <hocket/core/environment.hpp>

namespace train {

namespace {

constexpr std::chrono::milliseconds least_between_redraws{100};
constexpr std::string_view erase_line = "\r\x1b[K";
constexpr std::string_view green = "\x1b[32m";
constexpr std::string_view plain = "\x1b[0m";

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

double rate(std::size_t images, double in_seconds) {
  return in_seconds > 0 ? static_cast<double>(images) / in_seconds : 0;
}

std::string remaining(double seconds_left) {
  if (!std::isfinite(seconds_left) || seconds_left >= 360000) return "--:--";
  const auto whole = static_cast<unsigned>(std::ceil(seconds_left));
  return whole < 3600 ? fmt::format("{:02}:{:02}", whole / 60, whole % 60)
                      : fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

double done_share(const progress_state& state) {
  if (state.images_of_epoch == 0) return 1;
  return std::min(1.0,
                  static_cast<double>(state.images) / static_cast<double>(state.images_of_epoch));
}

std::size_t terminal_width() {
  constexpr std::size_t usual = 80;
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
  return size.ws_col;
}

/// Progress that cannot be shown is no reason to stop a training.
void write_to_standard_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

progress_view progress_view::of_standard_error(bool quiet) {
  progress_view view;
  view.silent = quiet;
  view.bar = ::isatty(STDERR_FILENO) == 1;
  view.colours = view.bar && !hocket::environment_variable("NO_COLOR");
  view.width = terminal_width;
  view.write = write_to_standard_error;
  view.now = [] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::steady_clock::now().time_since_epoch());
  };
  return view;
}

std::string draw_bar(const progress_state& state, double images_per_second, double seconds_left,
                     std::size_t width, bool colours) {
  const std::string head = fmt::format("epoch {}/{} ", state.epoch + 1, state.epochs);
  const std::string tail =
      fmt::format(" {:3.0f}%  loss {:.4f}  {:.0f} images/s  ETA {}", 100 * done_share(state),
                  state.loss, images_per_second, remaining(seconds_left));
  constexpr std::size_t brackets = 2;
  constexpr std::size_t longest_bar = 40;
  constexpr std::size_t shortest_bar = 4;
  const std::size_t around = head.size() + tail.size() + brackets;
  if (around + shortest_bar > width) return (head + tail.substr(1)).substr(0, width);
  const std::size_t length = std::min(longest_bar, width - around);
  const auto filled =
      static_cast<std::size_t>(std::floor(done_share(state) * static_cast<double>(length)));
  return fmt::format("{}[{}{:=<{}}{}{: <{}}]{}", head, colours ? green : "", "", filled,
                     colours ? plain : "", "", length - filled, tail);
}

progress::progress(progress_view view) : view_(std::move(view)) {
  begin_ = epoch_begin_ = view_.now();
}

progress::~progress() { erase(); }

void progress::erase() {
  if (bar_is_drawn_) view_.write(erase_line);
  bar_is_drawn_ = false;
}

void progress::begin_at(const progress_state& state) {
  done_before_ = state.epoch * state.images_of_epoch + state.images;
  done_before_of_epoch_ = state.images;
}

void progress::update(const progress_state& state) {
  if (view_.silent || !view_.bar) return;
  const std::chrono::nanoseconds now = view_.now();
  if (bar_is_drawn_ && now - drawn_ < least_between_redraws) return;
  const std::size_t before = state.epoch * state.images_of_epoch;
  const std::size_t done = before + state.images;
  const std::size_t left = state.epochs * state.images_of_epoch - done;
  const double speed = rate(done - done_before_, seconds(now - begin_));
  const double seconds_left = static_cast<double>(left) / speed;
  // The last column stays free: some terminals break the line there.
  const std::size_t width = std::max<std::size_t>(view_.width(), 2) - 1;
  view_.write(std::string(erase_line) + draw_bar(state, speed, seconds_left, width, view_.colours));
  drawn_ = now;
  bar_is_drawn_ = true;
}

void progress::end_epoch(const progress_state& state) {
  const std::chrono::nanoseconds now = view_.now();
  const double time = seconds(now - epoch_begin_);
  epoch_begin_ = now;
  const std::size_t images = state.images - std::exchange(done_before_of_epoch_, 0);
  if (view_.silent) return;
  erase();
  view_.write(fmt::format("epoch {}/{}  loss {:.4f}  {:.0f} images/s  {:.1f} s\n", state.epoch + 1,
                          state.epochs, state.loss, rate(images, time), time));
}

}  // namespace train

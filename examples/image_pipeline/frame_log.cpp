// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "frame_log.hpp"

#include <algorithm>

namespace image_pipeline {

using namespace hocket;

namespace {

/// An image of its own.
class owned_image {
 public:
  owned_image(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), pixels_(rows * columns) {}

  [[nodiscard]] buffer_view<pixel, 2> writable() {
    return {pixels_.data(), {rows_, columns_}, {columns_, 1}};
  }
  [[nodiscard]] buffer_view<const pixel, 2> readable() const {
    return {pixels_.data(), {rows_, columns_}, {columns_, 1}};
  }

 private:
  std::size_t rows_, columns_;
  std::vector<pixel> pixels_;
};

}  // namespace

frame_hash hash_of(buffer_view<const pixel, 2> image, buffer_view<const std::uint32_t> counts) {
  // FNV-1a, of bytes and of words.
  frame_hash hash = 0xcbf29ce484222325U;
  const auto add = [&](std::uint32_t value) { hash = (hash ^ value) * 0x100000001b3U; };
  for (const pixel each : image) add(each);
  for (const std::uint32_t each : counts) add(each);
  return std::max<frame_hash>(hash, 1);
}

frame_hash serial_hash(std::uint64_t frame, std::size_t rows, std::size_t columns) {
  owned_image drawn(rows, columns), smooth(rows, columns), lines(rows, columns);
  draw(frame, drawn.writable());
  blur(drawn.readable(), smooth.writable());
  edges(smooth.readable(), lines.writable());
  histogram counts{};
  count_levels(lines.readable(), buffer_view<std::uint32_t>(counts.data(), {levels}, {1}));
  return hash_of(lines.readable(), buffer_view<const std::uint32_t>(counts.data(), {levels}, {1}));
}

void frame_log::begin_frame() noexcept {
  const std::size_t now = ++in_flight_;
  std::size_t most = most_in_flight_;
  while (now > most && !most_in_flight_.compare_exchange_weak(most, now)) {
  }
}

void frame_log::end_frame(std::uint64_t frame, frame_hash hash) noexcept {
  hashes_[frame] = hash;
  --in_flight_;
  ++finished_;
}

}  // namespace image_pipeline

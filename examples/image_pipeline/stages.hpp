// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <hocket/hocket.hpp>

namespace image_pipeline {

using pixel = std::uint8_t;
using image_in = hocket::in_buffer<pixel, 2>;
using image_out = hocket::out_buffer<pixel, 2>;

constexpr std::size_t levels = 256;
using histogram = std::array<std::uint32_t, levels>;

/// What stands for a camera or a decoder: draws the frame of this number. For the host only.
[[nodiscard]] hocket::kernel<std::uint64_t, image_out> make_draw();
void draw(std::uint64_t frame, hocket::buffer_view<pixel, 2> image);

/// A blur by 5 x 5 binomial weights, and the strength of edges by Sobel's operator, in whole
/// numbers and so with the same result on each device. Beyond the border the nearest pixel counts.
using filter_kernel = hocket::kernel<image_in, image_out>;
[[nodiscard]] filter_kernel make_blur();
void blur(hocket::buffer_view<const pixel, 2> from, hocket::buffer_view<pixel, 2> to);
[[nodiscard]] filter_kernel make_edges();
void edges(hocket::buffer_view<const pixel, 2> from, hocket::buffer_view<pixel, 2> to);

/// How many pixels have each level. For the host only.
[[nodiscard]] hocket::kernel<image_in, hocket::out_buffer<std::uint32_t>> make_count_levels();
void count_levels(hocket::buffer_view<const pixel, 2> image,
                  hocket::buffer_view<std::uint32_t> counts);

}  // namespace image_pipeline

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A stream of images through four stages. Frames overlap by themselves, as each has its own
// buffers; a budget bounds how many are in memory, and so how far the first stage runs ahead.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

#include "common/ending.hpp"

using namespace hocket;

namespace {

constexpr std::size_t rows = 480, columns = 640;
constexpr std::uint64_t frames = 24, in_flight = 4;
constexpr std::uint64_t bytes_of_frame = 2 * rows * columns * sizeof(float);

/// Where a program has its camera. Frame n is a ramp from n to n + 1.
void draw(std::uint64_t frame, buffer_view<float, 2> image) {
  for (std::size_t i = 0; i < image.extent(0); ++i) {
    for (std::size_t j = 0; j < image.extent(1); ++j) {
      image(i, j) = static_cast<float>(frame) + static_cast<float>(j) / columns;
    }
  }
}

const auto brighten =
    elementwise("brighten", [](const auto& from, auto gain, auto& to) { to = from * gain; });

// The mean of neighbours in a row.
const auto soften = elementwise(
    "soften", [](const auto& left, const auto& right, auto& to) { to = (left + right) * 0.5F; });

}  // namespace

int main() try {
  runtime rt;
  budget memory{rt, in_flight * bytes_of_frame};
  std::vector<future<float>> levels;
  for (std::uint64_t n = 0; n < frames; ++n) {
    // These handles end with the turn of the loop; tasks that use the buffers keep them alive.
    const std::string name = "frame " + std::to_string(n);
    const buffer<float, 2> image{rt, {rows, columns}, name};
    const buffer<float, 2> soft{rt, {rows, columns - 1}, name + ", soft"};

    // Earlier frames first, at every stage.
    task_options how{.priority = -static_cast<std::int64_t>(n), .label = name};
    task_options first = how;
    first.takes = memory.share(bytes_of_frame);
    const future<void> begun = rt.submit(first, draw, n, writes(image));
    rt.submit(how, brighten, reads(image), 2.0F, updates(image));
    rt.submit(how, soften, reads(image.tile({0, 0}, {rows, columns - 1})),
              reads(image.tile({0, 1}, {rows, columns})), writes(soft));
    how.returns = {begun};
    levels.push_back(rt.submit(how, ops::mean, reads(soft)));
  }

  for (std::size_t n = 0; n < levels.size(); ++n) {
    // Twice the mean of a ramp whose ends are half a point further in.
    const double expected = 2 * (static_cast<double>(n) + 0.5 - 0.5 / columns);
    if (!(std::abs(levels[n].get() - expected) < 1e-3 * (1 + expected))) {
      throw std::runtime_error("The level of frame " + std::to_string(n) + " is wrong.");
    }
  }
  std::printf("%zu frames, the last one with level %g\n", levels.size(), levels.back().get());
  examples::flush_output();
} catch (...) {
  return examples::end_of_program("06_frames");
}

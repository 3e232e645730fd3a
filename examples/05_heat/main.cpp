// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Heat in a plate: regions of one buffer that overlap. A task reads the neighbours of its band and
// writes the band in the other buffer; only lines at the edges of bands move between devices.

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>
#include <vector>

#include <hocket/hocket.hpp>

#include "common/ending.hpp"

using namespace hocket;

namespace {

constexpr std::size_t rows = 512, columns = 512, band = 128;  // of the points inside
constexpr int steps = 40;
constexpr float hot = 100;

// Sums in this order and a division by four have the same bits on all devices. The four regions
// that are read are one region of the buffer, shifted by one point each.
const auto mean = elementwise(
    "mean", [](const auto& above, const auto& below, const auto& left, const auto& right,
               auto& to) { to = ((above + below) + (left + right)) * 0.25F; });

void step(submitter& to, const buffer<float, 2>& now, const buffer<float, 2>& next) {
  for (std::size_t i = 1; i <= rows; i += band) {
    const std::size_t end = std::min(i + band, rows + 1), last = columns + 1;
    to.submit(mean, reads(now.tile({i - 1, 1}, {end - 1, last})),
              reads(now.tile({i + 1, 1}, {end + 1, last})),
              reads(now.tile({i, 0}, {end, last - 1})), reads(now.tile({i, 2}, {end, last + 1})),
              writes(next.tile({i, 1}, {end, last})));
  }
}

std::vector<float> by_plain_loops() {
  constexpr std::size_t width = columns + 2;
  std::vector<float> now((rows + 2) * width, 0.0F);
  std::fill_n(now.begin(), width, hot);
  std::vector<float> next = now;
  for (int s = 0; s < steps; ++s) {
    for (std::size_t i = 1; i <= rows; ++i) {
      for (std::size_t at = i * width + 1; at <= i * width + columns; ++at) {
        next[at] = ((now[at - width] + now[at + width]) + (now[at - 1] + now[at + 1])) * 0.25F;
      }
    }
    std::swap(now, next);
  }
  return now;
}

}  // namespace

int main() try {
  runtime rt;
  buffer<float, 2> now{rt, {rows + 2, columns + 2}, 0.0F, "plate"};
  buffer<float, 2> next{rt, {rows + 2, columns + 2}, 0.0F, "other plate"};
  for (const auto& each : {now, next}) rt.submit(ops::fill, hot, writes(each.rows(0, 1)));

  // Recorded once: a step there and a step back.
  const graph two_steps = rt.record([&](submitter& s) {
    step(s, now, next);
    step(s, next, now);
  });
  for (int s = 0; s < steps; s += 2) rt.run(two_steps);

  if (now.to_vector() != by_plain_loops()) {
    throw std::runtime_error("The plate differs from one computed by plain loops.");
  }
  std::printf("%d steps, the same bits as plain loops\n", steps);
  examples::flush_output();
} catch (...) {
  return examples::end_of_program("05_heat");
}

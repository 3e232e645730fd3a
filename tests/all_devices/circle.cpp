// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "circle.hpp"

#include <numeric>

namespace hocket::testing {

namespace {

constexpr std::size_t count = 5000, rows = 33, inner = 20, columns = 17;
constexpr std::int32_t prime = 1009;

/// Takes the remainder first: tests corrupt x, and five times what it then is may overflow.
const auto turn = elementwise("turn", [](auto shift, auto& x, element_index auto i) {
  x = (x % 1009 * 5 + shift % 1009 + cast<std::int32_t>(i % 7u)) % 1009;
});

/// Keeps what the matrices hold small: sums of their products are whole numbers below 2^24.
const auto reduced =
    elementwise("reduced", [](const auto& x, auto& y) { y = select(x > 8, 1, x + 1); });

std::vector<std::int32_t> first_numbers(std::int32_t seed) {
  std::vector<std::int32_t> made(count);
  for (std::size_t i = 0; i < count; ++i) {
    made[i] = (seed + 31 * static_cast<std::int32_t>(i)) % prime;
  }
  return made;
}

std::vector<float> first_matrix(std::size_t size, std::int32_t seed) {
  std::vector<float> made(size);
  for (std::size_t i = 0; i < size; ++i) {
    made[i] = static_cast<float>((static_cast<std::size_t>(seed) + i) % 9);
  }
  return made;
}

}  // namespace

circle::circle(runtime& rt, std::vector<device_handle> devices, std::int32_t seed)
    : devices_(std::move(devices)),
      numbers_(rt, {count}, std::span<const std::int32_t>(first_numbers(seed)), "numbers"),
      left_(rt, {rows, inner}, std::span<const float>(first_matrix(rows * inner, seed)), "left"),
      right_(rt, {inner, columns}, std::span<const float>(first_matrix(inner * columns, seed + 1)),
             "right"),
      products_(rt, {rows, columns}, "products"),
      expected_numbers_(first_numbers(seed)),
      expected_left_(first_matrix(rows * inner, seed)),
      expected_right_(first_matrix(inner * columns, seed + 1)),
      expected_products_(rows * columns) {
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    of_device_.emplace_back(rt, shape<2>{rows, columns}, "products of one");
  }
}

void circle::record(submitter& to) const {
  const auto pass = [&](device_handle on, device_handle next) {
    const auto total = to.submit({.on = on}, ops::sum, reads(numbers_));
    to.submit({.on = next}, turn, total, updates(numbers_));
  };
  for (std::size_t d = 0; d + 1 < devices_.size(); ++d) pass(devices_[d], devices_[d + 1]);
  for (std::size_t d = devices_.size(); d-- > 0;) pass(devices_[d], devices_[d == 0 ? 0 : d - 1]);
  to.submit(ops::fill, 0.0F, writes(products_));
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    const auto& own = of_device_[d];
    to.submit({.on = devices_[d]}, ops::gemm_nn, reads(left_), reads(right_), writes(own));
    to.submit(ops::axpy, static_cast<float>(d + 1), reads(own), updates(products_));
    // Its rows change before the next device reads them, on that device or anywhere.
    const auto row = left_.rows(d % rows, d % rows + 1);
    if (d % 2 == 0) {
      to.submit(reduced, reads(row), writes(row));
    } else {
      to.submit({.on = devices_[(d + 1) % devices_.size()]}, reduced, reads(row), writes(row));
    }
  }
  to.submit({.on = devices_.back()}, reduced, reads(right_), writes(right_));
}

void circle::expect_run() {
  const auto next = [](float x) { return x > 8 ? 1.0F : x + 1; };
  for (std::size_t step = 0; step < 2 * devices_.size() - 1; ++step) {
    const auto total =
        std::accumulate(expected_numbers_.begin(), expected_numbers_.end(), std::int32_t{0});
    for (std::size_t i = 0; i < count; ++i) {
      std::int32_t& x = expected_numbers_[i];
      x = (x * 5 + total % prime + static_cast<std::int32_t>(i % 7)) % prime;
    }
  }
  expected_products_.assign(rows * columns, 0);
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < columns; ++c) {
        float product = 0;
        for (std::size_t k = 0; k < inner; ++k) {
          product += expected_left_[r * inner + k] * expected_right_[k * columns + c];
        }
        expected_products_[r * columns + c] += static_cast<float>(d + 1) * product;
      }
    }
    for (std::size_t k = 0; k < inner; ++k) {
      float& x = expected_left_[d % rows * inner + k];
      x = next(x);
    }
  }
  for (float& x : expected_right_) x = next(x);
}

std::string circle::difference() const {
  std::string text;
  const auto compare = [&](const char* name, const auto& have, const auto& expected) {
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = expected.size(); i-- > 0;) {
      if (have[i] == expected[i]) continue;
      ++wrong;
      first = i;
    }
    if (wrong == 0) return;
    text += std::string(name) + ": " + std::to_string(wrong) + " of " +
            std::to_string(expected.size()) + " are wrong, the first is number " +
            std::to_string(first) + ", " + std::to_string(have[first]) + " in place of " +
            std::to_string(expected[first]) + ". ";
  };
  compare("numbers", numbers_.to_vector(), expected_numbers_);
  compare("left", left_.to_vector(), expected_left_);
  compare("right", right_.to_vector(), expected_right_);
  compare("products", products_.to_vector(), expected_products_);
  return text;
}

}  // namespace hocket::testing

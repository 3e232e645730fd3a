// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hocket::placement {

/// The median of the last few samples. A few outliers (a first call, a page fault) never reach it.
/// Where the last three samples are all far from it, on the same side, things have changed: older
/// ones are forgotten.
class recent_median {
 public:
  static constexpr double far_away = 1.5;  ///< as a factor

  void add(double sample);
  /// Of samples that come often: once there are enough, only every fourth counts.
  void add_some(double sample) {
    if (count_ < most || ++passed_ % 4 == 0) add(sample);
  }
  /// Adds the sample. Returns true if a prediction that rests on the median, or on 1 as long as
  /// there is none, changes much. comes_often: as for add_some().
  [[nodiscard]] bool changes_by(double sample, bool comes_often);

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// Of an even number of samples the lower middle one. There must be one.
  [[nodiscard]] double value() const noexcept { return sorted_[(count_ - 1) / 2]; }

 private:
  static constexpr std::size_t most = 15;
  static constexpr std::size_t few = 3;  ///< samples that show a change

  void insert(double sample);
  [[nodiscard]] double last(std::size_t back) const noexcept {
    return last_[(next_ + most - 1 - back) % most];
  }
  [[nodiscard]] bool has_changed() const noexcept;

  std::array<double, most> last_{};    ///< a ring
  std::array<double, most> sorted_{};  ///< the same samples
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::uint32_t passed_ = 0;
};

}  // namespace hocket::placement

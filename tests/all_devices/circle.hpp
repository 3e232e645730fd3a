// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hocket/hocket.hpp>

namespace hocket::testing {

/// A computation over whole numbers, so that every device must give the same bits. What one run
/// leaves is what the next begins with: a result that is lost or stale shows in all that follow.
///
/// The numbers go around, from the first device to the last and back, and change on each. Every
/// device multiplies the same matrices, and tasks that may run anywhere add up what comes of it.
class circle {
 public:
  circle(runtime& rt, std::vector<device_handle> devices, std::int32_t seed);

  /// The tasks of one run.
  void record(submitter& to) const;

  /// Goes on as far as one run does, on the host and without Hocket.
  void expect_run();

  /// Which buffers do not hold what is expected, and where they differ first; empty if all do.
  /// Waits for the runs so far.
  [[nodiscard]] std::string difference() const;

 private:
  std::vector<device_handle> devices_;
  buffer<std::int32_t> numbers_;
  buffer<float, 2> left_, right_, products_;
  std::vector<buffer<float, 2>> of_device_;

  std::vector<std::int32_t> expected_numbers_;
  std::vector<float> expected_left_, expected_right_, expected_products_;
};

}  // namespace hocket::testing

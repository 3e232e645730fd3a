// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>

#include "random.hpp"

namespace main_job {

outcome run(const arguments& options) { return running(options).end(); }

boost::json::object report_of(arguments options) {
  const scratch_folder folder;
  const std::string file = folder / "report.json";
  const outcome ended = run(std::move(options) + arguments{"--quiet", "--json", file});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  return boost::json::parse(content_of(file)).as_object();
}

arguments small_job(const scratch_folder& folder, const sizes& how) {
  constexpr std::size_t rows = 500, pixels = 64, classes = 10;
  constexpr std::uint32_t brightest = 16, noise = 5;
  const train::counter_random shapes(1, 1), noises(1, 2);
  std::ofstream out(folder / "digits.csv");
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t digit = row % classes;
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
      const std::uint32_t value = shapes.below(digit * pixels + pixel, brightest + 1 - noise) +
                                  noises.below(row * pixels + pixel, noise + 1);
      out << std::min(value, brightest) << ',';
    }
    out << digit << '\n';
  }
  return {"--data",   folder / "", "--dataset", "digits",   "--hidden",
          how.hidden, "--batch",   how.batch,   "--epochs", how.epochs};
}

}  // namespace main_job

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "measure.hpp"

namespace hocket::bench {

/// What the user wants of a benchmark.
struct settings {
  std::size_t threads = 1;  ///< the process runs on so many cores
  bool quick = false;       ///< small counts: whether it runs, not how fast
};

/// What a report says after the rows.
enum class summary {
  none,
  mean_ratios,  ///< for each metric, over the cases
};

/// A picture of what was measured.
struct picture {
  std::string file;  ///< without a folder
  std::string svg;
};
using picture_maker = std::function<std::vector<picture>(const std::vector<row>&)>;

/// The main function of a benchmark: reads the options, measures what comparisons_of(settings)
/// lists and reports it. Where pictures_of is not empty, `--svg FOLDER` writes what it returns.
/// Returns the exit code: 2 for wrong use, 1 for a failure.
[[nodiscard]] int run_bench(
    int argc, char** argv, const std::string& name, const std::string& what,
    const std::function<std::vector<comparison>(const settings&)>& comparisons_of,
    summary wanted_summary = summary::none, const picture_maker& pictures_of = {});

}  // namespace hocket::bench

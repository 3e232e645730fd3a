// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "machine.hpp"
#include "measure.hpp"

namespace hocket::bench {

/// The geometric mean, over the cases of one metric, of hocket's median to the best peer's.
struct mean_ratio {
  std::string metric;
  double ratio = 1;
  std::size_t cases = 0;
};

/// Of every metric, in the order of the rows, that hocket and a peer were both asked for.
[[nodiscard]] std::vector<mean_ratio> mean_ratios(const std::vector<row>& rows);

/// How what a subject answered grows with the size of a case.
struct growth {
  std::string name;
  std::string subject;
  std::string unit;
  std::size_t least = 0;  ///< sizes
  std::size_t most = 0;
  double per_tenfold = 1;  ///< the factor, from a straight line through the logarithms
};

/// Of every case and subject that were measured at two sizes at least, in the order of the rows.
[[nodiscard]] std::vector<growth> growths(const std::vector<row>& rows);

/// The form that all benchmarks share, and the tools that compare runs read.
[[nodiscard]] std::string to_json(const machine_facts& machine, const std::string& commit,
                                  const std::vector<row>& rows,
                                  const std::vector<mean_ratio>& means);

/// For people: a line for each row, the ratio of hocket to the best of the others, the means, and
/// how costs grow.
[[nodiscard]] std::string to_table(const machine_facts& machine, const std::string& commit,
                                   const std::vector<row>& rows,
                                   const std::vector<mean_ratio>& means);

/// Where a report goes: a file, or standard output for "-". It is opened before anything is
/// measured, so that a name that cannot be written costs no time.
class report_file {
 public:
  /// Throws std::runtime_error, as write does, with a sentence that names the file.
  explicit report_file(std::string name);

  /// Writes the whole text. After a failure, a full disk for example, no part of a file is left.
  void write(const std::string& text);

 private:
  struct closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  [[noreturn]] void fail(int reason) const;

  std::string name_;
  std::unique_ptr<std::FILE, closer> owned_;
};

}  // namespace hocket::bench

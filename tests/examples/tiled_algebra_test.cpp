// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "program.hpp"

namespace examples_test {

namespace {

arguments small_matrix(const std::string& algorithm) {
  return {algorithm, "--tiles", "4", "--tile", "40"};
}

/// The tasks of each algorithm on four by four tiles.
const std::map<std::string, double> tasks_of = {
    {"cholesky", 20}, {"lu", 30}, {"qr", 30}, {"gemm", 64}};

class TiledAlgebra : public testing::TestWithParam<std::string> {};

TEST_P(TiledAlgebra, IsRightOnTheHost) {
  const auto report =
      report_of(TILED_ALGEBRA, small_matrix(GetParam()) + arguments{"--devices", "NUMA0"});
  EXPECT_LT(report.at("residual").as_double(), 10);
  EXPECT_GT(report.at("gflops").as_double(), 0);
}

TEST_P(TiledAlgebra, IsRightOnAllDevices) {
  const auto report =
      report_of(TILED_ALGEBRA, small_matrix(GetParam()) + arguments{"--repeat", "2"});
  EXPECT_LT(report.at("residual").as_double(), 10);
  EXPECT_EQ(sum_over_devices(report, "tasks"), tasks_of.at(GetParam()));
}

TEST_P(TiledAlgebra, OfTilesThatAreOneElementOrOneMatrix) {
  for (const char* tiles : {"1", "5"}) {
    for (const char* tile : {"1", "33"}) {
      const auto report = report_of(
          TILED_ALGEBRA, {GetParam(), "--tiles", tiles, "--tile", tile, "--devices", "NUMA0"});
      EXPECT_LT(report.at("residual").as_double(), 10);
    }
  }
}

TEST_P(TiledAlgebra, TakesTheSameTimeOnAMachineEachTime) {
  const arguments run{GetParam(), "--tiles", "6", "--tile", "960", "--machine", "unequal-gpus"};
  const auto report = report_of(TILED_ALGEBRA, run);
  EXPECT_EQ(report, report_of(TILED_ALGEBRA, run));
  EXPECT_FALSE(report.contains("residual"));
  EXPECT_GT(sum_over_devices(report, "bytes_in"), 0);
}

INSTANTIATE_TEST_SUITE_P(, TiledAlgebra, testing::Values("cholesky", "lu", "qr", "gemm"),
                         [](const auto& each) { return each.param; });

TEST(TiledAlgebraProgram, RefusesWrongUse) {
  constexpr int wrong_use = 2;
  expect_wrong_use_is_refused(TILED_ALGEBRA, small_matrix("qr"));
  expect_end(TILED_ALGEBRA, {"svd"}, wrong_use, "cholesky, gemm, lu, qr");
  expect_end(TILED_ALGEBRA, {}, wrong_use, "algorithm");
  expect_end(TILED_ALGEBRA, {"lu", "--tile", "0"}, wrong_use, "--tile is \"0\"");
  expect_end(TILED_ALGEBRA, {"lu", "--tiles", "many"}, wrong_use, "--tiles is \"many\"");
}

TEST(TiledAlgebraProgram, ReadsAMachineFile) {
  const scratch_folder folder;
  const std::string file = folder / "machine.json";
  std::ofstream(file) << R"({"machine": "two", "source": "a test", "devices": [
      {"shared": true, "flops": "10G"}, {"flops": "100G", "link": "1G"}]})";
  const auto report =
      report_of(TILED_ALGEBRA, small_matrix("cholesky") + arguments{"--machine", file});
  EXPECT_EQ(report.at("devices").as_array().size(), 2U);
}

}  // namespace

}  // namespace examples_test

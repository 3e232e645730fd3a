// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include "data_source.hpp"
#include "program.hpp"

namespace main_job {

namespace {

bool have(train::dataset_kind kind) {
  try {
    static_cast<void>(train::find_data(train::data_places::from_environment(), {}, kind));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

struct expectation {
  train::dataset_kind data;
  double accuracy;
};

class Accuracy : public testing::TestWithParam<expectation> {};

TEST_P(Accuracy, OfRealDigits) {
  const auto [data, accuracy] = GetParam();
  if (!have(data)) GTEST_SKIP() << "These digits are not on this machine.";
  const boost::json::object report = report_of({"--dataset", std::string(train::to_string(data))});
  EXPECT_GE(report.at("test_accuracy").as_double(), accuracy);
  EXPECT_LT(report.at("seconds").as_double(), 180);
  for (const auto& device : report.at("devices").as_array()) {
    EXPECT_GE(device.at("flops_share").as_double(), 0.1);
  }
  EXPECT_NEAR(report.at("bubble").as_double(), report.at("bubble_theory").as_double(), 0.02);
}

INSTANTIATE_TEST_SUITE_P(EveryDataSet, Accuracy,
                         testing::Values(expectation{train::dataset_kind::digits, 0.94},
                                         expectation{train::dataset_kind::optdigits, 0.94},
                                         expectation{train::dataset_kind::mnist, 0.97}),
                         [](const auto& each) {
                           return std::string(train::to_string(each.param.data));
                         });

}  // namespace

}  // namespace main_job

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "position.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "fixtures.hpp"

namespace train {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const hyperparameters usual{{16, 8}, 40, 8, 2, 0.05, 0.9};

dataset some_digits() { return {"some", 2, 3, 10, {0.5f, 1.0f, -0.0f, 1.5f, 2.0f, 2.5f}, {7, 1}}; }

position_texts usual_identity() {
  return identity_of(usual, dataset_kind::digits, 1, some_digits());
}

std::string refusal(const position_texts& saved, const position_texts& here) {
  return test::usage_message_of([&] { static_cast<void>(position_in(saved, here, "the file")); });
}

TEST(Position, IsReadAsItWasWritten) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (const training_position& at :
       {training_position{}, training_position{71, 1.0 / 3, {0.1, tiny, 1e300}}}) {
    EXPECT_EQ(position_in(to_texts(usual_identity(), at), usual_identity(), "file"), at);
  }
}

TEST(Position, EveryPartOfTheIdentityCounts) {
  const position_texts saved = to_texts(usual_identity(), {});
  const auto refused = [&saved](const position_texts& here) { return refusal(saved, here); };
  const auto with = [](auto change) {
    hyperparameters how = usual;
    change(how);
    return identity_of(how, dataset_kind::digits, 1, some_digits());
  };
  EXPECT_THAT(refused(with([](auto& how) {
                how.hidden = {16, 9};
              })),
              AllOf(HasSubstr("\"the file\""), HasSubstr("\"16,8\" for --hidden"),
                    HasSubstr("here it is \"16,9\"")));
  EXPECT_THAT(refused(with([](auto& how) { how.batch = 80; })), HasSubstr("--batch"));
  EXPECT_THAT(refused(with([](auto& how) { how.micro_batches = 4; })),
              HasSubstr("--micro-batches"));
  EXPECT_THAT(refused(with([](auto& how) { how.learning_rate = 0.1; })),
              HasSubstr("--learning-rate"));
  EXPECT_THAT(refused(with([](auto& how) { how.momentum = 0; })), HasSubstr("--momentum"));
  EXPECT_THAT(refused(identity_of(usual, dataset_kind::mnist, 1, some_digits())),
              AllOf(HasSubstr("\"digits\" for --dataset"), HasSubstr("\"mnist\"")));
  EXPECT_THAT(refused(identity_of(usual, dataset_kind::digits, 2, some_digits())),
              HasSubstr("--seed"));
  dataset others = some_digits();
  others.images[2] = 0.0f;
  EXPECT_THAT(refused(identity_of(usual, dataset_kind::digits, 1, others)), HasSubstr("images"));
  others = some_digits();
  others.labels[1] = 2;
  EXPECT_THAT(refused(identity_of(usual, dataset_kind::digits, 1, others)), HasSubstr("images"));
}

TEST(Position, TheNumberOfEpochsMayGrow) {
  hyperparameters longer = usual;
  longer.epochs = 100;
  const position_texts here = identity_of(longer, dataset_kind::digits, 1, some_digits());
  EXPECT_EQ(position_in(to_texts(usual_identity(), {5, 0, {}}), here, "file").steps, 5U);
}

TEST(Position, OtherTextsAreRefused) {
  EXPECT_THAT(refusal({}, usual_identity()), HasSubstr("has no"));
  EXPECT_THAT(refusal(usual_identity(), usual_identity()), HasSubstr("has no \"steps\""));
  position_texts saved = to_texts(usual_identity(), {});
  saved["steps"] = "-1";
  EXPECT_THAT(refusal(saved, usual_identity()), HasSubstr("\"-1\" for \"steps\""));
  saved = to_texts(usual_identity(), {});
  saved["losses"] = "0.5,,1";
  EXPECT_THAT(refusal(saved, usual_identity()), HasSubstr("\"losses\""));
}

}  // namespace
}  // namespace train

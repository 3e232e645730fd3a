// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "options.hpp"

#include <gtest/gtest.h>

#include "fixtures.hpp"

namespace train {
namespace {

using test::usage_message_of;

using arguments = std::vector<const char*>;

options parse(const arguments& given) { return std::get<options>(parse_options(given, "1.2.3")); }

std::string refusal(const arguments& given) {
  return usage_message_of([&] { static_cast<void>(parse_options(given, "1.2.3")); });
}

std::string text(const arguments& given) {
  return std::get<text_to_print>(parse_options(given, "1.2.3")).text;
}

TEST(Options, Defaults) {
  const options given = parse({});
  EXPECT_FALSE(given.data);
  EXPECT_FALSE(given.dataset);
  EXPECT_FALSE(given.download);
  EXPECT_EQ(given.pipeline, schedule::one_f_one_b);
  EXPECT_FALSE(given.stages);
  EXPECT_TRUE(given.devices.empty());
  EXPECT_FALSE(given.hidden);
  EXPECT_EQ(given.micro_batches, 8U);
  EXPECT_FALSE(given.clock);
  EXPECT_FALSE(given.checkpoint);
  EXPECT_FALSE(given.steps_between_checkpoints);
  EXPECT_FALSE(given.resume);
  EXPECT_FALSE(given.trace);
  EXPECT_FALSE(given.json);
  EXPECT_FALSE(given.quiet);
}

TEST(Options, AllOfThem) {
  const options given = parse({"--data",
                               "there",
                               "--dataset",
                               "optdigits",
                               "--schedule",
                               "gpipe",
                               "--stages",
                               "2",
                               "--devices",
                               "NUMA0,Sim0",
                               "--hidden",
                               "64,32",
                               "--micro-batches",
                               "4",
                               "--batch=128",
                               "--epochs",
                               "3",
                               "--learning-rate",
                               "1e-2",
                               "--momentum",
                               "0",
                               "--seed",
                               "18446744073709551615",
                               "--clock",
                               "real",
                               "--checkpoint",
                               "saved",
                               "--checkpoint-every",
                               "5",
                               "--resume",
                               "--trace",
                               "t.json",
                               "--json",
                               "-",
                               "--quiet"});
  EXPECT_EQ(given.data, "there");
  EXPECT_EQ(given.dataset, dataset_kind::optdigits);
  EXPECT_EQ(given.pipeline, schedule::gpipe);
  EXPECT_EQ(given.stages, 2U);
  EXPECT_EQ(given.devices, (std::vector<std::string>{"NUMA0", "Sim0"}));
  EXPECT_EQ(given.hidden, (std::vector<std::size_t>{64, 32}));
  EXPECT_EQ(given.micro_batches, 4U);
  EXPECT_EQ(given.batch, 128U);
  EXPECT_EQ(given.epochs, 3U);
  EXPECT_EQ(given.learning_rate, 0.01);
  EXPECT_EQ(given.momentum, 0);
  EXPECT_EQ(given.seed, 18446744073709551615U);
  EXPECT_EQ(given.clock, clock_kind::real);
  EXPECT_EQ(given.checkpoint, "saved");
  EXPECT_EQ(given.steps_between_checkpoints, 5U);
  EXPECT_TRUE(given.resume);
  EXPECT_EQ(given.trace, "t.json");
  EXPECT_EQ(given.json, "-");
  EXPECT_TRUE(given.quiet);
  EXPECT_TRUE(parse({"--download"}).download);
}

TEST(Options, WrongValuesAreNamedWithWhatIsAllowed) {
  EXPECT_EQ(refusal({"--seed", "banana"}),
            "--seed is \"banana\"; it must be a whole number from 0 to 18446744073709551615.");
  EXPECT_EQ(refusal({"--schedule", "zigzag"}),
            "--schedule is \"zigzag\"; it must be one of none, gpipe, 1f1b.");
  EXPECT_EQ(refusal({"--dataset", "cats"}),
            "--dataset is \"cats\"; it must be one of mnist, optdigits, digits.");
  EXPECT_EQ(refusal({"--clock", "sun"}), "--clock is \"sun\"; it must be one of virtual, real.");
  EXPECT_EQ(refusal({"--momentum", "1"}),
            "--momentum is \"1\"; it must be a number of at least 0 and below 1.");
  EXPECT_EQ(refusal({"--learning-rate", "0"}),
            "--learning-rate is \"0\"; it must be a number above 0 and below 1000.");
  EXPECT_EQ(refusal({"--epochs", "0"}),
            "--epochs is \"0\"; it must be a whole number from 1 to 1000000.");
}

TEST(Options, EveryNumberIsChecked) {
  for (const char* name : {"--stages", "--micro-batches", "--batch", "--epochs", "--seed",
                           "--hidden", "--learning-rate", "--momentum", "--checkpoint-every"}) {
    for (const char* value : {"", "-1", "1x", "nan", "inf", "1,,2", "99999999999999999999999"}) {
      const std::string message = refusal({name, value});
      EXPECT_TRUE(message.starts_with(std::string(name) + " is \"")) << message;
      EXPECT_NE(message.find("it must be"), std::string::npos) << message;
    }
  }
}

TEST(Options, ListsAndPathsMayNotBeEmpty) {
  for (const char* value : {"", ",", "NUMA0,", "NUMA0,,Sim0"}) {
    EXPECT_NE(refusal({"--devices", value}).find("names of devices"), std::string::npos);
  }
  EXPECT_NE(refusal({"--trace", ""}).find("name of a file"), std::string::npos);
}

TEST(Options, WhatIsNotKnownIsRefused) {
  EXPECT_NE(refusal({"--bananas"}).find("--bananas"), std::string::npos);
  EXPECT_NE(refusal({"bananas"}).find("bananas"), std::string::npos);
  EXPECT_NE(refusal({"--seed"}).find("--seed"), std::string::npos);
  EXPECT_NE(refusal({"--seed", "1", "--seed", "2"}).find("--seed"), std::string::npos);
}

TEST(Options, WhatDoesNotGoTogetherIsRefused) {
  EXPECT_NE(refusal({"--download", "--data", "x"}).find("--data"), std::string::npos);
  EXPECT_NE(refusal({"--download", "--dataset", "digits"}).find("mnist"), std::string::npos);
  EXPECT_NE(refusal({"--json", "x", "--trace", "x"}).find("differ"), std::string::npos);
  EXPECT_NE(refusal({"--resume"}).find("without --checkpoint"), std::string::npos);
  EXPECT_NE(refusal({"--checkpoint-every", "2"}).find("without --checkpoint"), std::string::npos);
}

TEST(Options, OfTheMachine) {
  const options given = parse({"--backend", "opencl=sub-devices=2", "--memory", "private"});
  EXPECT_EQ(given.backends.at("opencl"), "sub-devices=2");
  EXPECT_TRUE(given.private_memory);
  const options both = parse({"--backend", "sim=1", "--epochs", "2", "--backend", "cpu=lanes=2"});
  EXPECT_EQ(both.backends.at("sim"), "1");
  EXPECT_EQ(both.backends.at("cpu"), "lanes=2");
  EXPECT_NE(refusal({"--backend", "sim=1", "--backend", "sim=2"}).find("twice for \"sim\""),
            std::string::npos);
  EXPECT_NE(refusal({"--backend", "sim=1", "cpu=lanes=2"}).find("cpu=lanes=2"), std::string::npos);
  EXPECT_FALSE(parse({}).private_memory);
  EXPECT_NE(refusal({"--backend", "opencl"}).find("\"opencl\""), std::string::npos);
  EXPECT_NE(refusal({"--memory", "none"}).find("shared or private"), std::string::npos);
}

TEST(Options, HelpAndVersion) {
  EXPECT_EQ(text({"--version"}), "train_digits 1.2.3\n");
  const std::string help = text({"--help"});
  for (const std::string name : {"--data",
                                 "--dataset",
                                 "--download",
                                 "--schedule",
                                 "--stages",
                                 "--devices",
                                 "--hidden",
                                 "--micro-batches",
                                 "--batch",
                                 "--epochs",
                                 "--learning-rate",
                                 "--momentum",
                                 "--seed",
                                 "--clock",
                                 "--backend",
                                 "--memory",
                                 "--trace",
                                 "--json",
                                 "--quiet",
                                 "--version",
                                 "--help",
                                 "--checkpoint",
                                 "--checkpoint-every",
                                 "--resume"}) {
    EXPECT_NE(help.find(name), std::string::npos) << name;
  }
}

TEST(Hyperparameters, WhatIsLeftOpenSuitsTheData) {
  const hyperparameters mnist = choose(parse({}), dataset_kind::mnist, 60000);
  EXPECT_EQ(mnist.batch % mnist.micro_batches, 0U);
  EXPECT_GE(mnist.hidden.size(), 2U);
  const hyperparameters digits = choose(parse({}), dataset_kind::digits, 1437);
  EXPECT_LT(digits.batch, mnist.batch);
  EXPECT_GT(digits.epochs, mnist.epochs);
  const hyperparameters odd = choose(parse({"--micro-batches", "7"}), dataset_kind::mnist, 60000);
  EXPECT_EQ(odd.batch % 7, 0U);
  EXPECT_EQ(odd.micro_batch_rows() * 7, odd.batch);
}

TEST(Hyperparameters, ABatchHasToFit) {
  const auto refused = [](const arguments& given, std::size_t rows) {
    return usage_message_of(
        [&] { static_cast<void>(choose(parse(given), dataset_kind::mnist, rows)); });
  };
  EXPECT_EQ(refused({"--batch", "100"}, 60000),
            "--batch is \"100\"; it must be a multiple of --micro-batches (8).");
  EXPECT_EQ(refused({"--batch", "64000"}, 60000),
            "--batch is \"64000\"; it must be at most 60000, the number of images.");
  EXPECT_EQ(refused({"--micro-batches", "70000"}, 60000),
            "--micro-batches is \"70000\"; it must be at most 60000, the number of images.");
}

}  // namespace
}  // namespace train

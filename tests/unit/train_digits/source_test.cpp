// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>
#include <stdlib.h>

#include "data_source.hpp"
#include "fixtures.hpp"

namespace train {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using test::temporary_folder;
using test::usage_message_of;

void put_digits(const fs::path& folder) {
  fs::create_directories(folder);
  const std::string text = test::csv_digits(20);
  test::put(folder / "digits.csv.gz", test::gzip(test::bytes(text.begin(), text.end())));
}

void put_optdigits(const fs::path& folder) {
  fs::create_directories(folder);
  test::put(folder / "optdigits.tra", test::csv_digits(20));
  test::put(folder / "optdigits.tes", test::csv_digits(5));
}

/// A machine with two places for data.
class FindData : public testing::Test {
 protected:
  const temporary_folder shared_;
  const temporary_folder user_;
  const data_places places_{shared_.path(), user_.path()};
};

TEST_F(FindData, NothingAnywhereSaysWhatToDo) {
  const std::string message =
      message_of([&] { static_cast<void>(find_data(places_, std::nullopt, std::nullopt)); });
  for (const std::string& part :
       {shared_.path().string(), user_.path().string(), std::string("--download"),
        std::string("scripts/setup"), std::string("HOCKET_DATA_DIR")}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_NE(message_of([&] {
              static_cast<void>(find_data({}, std::nullopt, std::nullopt));
            }).find("any folder"),
            std::string::npos);
}

TEST_F(FindData, PlacesComeInTheirOrder) {
  put_digits(user_ / "digits");
  data_source found = find_data(places_, std::nullopt, std::nullopt);
  EXPECT_EQ(found.kind, dataset_kind::digits);
  EXPECT_NE(to_string(found).find("HOCKET_DATA_DIR"), std::string::npos) << to_string(found);
  EXPECT_EQ(load(found).train.rows, 16U);

  test::put_small_mnist(user_ / "mnist");
  EXPECT_EQ(find_data(places_, std::nullopt, std::nullopt).kind, dataset_kind::mnist);

  put_optdigits(shared_ / "optdigits");
  found = find_data(places_, std::nullopt, std::nullopt);
  EXPECT_EQ(found.kind, dataset_kind::optdigits);
  EXPECT_EQ(found.found_by, "HOCKET_DATA_DIR");
  EXPECT_EQ(load(found).test.rows, 5U);

  test::put_small_mnist(shared_ / "mnist");
  found = find_data(places_, std::nullopt, std::nullopt);
  EXPECT_EQ(found.kind, dataset_kind::mnist);
  EXPECT_EQ(found.place, shared_ / "mnist");
  EXPECT_EQ(load(found).train.rows, 20U);
}

TEST_F(FindData, ADataSetMayBeChosen) {
  test::put_small_mnist(shared_ / "mnist");
  put_digits(user_ / "digits");
  const data_source found = find_data(places_, std::nullopt, dataset_kind::digits);
  EXPECT_EQ(found.kind, dataset_kind::digits);
  EXPECT_EQ(found.place, user_ / "digits/digits.csv.gz");
  EXPECT_NE(message_of([&] {
              static_cast<void>(find_data(places_, std::nullopt, dataset_kind::optdigits));
            }).find("optdigits.tra"),
            std::string::npos);
}

TEST_F(FindData, AFolderThatIsGivenIsTheOnlyOne) {
  test::put_small_mnist(shared_ / "mnist");
  put_digits(user_.path());
  const data_source found = find_data(places_, user_.path(), std::nullopt);
  EXPECT_EQ(found.kind, dataset_kind::digits);
  EXPECT_EQ(found.found_by, "--data");
  EXPECT_EQ(find_data(places_, shared_ / "mnist", std::nullopt).kind, dataset_kind::mnist);
  const std::string message = usage_message_of(
      [&] { static_cast<void>(find_data(places_, user_ / "nowhere", std::nullopt)); });
  EXPECT_NE(message.find("nowhere"), std::string::npos) << message;
  EXPECT_NE(usage_message_of([&] {
              static_cast<void>(find_data(places_, user_.path(), dataset_kind::mnist));
            }).find("train-images-idx3-ubyte"),
            std::string::npos);
}

TEST_F(FindData, WhatCannotBeLookedIntoIsNamed) {
  fs::create_directory_symlink("circle", user_ / "circle");
  const std::string message =
      message_of([&] { static_cast<void>(find_data(places_, user_ / "circle", std::nullopt)); });
  EXPECT_NE(message.find("\"" + (user_ / "circle").string()), std::string::npos) << message;
  EXPECT_TRUE(message.starts_with("The file \"")) << message;
  EXPECT_TRUE(message.ends_with("Too many levels of symbolic links.")) << message;
}

/// Sets variables of the environment and puts the old values back.
class scoped_variable {
 public:
  scoped_variable(const char* name, const char* value) : name_(name) {
    if (const char* old = ::getenv(name)) before_ = old;
    value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
  }
  ~scoped_variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  scoped_variable(const scoped_variable&) = delete;
  scoped_variable& operator=(const scoped_variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(DataPlaces, FollowTheEnvironment) {
  const scoped_variable home("HOME", "/home/somebody");
  const scoped_variable data("HOCKET_DATA_DIR", "/srv/data");
  {
    const scoped_variable xdg("XDG_DATA_HOME", "/srv/xdg");
    const data_places places = data_places::from_environment();
    EXPECT_EQ(places.hocket_data, "/srv/data");
    EXPECT_EQ(places.user_data, "/srv/xdg/hocket");
    EXPECT_EQ(download_folder(places), "/srv/xdg/hocket/mnist");
  }
  for (const char* useless : {static_cast<const char*>(nullptr), "", "relative"}) {
    const scoped_variable xdg("XDG_DATA_HOME", useless);
    EXPECT_EQ(data_places::from_environment().user_data, "/home/somebody/.local/share/hocket");
  }
}

TEST(DataPlaces, WithoutAHomeThereIsNoUsersFolder) {
  const scoped_variable home("HOME", nullptr);
  const scoped_variable xdg("XDG_DATA_HOME", nullptr);
  const scoped_variable data("HOCKET_DATA_DIR", nullptr);
  const data_places places = data_places::from_environment();
  EXPECT_FALSE(places.hocket_data);
  EXPECT_FALSE(places.user_data);
  EXPECT_NE(message_of([&] { static_cast<void>(download_folder(places)); }).find("HOME"),
            std::string::npos);
}

}  // namespace
}  // namespace train

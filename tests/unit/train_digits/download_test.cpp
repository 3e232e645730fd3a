// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "download.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>

#include "child.hpp"
#include "fixtures.hpp"

namespace train {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using test::temporary_folder;

constexpr const char* sha256_of_abc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

void say_nothing(std::string_view) {}

/// A server's folder with one file, behind an address that needs no network.
class Download : public testing::Test {
 protected:
  Download() {
    test::put(server_ / "abc", "abc");
    source_ = {"file://" + server_.path().string() + "/", {{"abc", sha256_of_abc}}};
  }

  const temporary_folder server_;
  const temporary_folder home_;
  const fs::path folder_ = home_ / "share/hocket/mnist";
  download_source source_;
};

TEST_F(Download, PutsCheckedFilesIntoTheFolder) {
  std::vector<std::string> said;
  const auto note = [&](std::string_view line) { said.emplace_back(line); };
  download(source_, folder_, note);
  EXPECT_EQ(test::content_of(folder_ / "abc"), "abc");
  download(source_, folder_, note);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0], "downloading " + source_.address + "abc");
  EXPECT_TRUE(said[1].ends_with("abc is there already")) << said[1];
}

TEST_F(Download, ReplacesAFileWithAnotherChecksum) {
  fs::create_directories(folder_);
  test::put(folder_ / "abc", "xyz");
  download(source_, folder_, say_nothing);
  EXPECT_EQ(test::content_of(folder_ / "abc"), "abc");
}

TEST_F(Download, LeavesNothingBehindWhenTheChecksumIsWrong) {
  test::put(server_ / "abc", "abd");
  const std::string message = message_of([&] { download(source_, folder_, say_nothing); });
  EXPECT_NE(message.find(sha256_of_abc), std::string::npos) << message;
  EXPECT_TRUE(fs::is_empty(home_.path()));
}

TEST_F(Download, LeavesNothingBehindWhenTheFileIsNotThere) {
  source_.files[0].name = "missing";
  const std::string message = message_of([&] { download(source_, folder_, say_nothing); });
  EXPECT_NE(message.find("/missing failed: curl: (37)"), std::string::npos) << message;
  EXPECT_TRUE(fs::is_empty(home_.path()));
}

TEST_F(Download, LeavesNothingBehindWithoutANetwork) {
  // The names under .invalid are never resolved.
  source_.address = "https://hocket.invalid/";
  const std::string message = message_of([&] { download(source_, folder_, say_nothing); });
  EXPECT_NE(message.find("https://hocket.invalid/abc failed: curl: ("), std::string::npos)
      << message;
  EXPECT_TRUE(fs::is_empty(home_.path()));
}

TEST_F(Download, KeepsFoldersThatWereThereBefore) {
  fs::create_directories(folder_);
  source_.files[0].name = "missing";
  EXPECT_THROW(download(source_, folder_, say_nothing), hocket::error);
  EXPECT_TRUE(fs::exists(folder_));
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(Download, AFolderThatCannotBeMadeIsAnError) {
  test::put(home_ / "share", "a file");
  const std::string message = message_of([&] { download(source_, folder_, say_nothing); });
  EXPECT_NE(message.find("could not be created"), std::string::npos) << message;
}

TEST(DownloadSource, KnowsTheFilesThatStandBesideTheSources) {
  const download_source source = mnist_source();
  ASSERT_EQ(source.files.size(), 4U);
  const auto folder = hocket::environment_variable("HOCKET_DATA_DIR");
  for (const download_source::file& file : source.files) {
    EXPECT_EQ(file.sha256.size(), 64U);
    if (folder && fs::exists(fs::path(*folder) / "mnist")) {
      EXPECT_EQ(sha256_of(fs::path(*folder) / "mnist" / file.name), file.sha256);
    }
  }
}

TEST(Sha256, OfFilesWithStrangeNames) {
  temporary_folder folder;
  for (const std::string name : {"-", "a b", "back\\slash", "new\nline"}) {
    test::put(folder / name, "abc");
    EXPECT_EQ(sha256_of(folder / name), sha256_of_abc);
  }
  EXPECT_THROW(static_cast<void>(sha256_of(folder / "missing")), hocket::error);
}

TEST(Child, GivesOutputAndExitCode) {
  const child_result shell = run_child({"sh", "-c", "echo one; echo two >&2; exit 7"});
  EXPECT_EQ(shell.exit_code, 7);
  EXPECT_EQ(shell.output, "one\ntwo\n");
  EXPECT_EQ(run_child({"sh", "-c", "kill -9 $$"}).exit_code, 128 + 9);
}

TEST(Child, TakesArgumentsAsTheyAre) {
  EXPECT_EQ(run_child({"printf", "%s|", "a b", "$HOME", "*"}).output, "a b|$HOME|*|");
}

TEST(Child, AProgramThatIsNotThereIsAnError) {
  const std::string message =
      message_of([] { static_cast<void>(run_child({"hocket-has-no-such-program"})); });
  EXPECT_NE(message.find("hocket-has-no-such-program"), std::string::npos);
}

TEST(Child, AStopRequestEndsIt) {
  std::stop_source stop;
  std::thread soon([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(run_child({"sleep", "30"}, stop.get_token()).exit_code, 128 + 15);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  soon.join();
}

TEST(Child, AStopRequestThatCameBeforeEndsItToo) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(run_child({"sleep", "30"}, stop.get_token()).exit_code, 128 + 15);
}

}  // namespace
}  // namespace train

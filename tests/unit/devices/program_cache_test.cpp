// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <hocket/devices/program_cache.hpp>

namespace hocket {

namespace {

namespace fs = std::filesystem;

/// A folder that is gone after the test.
class program_cache_test : public ::testing::Test {
 protected:
  program_cache_test() {
    std::string name = (fs::temp_directory_path() / "hocket-cache-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~program_cache_test() override { fs::remove_all(root_); }

  [[nodiscard]] fs::path folder() const { return root_ / "some" / "where"; }
  [[nodiscard]] program_cache cache() const {
    return program_cache(program_cache::in_folder{folder()});
  }
  [[nodiscard]] std::vector<fs::path> entries() const {
    std::vector<fs::path> all;
    for (const auto& e : fs::directory_iterator(folder())) all.push_back(e.path());
    return all;
  }

  static std::vector<std::byte> bytes(const std::string& text) {
    const auto* const first = reinterpret_cast<const std::byte*>(text.data());
    return {first, first + text.size()};
  }

  fs::path root_;
};

}  // namespace

TEST_F(program_cache_test, what_was_stored_is_loaded) {
  const std::string long_key(100000, 'k');
  cache().store("key", bytes("program"));
  cache().store(long_key, bytes("other"));
  cache().store("empty", {});
  EXPECT_EQ(cache().load("key"), bytes("program"));
  EXPECT_EQ(cache().load(long_key), bytes("other"));
  EXPECT_EQ(cache().load("empty"), bytes(""));
  EXPECT_FALSE(cache().load("never"));
  EXPECT_EQ(entries().size(), 3U);
}

TEST_F(program_cache_test, the_last_one_stored_is_there) {
  cache().store("key", bytes("first"));
  cache().store("key", bytes("second"));
  EXPECT_EQ(cache().load("key"), bytes("second"));
  EXPECT_EQ(entries().size(), 1U);
}

TEST_F(program_cache_test, a_damaged_entry_is_set_aside_and_said_once) {
  const program_cache one = cache();
  for (const std::uintmax_t length : {0U, 10U, 45U, 49U}) {
    one.store("key", bytes("program"));
    const fs::path entry =
        entries().front().extension().empty() ? entries().front() : entries().back();
    fs::resize_file(entry, length);
    ::testing::internal::CaptureStderr();
    EXPECT_FALSE(one.load("key"));
    EXPECT_EQ(::testing::internal::GetCapturedStderr().find("damaged") != std::string::npos,
              length == 0);
    EXPECT_FALSE(fs::exists(entry));
    EXPECT_TRUE(fs::exists(entry.string() + ".damaged"));
  }
}

TEST_F(program_cache_test, any_byte_that_is_wrong_shows) {
  cache().store("key", bytes("program"));
  const fs::path entry = entries().front();
  const std::uintmax_t size = fs::file_size(entry);
  ::testing::internal::CaptureStderr();
  for (std::uintmax_t at = 0; at < size; ++at) {
    std::fstream file(entry, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
    file.close();
    EXPECT_FALSE(cache().load("key")) << "byte " << at;
    cache().store("key", bytes("program"));
  }
  (void)::testing::internal::GetCapturedStderr();
  EXPECT_EQ(cache().load("key"), bytes("program"));
}

TEST_F(program_cache_test, what_others_may_write_is_not_trusted) {
  cache().store("key", bytes("program"));
  const fs::path entry = entries().front();
  fs::permissions(entry, fs::perms::others_write, fs::perm_options::add);
  EXPECT_FALSE(cache().load("key"));
  fs::permissions(entry, fs::perms::others_write, fs::perm_options::remove);
  EXPECT_TRUE(cache().load("key"));
  fs::permissions(folder(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_FALSE(cache().load("key"));
  cache().store("other", bytes("program"));
  EXPECT_EQ(entries().size(), 1U);
}

TEST_F(program_cache_test, a_link_is_not_followed) {
  cache().store("key", bytes("program"));
  const fs::path entry = entries().front();
  fs::rename(entry, root_ / "moved");
  fs::create_symlink(root_ / "moved", entry);
  EXPECT_FALSE(cache().load("key"));
}

TEST_F(program_cache_test, what_was_not_used_for_longest_goes_where_there_is_too_much) {
  // The first store of each of these looks at what is there.
  const auto limited = [&] { return program_cache(program_cache::in_folder{folder(), 10'000}); };
  const auto program = bytes(std::string(2400, 'p'));
  using namespace std::chrono_literals;
  for (const std::string key : {"a", "b", "c", "d"}) {
    limited().store(key, program);
    for (const fs::path& e : entries()) fs::last_write_time(e, fs::last_write_time(e) - 1h);
  }
  EXPECT_EQ(entries().size(), 4U);
  EXPECT_TRUE(limited().load("a"));
  limited().store("e", program);
  EXPECT_EQ(entries().size(), 2U);
  EXPECT_TRUE(limited().load("a"));
  EXPECT_TRUE(limited().load("e"));
}

TEST_F(program_cache_test, where_nothing_can_be_written_there_is_no_cache) {
  std::ofstream(root_ / "some") << "a file";
  cache().store("key", bytes("program"));
  EXPECT_FALSE(cache().load("key"));
  const program_cache none(program_cache::in_folder{});
  none.store("key", bytes("program"));
  EXPECT_FALSE(none.load("key"));
}

TEST_F(program_cache_test, the_folder_is_the_users_cache) {
  const auto set = [](const char* name, const std::string& value) {
    ASSERT_EQ(::setenv(name, value.c_str(), 1), 0);
  };
  const char* const known_cache = std::getenv("XDG_CACHE_HOME");
  const char* const known_home = std::getenv("HOME");
  const std::string old_cache = known_cache == nullptr ? "" : known_cache;
  const std::string old_home = known_home == nullptr ? "" : known_home;
  set("XDG_CACHE_HOME", (root_ / "xdg").string());
  program_cache("some").store("key", bytes("program"));
  EXPECT_TRUE(fs::is_directory(root_ / "xdg" / "hocket" / "programs" / "some"));
  set("XDG_CACHE_HOME", "relative");
  set("HOME", root_.string());
  program_cache("some").store("key", bytes("program"));
  EXPECT_TRUE(fs::is_directory(root_ / ".cache" / "hocket" / "programs" / "some"));
  EXPECT_EQ(program_cache("some").load("key"), bytes("program"));
  EXPECT_FALSE(program_cache("other").load("key"));
  set("XDG_CACHE_HOME", old_cache);
  set("HOME", old_home);
}

TEST_F(program_cache_test, readers_and_writers_do_not_disturb_one_another) {
  const std::string program(20000, 'p');
  const auto work = [&] {
    for (int i = 0; i < 100; ++i) {
      cache().store("key", bytes(program));
      EXPECT_EQ(cache().load("key"), bytes(program));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(entries().size(), 1U);
}

}  // namespace hocket

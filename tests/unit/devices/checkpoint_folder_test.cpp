// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include <boost/crc.hpp>

#include <hocket/core/error.hpp>
#include <hocket/devices/checkpoint_folder.hpp>

#include "checkpoint_format.hpp"
#include "child_program.hpp"
#include "crc64.hpp"

namespace hocket {

namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The content of a checkpoint that is easy to tell from others.
struct example {
  explicit example(int first) {
    std::iota(numbers.begin(), numbers.end(), static_cast<float>(first));
    position = {{"step", std::to_string(first)}, {"seed", ""}};
    arrays = {{"numbers", element_type::f32, {2, 3}, std::as_bytes(std::span(numbers))},
              {"nothing", element_type::i64, {0, 5}, {}},
              {"one", element_type::u8, {}, std::as_bytes(std::span(&one, 1))}};
  }
  example(const example&) = delete;
  example& operator=(const example&) = delete;

  std::vector<float> numbers = std::vector<float>(6);
  std::uint8_t one = 201;
  checkpoint_position position;
  std::vector<checkpoint_array> arrays;
};

void expect_same(const checkpoint_position& position, const std::vector<checkpoint_array>& arrays,
                 const example& expected) {
  EXPECT_EQ(position, expected.position);
  ASSERT_EQ(arrays.size(), expected.arrays.size());
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const checkpoint_array& found = arrays[i];
    const checkpoint_array& written = expected.arrays[i];
    EXPECT_EQ(found.name, written.name);
    EXPECT_EQ(found.type, written.type);
    EXPECT_EQ(found.extents, written.extents);
    EXPECT_TRUE(std::ranges::equal(found.bytes, written.bytes)) << found.name;
  }
}

std::string bytes_of(const example& what) {
  std::string made = checkpoint_front(what.position, what.arrays);
  for (const checkpoint_array& each : what.arrays) {
    made.append(reinterpret_cast<const char*>(each.bytes.data()), each.bytes.size());
  }
  return made;
}

// Boost computes the same, one byte at a time.
TEST(crc64, is_the_one_of_xz) {
  using reference =
      boost::crc_optimal<64, 0x42F0E1EBA9EA3693, ~std::uint64_t{0}, ~std::uint64_t{0}, true, true>;
  std::string text;
  for (int i = 0; i < 200; ++i) text += static_cast<char>(i * i / 3);
  for (std::size_t begin = 0; begin < 9; ++begin) {
    for (std::size_t end = begin; end <= text.size(); ++end) {
      reference expected;
      expected.process_bytes(text.data() + begin, end - begin);
      crc64 sum;
      const std::size_t middle = begin + (end - begin) / 3;
      sum.add(text.data() + begin, middle - begin);
      sum.add(text.data() + middle, end - middle);
      ASSERT_EQ(sum.value(), expected.checksum()) << begin << " to " << end;
    }
  }
}

TEST(checkpoint_format, is_read_as_it_was_written) {
  const example written(5);
  const std::string file = bytes_of(written);
  const auto read = parse_checkpoint(file);
  ASSERT_TRUE(read) << read.error().message();
  expect_same(read.value().position, read.value().arrays, written);
}

TEST(checkpoint_format, has_a_place_for_nothing) {
  const auto read = parse_checkpoint(checkpoint_front({}, {}));
  ASSERT_TRUE(read);
  EXPECT_THAT(read.value().position, IsEmpty());
  EXPECT_THAT(read.value().arrays, IsEmpty());
}

TEST(checkpoint_format, knows_files_of_every_wrong_length) {
  const std::string file = bytes_of(example(5));
  for (std::size_t length = 0; length < file.size(); ++length) {
    EXPECT_FALSE(parse_checkpoint(std::string_view(file).substr(0, length))) << length;
  }
  EXPECT_FALSE(parse_checkpoint(file + '\0'));
  EXPECT_FALSE(parse_checkpoint(file + file));
}

TEST(checkpoint_format, knows_every_wrong_bit) {
  const std::string file = bytes_of(example(5));
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string wrong = file;
      wrong[at] = static_cast<char>(wrong[at] ^ (1 << bit));
      EXPECT_FALSE(parse_checkpoint(wrong)) << "bit " << bit << " of byte " << at;
    }
  }
}

TEST(checkpoint_format, says_which_array_is_damaged) {
  std::string file = bytes_of(example(5));
  file[file.size() - 2] ^= 1;
  EXPECT_THAT(parse_checkpoint(file).error().message(), HasSubstr("checksum of \"numbers\""));
}

class checkpoint_folder_test : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path folder() const { return fs::path(root_ / "some") / "where"; }
  [[nodiscard]] fs::path file(int number) const {
    return folder() / ("checkpoint-" + std::to_string(number));
  }

  void write(int first, std::size_t keep = 2) const {
    const example content(first);
    checkpoint_folder(folder(), keep).write(content.position, content.arrays);
  }

  /// Expects that the newest checkpoint which can be used is this one.
  void expect_newest(std::uint64_t number, int first) const {
    const auto found = checkpoint_folder(folder(), 2).read_newest();
    ASSERT_TRUE(found);
    EXPECT_EQ(found->number, number);
    EXPECT_EQ(found->file, file(static_cast<int>(number)));
    expect_same(found->position, found->arrays, example(first));
  }

  void replace(int number, const std::string& content) const {
    std::ofstream(file(number), std::ios::binary | std::ios::trunc) << content;
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> made;
    for (const auto& each : fs::directory_iterator(folder())) {
      made.push_back(each.path().filename().string());
    }
    std::ranges::sort(made);
    return made;
  }

  /// The message of the error that this throws, which must have the code io.
  template <class F>
  [[nodiscard]] static std::string io_error_of(F&& call) {
    try {
      call();
    } catch (const error& thrown) {
      EXPECT_EQ(thrown.code(), failure_code::io);
      return thrown.what();
    }
    ADD_FAILURE() << "nothing is thrown";
    return {};
  }

  const testing::scratch_folder root_;
};

TEST_F(checkpoint_folder_test, has_nothing_at_first) {
  EXPECT_FALSE(checkpoint_folder(folder(), 1).read_newest());
  struct stat about {};
  ASSERT_EQ(::stat(folder().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0700U);
}

TEST_F(checkpoint_folder_test, keeps_the_newest) {
  for (int i = 1; i <= 12; ++i) {
    write(i, 3);
    expect_newest(static_cast<std::uint64_t>(i), i);
  }
  EXPECT_THAT(names(), ElementsAre("checkpoint-10", "checkpoint-11", "checkpoint-12", "lock"));
  struct stat about {};
  ASSERT_EQ(::stat(file(12).c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
}

TEST_F(checkpoint_folder_test, uses_the_one_before_where_the_newest_is_cut_off) {
  write(1);
  write(2);
  const std::string whole = testing::content_of(file(2));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    replace(2, whole.substr(0, length));
    expect_newest(1, 1);
  }
  replace(2, whole);
  expect_newest(2, 2);
}

TEST_F(checkpoint_folder_test, uses_the_one_before_where_a_byte_of_the_newest_is_wrong) {
  write(1);
  write(2);
  const std::string whole = testing::content_of(file(2));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string wrong = whole;
    wrong[at] = static_cast<char>(~wrong[at]);
    replace(2, wrong);
    expect_newest(1, 1);
  }
}

TEST_F(checkpoint_folder_test, says_what_was_passed_over) {
  write(1);
  write(2);
  write(3, 3);
  replace(3, "");
  fs::remove(file(2));
  fs::create_symlink(file(1), file(2));
  const auto found = checkpoint_folder(folder(), 2).read_newest();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->number, 1U);
  ASSERT_EQ(found->newer.size(), 2U);
  EXPECT_EQ(found->newer[0].file, file(3));
  EXPECT_THAT(found->newer[0].why, HasSubstr("damaged"));
  EXPECT_EQ(found->newer[1].file, file(2));
  EXPECT_THAT(found->newer[1].why, HasSubstr("no file of this user"));
}

TEST_F(checkpoint_folder_test, does_not_begin_anew_where_all_are_damaged) {
  write(1);
  write(2);
  replace(1, "");
  replace(2, testing::content_of(file(2)) + "more");
  checkpoint_folder opened(folder(), 2);
  EXPECT_THAT(io_error_of([&] { (void)opened.read_newest(); }),
              AllOf(HasSubstr("None of the 2 checkpoints"), HasSubstr("\"checkpoint-2\""),
                    HasSubstr("were written")));
}

TEST_F(checkpoint_folder_test, takes_no_memory_for_a_file_that_is_only_long) {
  write(1);
  replace(2, bytes_of(example(2)));
  fs::resize_file(file(2), std::uint64_t{1} << 42);
  expect_newest(1, 1);
}

TEST_F(checkpoint_folder_test, does_not_count_damaged_ones_as_kept) {
  write(1);
  write(2);
  replace(2, "");
  checkpoint_folder opened(folder(), 2);
  EXPECT_EQ(opened.read_newest()->number, 1U);
  const example third(3), fourth(4);
  EXPECT_EQ(opened.write(third.position, third.arrays), 3U);
  EXPECT_THAT(names(), ElementsAre("checkpoint-1", "checkpoint-2", "checkpoint-3", "lock"));
  EXPECT_EQ(opened.write(fourth.position, fourth.arrays), 4U);
  EXPECT_THAT(names(), ElementsAre("checkpoint-3", "checkpoint-4", "lock"));
}

// A whole checkpoint must not be removed for one that is damaged, whichever of them is newer.
TEST_F(checkpoint_folder_test, does_not_count_damaged_ones_before_the_newest_as_kept) {
  const auto write_to = [](checkpoint_folder& opened, int first) {
    const example content(first);
    opened.write(content.position, content.arrays);
  };
  checkpoint_folder opened(folder(), 3);
  for (int i = 1; i <= 3; ++i) write_to(opened, i);
  fs::resize_file(file(2), 50);
  EXPECT_EQ(opened.read_newest()->number, 3U);
  write_to(opened, 4);
  EXPECT_THAT(names(),
              ElementsAre("checkpoint-1", "checkpoint-2", "checkpoint-3", "checkpoint-4", "lock"));
  write_to(opened, 5);
  EXPECT_THAT(names(), ElementsAre("checkpoint-3", "checkpoint-4", "checkpoint-5", "lock"));
}

TEST_F(checkpoint_folder_test, looks_at_those_of_earlier_processes_before_it_counts_them) {
  for (int i = 1; i <= 3; ++i) write(i, 3);
  std::string wrong = testing::content_of(file(2));
  wrong.back() = static_cast<char>(~wrong.back());
  replace(2, wrong);
  write(4, 3);
  EXPECT_THAT(names(),
              ElementsAre("checkpoint-1", "checkpoint-2", "checkpoint-3", "checkpoint-4", "lock"));
}

TEST_F(checkpoint_folder_test, removes_what_was_not_finished_and_nothing_else) {
  write(1);
  for (const char* name : {"checkpoint-2.new", "checkpoint-x.new", "notes.new", "checkpoint-07",
                           "checkpoint-18446744073709551615"}) {
    std::ofstream(folder() / name) << "half";
  }
  fs::create_directory(folder() / "checkpoint-.new");
  expect_newest(1, 1);
  EXPECT_THAT(names(), ElementsAre("checkpoint-.new", "checkpoint-07", "checkpoint-1",
                                   "checkpoint-18446744073709551615", "checkpoint-x.new", "lock",
                                   "notes.new"));
}

TEST_F(checkpoint_folder_test, writes_no_file_behind_a_link) {
  write(1);
  checkpoint_folder opened(folder(), 2);
  const fs::path elsewhere = root_ / "elsewhere";
  fs::create_symlink(elsewhere, folder() / "checkpoint-2.new");
  fs::create_symlink(elsewhere, folder() / "checkpoint-3");
  const example content(2);
  EXPECT_EQ(opened.write(content.position, content.arrays), 4U);
  EXPECT_FALSE(fs::exists(elsewhere));
}

TEST_F(checkpoint_folder_test, may_be_behind_a_link_and_have_a_slash_at_its_end) {
  fs::create_directories(root_ / "real");
  fs::create_directory_symlink(root_ / "real", root_ / "link");
  const example content(1);
  checkpoint_folder(root_ / "link/", 2).write(content.position, content.arrays);
  EXPECT_TRUE(fs::exists(root_ / "real/checkpoint-1"));
}

TEST_F(checkpoint_folder_test, is_of_one_object_at_a_time) {
  const checkpoint_folder first(folder(), 2);
  EXPECT_THAT(io_error_of([&] { checkpoint_folder second(folder(), 2); }),
              AllOf(HasSubstr(folder().string()), HasSubstr("another process")));
}

TEST_F(checkpoint_folder_test, is_not_written_by_the_owner_of_one_that_was_removed) {
  const example first(1), second(2);
  checkpoint_folder opened(folder(), 2);
  opened.write(first.position, first.arrays);
  fs::remove_all(folder());
  EXPECT_THAT(io_error_of([&] { opened.write(second.position, second.arrays); }),
              AllOf(HasSubstr(folder().string()), HasSubstr("No such file")));
  checkpoint_folder other(folder(), 2);
  EXPECT_THAT(io_error_of([&] { opened.write(second.position, second.arrays); }),
              AllOf(HasSubstr("\"" + folder().string() + "\""), HasSubstr("another owner")));
  EXPECT_THAT(names(), ElementsAre("lock"));
  EXPECT_EQ(other.write(second.position, second.arrays), 1U);
}

TEST_F(checkpoint_folder_test, says_that_no_number_is_left) {
  write(1);
  const fs::path last = folder() / "checkpoint-18446744073709551614";
  std::ofstream(last) << "of another program";
  const example content(2);
  checkpoint_folder opened(folder(), 2);
  EXPECT_THAT(io_error_of([&] { opened.write(content.position, content.arrays); }),
              AllOf(HasSubstr("\"" + folder().string() + "\""), HasSubstr("-18446744073709551614"),
                    HasSubstr("largest number")));
  EXPECT_THAT(names(), ElementsAre("checkpoint-1", last.filename().string(), "lock"));
  fs::remove(last);
  EXPECT_EQ(opened.write(content.position, content.arrays), 2U);
}

TEST_F(checkpoint_folder_test, refuses_what_cannot_be_a_folder) {
  std::ofstream(root_ / "file") << "no folder";
  EXPECT_THAT(io_error_of([&] { checkpoint_folder(root_ / "file", 2); }),
              AllOf(HasSubstr("file\""), HasSubstr("Not a directory")));
  EXPECT_THAT(io_error_of([&] { checkpoint_folder(root_ / "file/below", 2); }),
              HasSubstr("Not a directory"));
  EXPECT_THAT(io_error_of([&] { checkpoint_folder("", 2); }), HasSubstr("No such file"));
  EXPECT_THROW(checkpoint_folder(folder(), 0), usage_error);
  EXPECT_FALSE(fs::exists(folder()));
}

/// A file may have so many bytes while this object lives.
class file_limit {
 public:
  explicit file_limit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~file_limit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  file_limit(const file_limit&) = delete;
  file_limit& operator=(const file_limit&) = delete;

 private:
  rlimit before_{};
  sighandler_t handler_;
};

TEST_F(checkpoint_folder_test, leaves_the_checkpoint_before_where_there_is_no_room) {
  write(1);
  checkpoint_folder opened(folder(), 1);
  const example second(2);
  {
    const file_limit limit(100);
    EXPECT_THAT(io_error_of([&] { opened.write(second.position, second.arrays); }),
                AllOf(HasSubstr("\"" + file(2).string() + "\""), HasSubstr("File too large")));
  }
  EXPECT_THAT(names(), ElementsAre("checkpoint-1", "lock"));
  EXPECT_EQ(opened.read_newest()->number, 1U);
  EXPECT_EQ(opened.write(second.position, second.arrays), 2U);
  EXPECT_THAT(names(), ElementsAre("checkpoint-2", "lock"));
}

}  // namespace

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <hocket/devices/cost_store.hpp>

#include "child_program.hpp"
#include "cost_text.hpp"

namespace hocket {

namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

launch_cost gemm_of(double flops, nanoseconds time) {
  return {"a device", "gemm", "a text", {flops, 12}, true, time};
}

copy_cost copy_of(std::uint64_t bytes, nanoseconds time) {
  return {"a device", "another \"one\"\n\xff", bytes, time};
}

class cost_store_test : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path folder() const { return fs::path(root_ / "some") / "where"; }
  [[nodiscard]] cost_store store() const { return cost_store(folder().string()); }
  [[nodiscard]] fs::path file() const { return store().file(); }

  /// The text that a store prints on standard error while this is done.
  template <class F>
  [[nodiscard]] static std::string said_by(F&& work) {
    ::testing::internal::CaptureStderr();
    work();
    return ::testing::internal::GetCapturedStderr();
  }
  [[nodiscard]] bool has(const launch_cost& wanted) const {
    const cost_table all = store().load();
    return std::ranges::find(all.launches, wanted) != all.launches.end();
  }
  [[nodiscard]] std::string content() const {
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& text) const { std::ofstream(file(), std::ios::binary) << text; }

  testing::scratch_folder root_;
};

TEST_F(cost_store_test, what_was_merged_is_loaded) {
  const cost_table all{{gemm_of(1e9, 3ms), gemm_of(0.1, 7ns), gemm_of(3e91, 1ms)},
                       {copy_of(4096, 5us)}};
  EXPECT_EQ(store().load(), cost_table{});
  store().merge(all);
  EXPECT_EQ(store().load(), all);
  EXPECT_EQ(parse_costs(to_text(all)), all);
}

TEST_F(cost_store_test, newer_costs_of_the_same_size_replace_older_ones) {
  store().merge({{gemm_of(1e9, 3ms), gemm_of(1e6, 4us)}, {copy_of(4096, 5us)}});
  store().merge({{gemm_of(1.01e9, 9ms)}, {copy_of(4097, 6us), copy_of(1 << 20, 7us)}});
  EXPECT_EQ(store().load(), (cost_table{{gemm_of(1.01e9, 9ms), gemm_of(1e6, 4us)},
                                        {copy_of(4097, 6us), copy_of(1 << 20, 7us)}}));
  launch_cost of_other_text = gemm_of(1e9, 1ms);
  of_other_text.definition = "another text";
  store().merge({{of_other_text}, {}});
  EXPECT_EQ(store().load().launches.size(), 3U);
}

TEST_F(cost_store_test, about_the_same_times_are_not_written_again) {
  store().merge({{gemm_of(1e9, 100us)}, {}});
  const std::string before = content();
  store().merge({{gemm_of(1.01e9, 110us)}, {}});
  EXPECT_EQ(content(), before);
  store().merge({{gemm_of(1e9, 120us)}, {}});
  EXPECT_NE(content(), before);
}

TEST_F(cost_store_test, what_no_launch_can_take_is_left_out) {
  store().merge({{gemm_of(1e9, 0ns), gemm_of(HUGE_VAL, 1ms), gemm_of(-1, 1ms), gemm_of(4, 1ms)},
                 {copy_of(4096, -1ns)}});
  EXPECT_EQ(store().load(), (cost_table{{gemm_of(4, 1ms)}, {}}));
}

TEST_F(cost_store_test, the_oldest_go_where_there_are_too_many) {
  cost_table many;
  for (std::size_t i = 0; i < cost_store::max_launches; ++i) {
    many.launches.push_back(gemm_of(1e9, 1ms));
    many.launches.back().kernel += std::to_string(i);
  }
  store().merge(many);
  store().merge({{gemm_of(1e9, 2ms)}, {}});
  const cost_table kept = store().load();
  EXPECT_EQ(kept.launches.size(), cost_store::max_launches);
  EXPECT_EQ(kept.launches.front(), gemm_of(1e9, 2ms));
  EXPECT_EQ(kept.launches[1], many.launches[0]);
}

TEST_F(cost_store_test, the_newest_stay_where_names_are_too_long_for_all) {
  cost_table many{{}, {copy_of(4096, 5us)}};
  for (std::size_t i = 0; i < 1500; ++i) {
    many.launches.push_back(gemm_of(1e9, 1ms));
    many.launches.back().kernel = std::to_string(i) + std::string(6000, 'n');
  }
  store().merge(many);
  EXPECT_LE(fs::file_size(file()), largest_costs);
  EXPECT_EQ(said_by([&] {
              const cost_table kept = store().load();
              ASSERT_GT(kept.launches.size(), 1300U);
              EXPECT_EQ(kept.copies, many.copies);
              many.launches.resize(kept.launches.size());
              EXPECT_EQ(kept.launches, many.launches);
            }),
            "");
  store().merge({{gemm_of(1e9, 3ms)}, {}});
  EXPECT_EQ(store().load().launches.front(), gemm_of(1e9, 3ms));
}

TEST(CostText, HasWhatFits) {
  const cost_table all{{gemm_of(1, 1ms), gemm_of(2, 2ms), gemm_of(4, 3ms)}, {copy_of(64, 5us)}};
  cost_table with_long = all;
  with_long.launches[1] = {"another device", std::string(5000, '\1'), "a text", {1, 1}, true, 1ms};
  const cost_table without{{all.launches[0], all.launches[2]}, all.copies};
  EXPECT_EQ(parse_costs(to_text(with_long, 2000)), without);
  EXPECT_EQ(to_text(with_long, 2000), to_text(without));
  for (std::uint64_t most = 128; most < 600; ++most) {
    const std::string text = to_text(all, most);
    EXPECT_LE(text.size(), most);
    EXPECT_TRUE(parse_costs(text)) << most;
  }
}

TEST_F(cost_store_test, any_byte_that_is_wrong_or_missing_shows) {
  store().merge({{gemm_of(1e9, 3ms)}, {copy_of(4096, 5us)}});
  const std::string whole = content();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(parse_costs(changed)) << "byte " << at;
    EXPECT_FALSE(parse_costs(whole.substr(0, at))) << at << " bytes";
  }
  EXPECT_TRUE(parse_costs(whole));
}

TEST_F(cost_store_test, a_damaged_file_is_set_aside_and_said_once) {
  store().merge({{gemm_of(1e9, 3ms)}, {}});
  const std::string damaged = file().string() + ".damaged";
  for (const std::string& text : {std::string(), std::string("hocket costs 2 and more\n"),
                                  content().substr(0, 100), std::string("\0\1\2", 3)}) {
    write(text);
    const cost_store one = store();
    EXPECT_THAT(said_by([&] { EXPECT_EQ(one.load(), cost_table{}); }),
                AllOf(HasSubstr("damaged"), HasSubstr(file().string())));
    EXPECT_FALSE(fs::exists(file()));
    EXPECT_TRUE(fs::exists(damaged));
    write(text);
    EXPECT_EQ(said_by([&] { one.merge({{gemm_of(1e9, 3ms)}, {}}); }), "") << "said before";
    EXPECT_EQ(one.load().launches.size(), 1U);
  }
}

// A socket cannot be opened, by root neither, whom permissions do not stop.
TEST_F(cost_store_test, what_cannot_be_read_stays_as_it_is_and_that_is_said_once) {
  store().merge({{gemm_of(1e9, 3ms)}, {}});
  fs::rename(file(), root_ / "moved");
  ASSERT_EQ(::mknod(file().c_str(), S_IFSOCK | S_IRUSR | S_IWUSR, 0), 0);
  const cost_store one = store();
  EXPECT_THAT(said_by([&] { EXPECT_EQ(one.load(), cost_table{}); }),
              AllOf(HasSubstr("cannot be read"), HasSubstr("stay as they are"),
                    HasSubstr(file().string())));
  EXPECT_EQ(said_by([&] { one.merge({{gemm_of(1e9, 9ms)}, {}}); }), "") << "said before";
  EXPECT_TRUE(fs::is_socket(file()));
  EXPECT_THAT(said_by([&] {
                store().merge({{gemm_of(1e9, 9ms)}, {}});
              }),
              HasSubstr("stay as they are"));
  EXPECT_TRUE(fs::is_socket(file()));
  fs::rename(root_ / "moved", file());
  EXPECT_EQ(store().load().launches.front(), gemm_of(1e9, 3ms));
}

TEST_F(cost_store_test, a_file_that_is_too_large_is_set_aside) {
  store().merge({{gemm_of(1e9, 3ms)}, {}});
  fs::resize_file(file(), largest_costs + 1);
  EXPECT_THAT(said_by([&] { store().merge({{gemm_of(1e9, 9ms)}, {}}); }), HasSubstr("damaged"));
  EXPECT_EQ(store().load().launches.front(), gemm_of(1e9, 9ms));
  EXPECT_TRUE(fs::exists(file().string() + ".damaged"));
}

TEST_F(cost_store_test, what_others_may_write_is_not_used) {
  store().merge({{gemm_of(1e9, 3ms)}, {}});
  fs::permissions(file(), fs::perms::others_write, fs::perm_options::add);
  EXPECT_THAT(said_by([&] { EXPECT_EQ(store().load(), cost_table{}); }), HasSubstr("not used"));
  fs::permissions(file(), fs::perms::others_write, fs::perm_options::remove);
  fs::rename(file(), root_ / "moved");
  fs::create_symlink(root_ / "moved", file());
  EXPECT_THAT(said_by([&] { EXPECT_EQ(store().load(), cost_table{}); }), HasSubstr("not used"));
  fs::permissions(folder(), fs::perms::group_write, fs::perm_options::add);
  const cost_store one = store();
  EXPECT_THAT(said_by([&] {
                EXPECT_EQ(one.load(), cost_table{});
                one.merge({{gemm_of(1e9, 3ms)}, {}});
              }),
              HasSubstr("no folder of this user"));
  EXPECT_TRUE(fs::is_symlink(file()));
}

TEST_F(cost_store_test, where_nothing_can_be_written_that_is_said_once) {
  std::ofstream(root_ / "some") << "a file";
  const cost_store one = store();
  EXPECT_THAT(said_by([&] {
                one.merge({{gemm_of(1e9, 3ms)}, {}});
                one.merge({{gemm_of(1e9, 3ms)}, {}});
              }),
              AllOf(HasSubstr("cannot be kept"), HasSubstr("HOCKET_COSTS")));
  EXPECT_EQ(one.load(), cost_table{});
  fs::remove(root_ / "some");
  store().merge({{gemm_of(1e9, 3ms)}, {}});
  // A folder in the place of the new file stops root as well, which permissions do not.
  fs::create_directories(file().string() + ".new");
  EXPECT_THAT(said_by([&] {
                store().merge({{gemm_of(1e9, 9ms)}, {}});
              }),
              HasSubstr("cannot be kept"));
  EXPECT_EQ(store().load().launches.front(), gemm_of(1e9, 3ms));
}

// A limit of the size of files stands for a disk that is full: a part of the file is written.
TEST_F(cost_store_test, what_cannot_be_written_whole_leaves_the_old_file) {
  store().merge({{gemm_of(1e9, 3ms)}, {}});
  cost_table many;
  for (int i = 0; i < 200; ++i) many.launches.push_back(gemm_of(std::ldexp(1, i), 1ms));
  const auto signal_before = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit small { 4096, before.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string said = said_by([&] { store().merge(many); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, signal_before);
  EXPECT_THAT(said, AllOf(HasSubstr("cannot be kept"), HasSubstr("File too large")));
  EXPECT_EQ(store().load(), (cost_table{{gemm_of(1e9, 3ms)}, {}}));
  EXPECT_FALSE(fs::exists(file().string() + ".new"));
}

TEST_F(cost_store_test, a_store_that_is_busy_keeps_what_it_has) {
  store().merge({{gemm_of(1e9, 3ms)}, {}});
  std::FILE* const other = std::fopen((folder() / "lock").c_str(), "r+");
  ASSERT_NE(other, nullptr);
  ASSERT_EQ(::flock(::fileno(other), LOCK_EX), 0);
  EXPECT_EQ(said_by([&] { store().merge({{gemm_of(1e9, 9ms)}, {}}); }), "");
  EXPECT_EQ(store().load().launches.front(), gemm_of(1e9, 3ms));
  std::fclose(other);
}

// A merge may find the store busy; what it has added is never lost to another merge.
TEST_F(cost_store_test, merges_at_the_same_time_lose_nothing) {
  constexpr int threads = 3, merges = 10;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      for (int i = 0; i < merges; ++i) {
        launch_cost one = gemm_of(1e9, 1ms);
        one.kernel = std::to_string(t) + " " + std::to_string(i);
        do {
          store().merge({{one}, {}});
        } while (!has(one));
      }
    });
  }
  for (std::thread& each : all) each.join();
  EXPECT_EQ(store().load().launches.size(), std::size_t{threads * merges});
}

TEST_F(cost_store_test, is_off_or_in_a_folder_or_in_the_users_cache) {
  EXPECT_FALSE(cost_store("off").is_on());
  cost_store("off").merge({{gemm_of(1e9, 3ms)}, {}});
  EXPECT_EQ(cost_store("off").load(), cost_table{});
  EXPECT_EQ(cost_store("here").file(), fs::current_path() / "here" / "costs-2");
  const char* const known = std::getenv("XDG_CACHE_HOME");
  const std::string before = known == nullptr ? "" : known;
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", (root_ / "xdg").c_str(), 1), 0);
  EXPECT_EQ(cost_store("").file(), root_ / "xdg/hocket/costs/costs-2");
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", before.c_str(), 1), 0);
}

TEST(Identity, OfADeviceChangesWithItsDriver) {
  device_info one;
  one.name = "GPU0";
  one.description = "a GPU, driver 1.0";
  device_info other = one;
  other.flops_per_second *= 2;
  EXPECT_EQ(identity_of(one), identity_of(other)) << "times are kept, not how wrong rates are";
  other.description = "a GPU, driver 1.1";
  EXPECT_NE(identity_of(one), identity_of(other));
  other = one;
  other.lanes = 2;
  EXPECT_NE(identity_of(one), identity_of(other));
}

TEST(Identity, OfAKernelChangesWithItsTextAndSignature) {
  kernel_definition one;
  one.name = "k";
  one.parameters = {{}};
  one.sources = {{.names = {"x"}, .passes = {{.text = "x = 1;"}}}};
  kernel_definition other = one;
  EXPECT_EQ(identity_of(one), identity_of(other));
  other.sources.front().passes.front().text = "x = 2;";
  EXPECT_NE(identity_of(one), identity_of(other));
  other = one;
  other.parameters.front().mode = access_mode::write;
  EXPECT_NE(identity_of(one), identity_of(other));
  kernel_definition sequence;
  sequence.sequence = {{.kernel = std::make_shared<const kernel_definition>(one)}};
  const std::string of_one = identity_of(sequence);
  sequence.sequence = {{.kernel = std::make_shared<const kernel_definition>(other)}};
  EXPECT_NE(identity_of(sequence), of_one);
}

}  // namespace

}  // namespace hocket

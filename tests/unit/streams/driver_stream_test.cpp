// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include <hocket/execution/seeded_executor.hpp>
#include <hocket/streams/driver_stream.hpp>

#include "commands.hpp"
#include "recording_sink.hpp"

namespace hocket::testing {

namespace {

/// A driver that a test plays.
class played_stream final : public driver_stream {
 public:
  using driver_stream::driver_stream;
  ~played_stream() override { close(); }
  using driver_stream::ended;
  using driver_stream::ended_in_a_row;

  std::map<std::uint64_t, failure> refuses;  ///< when it is handed over
  std::map<std::uint64_t, failure> not_compiled;
  std::vector<std::uint64_t> handed;
  std::vector<std::uint64_t> waited;  ///< for other streams
  std::vector<std::size_t> flushed;   ///< behind so many

  driver_stream* awaits = nullptr;  ///< on the host, what its commands follow
  bool is_awaited = false;

  void compile_all() { compiled_ = std::numeric_limits<std::uint64_t>::max(); }
  void end(std::uint64_t value) { ended(value, {}); }

 private:
  [[nodiscard]] bool prepared(const command& what) override { return compiled_ >= what.value; }
  [[nodiscard]] failure prepare(const command& what) override {
    compiled_ = what.value;
    return not_compiled[what.value];
  }
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override {
    if (failure why = refuses[what.value]) return why;
    handed.push_back(what.value);
    for (const device_wait& w : waits) waited.push_back(w.value);
    return {};
  }
  [[nodiscard]] bool starts_early(const command&, const driver_stream& other) const override {
    return awaits == &other;
  }
  [[nodiscard]] bool ends_are_awaited() const noexcept override { return is_awaited; }
  void flush() override { flushed.push_back(handed.size()); }

  std::uint64_t compiled_ = 0;
};

/// Two devices of one domain with a stream each.
class driver_stream_test : public ::testing::Test {
 protected:
  void run() {
    where.wait([](const auto&) {}, where.now() + std::chrono::milliseconds(1));
  }
  [[nodiscard]] failure why(timepoint of) { return sink.result(of.on->stream(), of.value).why; }

  recording_sink sink;
  submitter submit;
  seeded_executor where{seeded_executor_options{.seed = 1, .workers = {2}}};
  driver_domain domain;
  std::shared_ptr<host_epoch> epoch_a = std::make_shared<host_epoch>(device_id{0}, sink);
  std::shared_ptr<host_epoch> epoch_b = std::make_shared<host_epoch>(device_id{1}, sink);
  played_stream a{domain, where, epoch_a, {0}};
  played_stream b{domain, where, epoch_b, {1}};
};

}  // namespace

TEST_F(driver_stream_test, a_constructor_that_throws_leaves_no_stream) {
  class refused_stream final : public driver_stream {
   public:
    refused_stream(driver_domain& in, executor& on, std::shared_ptr<host_epoch> epoch)
        : driver_stream(in, on, std::move(epoch), {2}) {
      throw error(failure(failure_code::internal, "There is no thread for it."));
    }

   private:
    [[nodiscard]] bool prepared(const command&) override { return true; }
    [[nodiscard]] failure prepare(const command&) override { return {}; }
    [[nodiscard]] failure enqueue(const command&, std::span<const device_wait>) override {
      return {};
    }
  };
  EXPECT_THROW(refused_stream(domain, where, epoch_a), error);
  // The other streams of the domain step one another, and not what is gone.
  const timepoint one = submit(a, nothing());
  const timepoint two = submit(b, nothing(), {one});
  run();
  a.end(1);
  b.end(1);
  EXPECT_TRUE(two.done());
}

TEST_F(driver_stream_test, the_device_waits_for_what_was_handed_over) {
  const timepoint one = submit(a, nothing());
  const timepoint two = submit(b, nothing(), {one});
  EXPECT_TRUE(a.handed.empty()) << "nothing is compiled by who submits";
  run();
  EXPECT_EQ(b.handed, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(b.waited, (std::vector<std::uint64_t>{1}));
  a.end(1);
  b.end(1);
  EXPECT_TRUE(two.done());
  EXPECT_FALSE(why(two));
}

TEST_F(driver_stream_test, what_would_start_early_is_handed_over_after_the_end) {
  a.compile_all();
  b.compile_all();
  b.awaits = &a;
  a.is_awaited = true;
  const timepoint one = submit(a, nothing());
  const timepoint two = submit(a, nothing());
  const timepoint after_one = submit(b, nothing(), {one});
  submit(b, nothing(), {two});
  EXPECT_TRUE(b.handed.empty());
  a.end(1);
  EXPECT_EQ(b.handed, (std::vector<std::uint64_t>{1}));
  a.end(2);
  EXPECT_EQ(b.handed, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_TRUE(b.waited.empty());
  b.end(1);
  b.end(2);
  EXPECT_FALSE(why(after_one));
}

TEST_F(driver_stream_test, what_waits_for_an_end_goes_on_where_that_one_was_refused) {
  a.compile_all();
  b.compile_all();
  b.awaits = &a;
  a.is_awaited = true;
  a.refuses[2] = {failure_code::task_failed, "No."};
  submit(a, nothing());
  const timepoint bad = submit(a, nothing());
  const timepoint after_bad = submit(b, nothing(), {bad});
  EXPECT_TRUE(b.handed.empty());
  a.end(1);
  EXPECT_TRUE(bad.done());
  EXPECT_EQ(b.handed, (std::vector<std::uint64_t>{1}));
  b.end(1);
  EXPECT_FALSE(why(after_bad));
}

TEST_F(driver_stream_test, what_does_not_compile_fails_in_its_turn) {
  a.not_compiled[2] = {failure_code::compile_failed, "It is no text."};
  submit(a, nothing());
  const timepoint bad = submit(a, nothing());
  const timepoint good = submit(a, nothing(), {bad});
  run();
  EXPECT_EQ(a.handed, (std::vector<std::uint64_t>{1, 3}));
  EXPECT_FALSE(bad.done()) << "the one before it runs";
  a.end(3);
  a.end(1);
  EXPECT_TRUE(good.done());
  EXPECT_EQ(why(bad).code(), failure_code::compile_failed);
  EXPECT_FALSE(why(good));
}

TEST_F(driver_stream_test, several_ends_are_heard_of_together) {
  a.not_compiled[3] = {failure_code::compile_failed, "It is no text."};
  timepoint last;
  for (int i = 0; i < 4; ++i) last = submit(a, nothing());
  run();
  EXPECT_EQ(a.handed, (std::vector<std::uint64_t>{1, 2, 4}));
  a.end(4);
  EXPECT_EQ(last.on->completed(), 0U);
  std::vector<command_result> two(2);
  two[0] = {{}, time_stamp(5), time_stamp(9)};
  two[1] = {{}, time_stamp(7), time_stamp(8)};
  a.ended_in_a_row(1, two);
  EXPECT_TRUE(last.done()) << "those behind the two had ended before";
  const auto all = sink.results({0});
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1].begin, time_stamp(9)) << "they end one after another";
  EXPECT_EQ(all[2].why.code(), failure_code::compile_failed);
  EXPECT_FALSE(all[3].why);
}

TEST_F(driver_stream_test, what_is_batched_is_flushed_once) {
  a.compile_all();
  submit(a, nothing());
  submit(a, nothing());
  EXPECT_EQ(a.flushed, (std::vector<std::size_t>{1, 2}));
  a.begin_batch();
  for (int i = 0; i < 3; ++i) submit(a, nothing());
  EXPECT_EQ(a.handed.size(), 5U) << "the driver has them";
  EXPECT_EQ(a.flushed.size(), 2U);
  a.end_batch();
  EXPECT_EQ(a.flushed, (std::vector<std::size_t>{1, 2, 5}));
  a.begin_batch();
  a.end_batch();
  EXPECT_EQ(a.flushed.size(), 3U) << "there was nothing";
  submit(a, nothing());
  EXPECT_EQ(a.flushed.back(), 6U) << "it gathers no more";
  for (std::uint64_t value = 1; value <= 6; ++value) a.end(value);
}

TEST_F(driver_stream_test, a_driver_that_refuses_a_batch_is_told_to_go_on) {
  a.compile_all();
  a.refuses[1] = {failure_code::task_failed, "It has too many."};
  a.begin_batch();
  const timepoint refused = submit(a, nothing());
  EXPECT_TRUE(refused.done());
  a.end_batch();
  EXPECT_EQ(a.flushed, (std::vector<std::size_t>{0})) << "it may have begun something";
}

TEST_F(driver_stream_test, what_waits_for_its_program_is_flushed_after_it) {
  a.begin_batch();
  const timepoint late = submit(a, nothing());
  a.end_batch();
  EXPECT_TRUE(a.flushed.empty());
  run();
  EXPECT_EQ(a.flushed, (std::vector<std::size_t>{1}));
  a.end(1);
  EXPECT_TRUE(late.done());
}

TEST_F(driver_stream_test, the_device_does_not_wait_for_what_the_driver_never_had) {
  b.compile_all();
  a.not_compiled[2] = {failure_code::compile_failed, "It is no text."};
  submit(a, nothing());
  const timepoint bad = submit(a, nothing());
  submit(b, nothing(), {bad});
  run();
  EXPECT_EQ(a.handed, (std::vector<std::uint64_t>{1}));
  EXPECT_FALSE(bad.done()) << "the one before it runs";
  EXPECT_EQ(b.handed, (std::vector<std::uint64_t>{1}));
  EXPECT_EQ(b.waited, (std::vector<std::uint64_t>{1})) << "for the one before";
  a.end(1);
  b.end(1);
}

TEST_F(driver_stream_test, nothing_overtakes_what_waits_for_another_stream) {
  b.compile_all();
  const timepoint one = submit(a, nothing());
  const timepoint waits = submit(b, nothing(), {one});
  submit(b, nothing());
  EXPECT_TRUE(b.handed.empty()) << "what the first waits for is not handed over yet";
  run();
  EXPECT_EQ(b.handed, (std::vector<std::uint64_t>{1, 2}));
  a.end(1);
  b.end(1);
  b.end(2);
  EXPECT_FALSE(why(waits));
}

TEST_F(driver_stream_test, a_driver_that_loses_its_device_when_it_is_given_a_command) {
  a.refuses[2] = {failure_code::device_lost, "It is unplugged."};
  submit(a, nothing());
  const timepoint lost = submit(a, nothing());
  const timepoint waits = submit(b, nothing(), {lost});
  const timepoint after = submit(b, nothing());
  run();
  EXPECT_TRUE(sink.lost().empty()) << "a command is still in the driver";
  a.end(1);
  EXPECT_EQ(sink.lost().at(device_id{0}).message(), "It is unplugged.");
  EXPECT_TRUE(sink.results({0}).empty());
  EXPECT_EQ(why(waits).code(), failure_code::device_lost);
  EXPECT_EQ(b.handed, (std::vector<std::uint64_t>{2}));
  b.end(2);
  EXPECT_FALSE(why(after));
  EXPECT_FALSE(sink.lost().contains(device_id{1}));
}

}  // namespace hocket::testing

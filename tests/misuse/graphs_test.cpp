// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <optional>
#include <utility>

#include "support.hpp"

namespace hocket {
namespace {

using hocket::testing::refusal;
using hocket::testing::small_machine;
using ::testing::AllOf;
using ::testing::HasSubstr;

class WrongGraphs : public ::testing::Test {
 protected:
  runtime rt_{small_machine()};
  buffer<float> x_{rt_, 10, 1.0f, "x"};
  const graph nothing_ = rt_.record([](submitter&) {});
};

TEST_F(WrongGraphs, NoneToChooseFrom) {
  EXPECT_THAT(refusal([&] {
                (void)rt_.record(
                    [&](submitter& s) { s.run_one_of({.label = "which"}, [] { return 0; }, {}); });
              }),
              AllOf(HasSubstr("\"which\""), HasSubstr("no graphs")));
}

TEST_F(WrongGraphs, OfAnotherRuntime) {
  runtime other(small_machine());
  const graph foreign = other.record([](submitter& s) { s.async([] {}); });
  const auto says = HasSubstr("was recorded for another runtime");
  EXPECT_THAT(refusal([&] { rt_.run({.label = "foreign"}, foreign); }),
              AllOf(HasSubstr("\"foreign\""), says));
  EXPECT_THAT(refusal([&] { (void)rt_.record([&](submitter& s) { s.run(foreign); }); }), says);
  EXPECT_THAT(refusal([&] { rt_.run_while([] { return true; }, foreign); }), says);
}

TEST_F(WrongGraphs, ThatWereMovedFrom) {
  graph moved = rt_.record([](submitter& s) { s.async([] {}); });
  const graph kept = std::move(moved);
  EXPECT_THAT(refusal([&] { rt_.run(moved); }),  // NOLINT(*-use-after-move)
              HasSubstr("moved from"));
  rt_.run(kept).get();
}

TEST_F(WrongGraphs, WithTasksOfTheRecordingAround) {
  EXPECT_THAT(
      refusal([&] {
        (void)rt_.record([&](submitter& s) {
          const auto outer = s.async({.label = "outer"}, [] {});
          s.run_if(
              [] { return true; },
              [&](submitter& body) { body.async({.label = "inner", .after = {outer}}, [] {}); });
        });
      }),
      AllOf(HasSubstr("\"outer\""), HasSubstr("\"inner\""), HasSubstr("another recording")));
}

TEST_F(WrongGraphs, AfterTasksOfAnotherRecording) {
  std::optional<future<void>> elsewhere;
  std::optional<future<bool>> answer;
  (void)rt_.record([&](submitter& s) {
    elsewhere = s.async({.label = "elsewhere"}, [] {});
    answer = s.async({.label = "answer"}, [] { return true; });
  });
  const auto in_recording = [&](const auto& call) {
    return refusal([&] { (void)rt_.record(call); });
  };
  EXPECT_THAT(in_recording([&](submitter& s) { s.run({.after = {*elsewhere}}, nothing_); }),
              AllOf(HasSubstr("\"elsewhere\""), HasSubstr("another recording")));
  EXPECT_THAT(in_recording([&](submitter& s) { s.run_if(*answer, nothing_); }),
              AllOf(HasSubstr("\"answer\""), HasSubstr("another recording")));
  EXPECT_THAT(refusal([&] { rt_.run({.after = {*elsewhere}}, nothing_); }),
              AllOf(HasSubstr("\"elsewhere\""), HasSubstr("is part of a recording")));
  EXPECT_THAT(refusal([&] { rt_.run_if(*answer, nothing_); }),
              AllOf(HasSubstr("\"answer\""), HasSubstr("is part of a recording")));
}

TEST_F(WrongGraphs, AfterNoTask) {
  EXPECT_THAT(refusal([&] { rt_.run({.after = {future<void>()}}, nothing_); }),
              HasSubstr("a future without a task"));
  EXPECT_THAT(refusal([&] { rt_.run_if(future<bool>(), nothing_); }),
              HasSubstr("a future without a task"));
}

TEST_F(WrongGraphs, WithoutTheParameterThatIsSet) {
  const run_parameter<float> rate{0.5f, "rate"};
  const run_parameter<float> other{0.5f, "other"};
  const graph fill = rt_.record([&](submitter& s) { s.submit(ops::fill, rate, writes(x_)); });
  EXPECT_THAT(refusal([&] { rt_.run({.label = "step"}, fill, {other = 1.0f}); }),
              AllOf(HasSubstr("\"other\""), HasSubstr("\"step\""), HasSubstr("no such parameter")));
  EXPECT_THAT(refusal([&] {
                rt_.run(fill, {rate = 1.0f, rate = 2.0f});
              }),
              AllOf(HasSubstr("\"rate\""), HasSubstr("twice")));
  // What a part was given is no parameter of the whole any more.
  const graph bound = rt_.record([&](submitter& s) { s.run(fill, {rate = 3.0f}); });
  EXPECT_THAT(refusal([&] { rt_.run(bound, {rate = 1.0f}); }), HasSubstr("no such parameter"));
  rt_.run(bound);
  EXPECT_EQ(x_.to_vector()[0], 3.0f);
}

TEST_F(WrongGraphs, ThatAreWaitedForWhileTheyAreRecorded) {
  EXPECT_THAT(refusal([&] {
                (void)rt_.record([&](submitter& s) { s.run({.label = "part"}, nothing_).get(); });
              }),
              AllOf(HasSubstr("\"part\""), HasSubstr("is part of a recording")));
}

TEST_F(WrongGraphs, WithAConditionThatCannotRunThere) {
  const buffer<float> large{rt_, 100, 1.0f, "large"};
  runtime other(small_machine());
  EXPECT_THAT(refusal([&] {
                (void)other.record([&](submitter& s) {
                  s.run_while(
                      {.label = "loop"},
                      when([](buffer_view<const float> v) { return v[0] > 0; }, reads(large)),
                      [](submitter&) {});
                });
              }),
              AllOf(HasSubstr("\"loop\""), HasSubstr("\"large\""), HasSubstr("another runtime")));
}

}  // namespace
}  // namespace hocket

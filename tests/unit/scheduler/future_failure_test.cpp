// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>

#include <hocket/scheduler/when_all.hpp>

#include "executors.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class failures : public on_every_executor {
 protected:
  future<int> failing(std::string label) {
    return rt.async(std::move(label), []() -> int { throw std::out_of_range("boom"); });
  }
  template <class F>
  auto labelled(std::string label, F&& f, const future<int>& before) {
    detail::host_options options;
    options.label = std::move(label);
    return rt.async(std::forward<F>(f), std::move(options), {before.state()});
  }
};
HOCKET_ON_EVERY_EXECUTOR(failures);

TEST_P(failures, of_a_body_are_its_own_exception) {
  const future<int> f = failing("a");
  EXPECT_THROW((void)f.get(), std::out_of_range);
  EXPECT_THROW((void)f.get(), std::out_of_range) << "again";
  EXPECT_EQ(f.error().code(), failure_code::task_failed);
  EXPECT_EQ(f.error().message(), "Task \"a\" failed: boom.");
}

TEST_P(failures, need_not_be_exceptions_of_the_standard) {
  const future<void> f = rt.async("odd", [] { throw 7; });
  EXPECT_THROW(f.get(), int);
  EXPECT_EQ(f.error().message(),
            "Task \"odd\" failed: it threw something that is no std::exception.");
}

TEST_P(failures, pass_along_a_chain_with_all_labels) {
  bool ran = false;
  const future<int> a = failing("a");
  const future<int> b = labelled(
      "b", [&] { return ran = true, 1; }, a);
  const future<int> c = labelled(
      "c", [&] { return ran = true, 2; }, b);
  EXPECT_EQ(message_of([&] { (void)b.get(); }),
            "Task \"b\" did not run, because task \"a\" failed: boom.");
  EXPECT_EQ(message_of([&] { (void)c.get(); }),
            "Task \"c\" did not run, because task \"b\" did not run, because task \"a\" failed: "
            "boom.");
  EXPECT_THROW((void)c.get(), error);
  EXPECT_EQ(c.error().code(), failure_code::dependency_failed);
  EXPECT_FALSE(ran);
}

TEST_P(failures, of_long_chains_have_short_messages) {
  future<int> last = failing("a");
  for (int i = 1; i <= 30000; ++i) {
    last = labelled(
        "t" + std::to_string(i), [] { return 0; }, last);
  }
  const std::string message = last.error().message();
  EXPECT_THAT(message,
              StartsWith("Task \"t30000\" did not run, because task \"t29999\" did not run,"
                         " because 29998 tasks before it did not run, because "));
  EXPECT_THAT(message, EndsWith("because task \"a\" failed: boom."));
}

TEST_P(failures, of_a_task_that_was_not_run_name_the_cause) {
  const auto device = make_hand_task(rt, "kernel");
  const future<int> f = labelled(
      "reader", [] { return 0; }, future<int>(device));
  device->finish({failure_code::device_lost, "Device \"Sim0\" is lost."});
  EXPECT_EQ(
      f.error().message(),
      "Task \"reader\" did not run, because task \"kernel\" failed: Device \"Sim0\" is lost.");
}

TEST_P(failures, that_nobody_looked_at_are_kept) {
  (void)failing("a").then([](int) {});
  rt.wait_until_idle();
  EXPECT_THAT(rt.unseen_failures(), ElementsAre("Task \"a\" failed: boom."));
}

TEST_P(failures, that_were_looked_at_are_not_kept) {
  const future<int> seen = failing("a");
  EXPECT_THROW((void)seen.get(), std::out_of_range);
  const future<void> dependent = failing("b").then([](int) {}).then([] {});
  dependent.wait();
  rt.wait_until_idle();
  EXPECT_THAT(rt.unseen_failures(), IsEmpty()) << "who looks at a dependent has seen the cause";
}

TEST_P(failures, of_one_cause_on_two_ways_are_kept_once) {
  const future<int> a = failing("a");
  const future<int> b = a.then([](int x) { return x; });
  const future<int> c = a.then([](int x) { return x; });
  const future<int> d = rt.async([] { return 0; }, {}, {b.state(), c.state()});
  rt.wait_until_idle();
  EXPECT_THAT(rt.unseen_failures(), ElementsAre("Task \"a\" failed: boom."));
  d.wait();
  EXPECT_THAT(rt.unseen_failures(), IsEmpty());
}

TEST_P(failures, of_several_predecessors_give_the_first_in_order) {
  const future<int> a = failing("a");
  const future<int> b = failing("b");
  const auto device = make_hand_task(rt, "last");
  const future<int> f = rt.async([] { return 0; }, {}, {device, b.state(), a.state()});
  device->end_with(0);
  EXPECT_EQ(message_of([&] { (void)f.get(); }),
            "A task without a label did not run, because task \"b\" failed: boom.");
  rt.wait_until_idle();
  EXPECT_THAT(rt.unseen_failures(), IsEmpty());
}

TEST_P(failures, of_a_continuation_are_its_own) {
  const future<int> good = rt.async([] { return 1; });
  const future<int> bad = good.then([](int) -> int { throw std::domain_error("later"); });
  EXPECT_THROW((void)bad.get(), std::domain_error);
  EXPECT_EQ(good.get(), 1);
}

TEST_P(failures, of_keeping_the_result_are_failures_of_the_task) {
  struct fragile {
    fragile() = default;
    fragile(const fragile& /*other*/) { throw std::length_error("copied"); }
  };
  const fragile source;
  const future<fragile> f = rt.async([&]() -> const fragile& { return source; });
  EXPECT_THROW((void)f.get(), std::length_error);
}

}  // namespace
}  // namespace hocket

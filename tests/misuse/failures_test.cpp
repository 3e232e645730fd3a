// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <chrono>
#include <stdexcept>
#include <stop_token>

#include "support.hpp"

namespace hocket {
namespace {

using namespace std::chrono_literals;
using hocket::testing::message_of;
using hocket::testing::small_machine;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct own_exception : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Failures : public ::testing::Test {
 protected:
  /// Fails on any device, and would write x.
  future<void> throwing() {
    static const kernel<inout_buffer<float>> fails{
        "fails", host_body{[](buffer_view<float>) { throw own_exception("no luck"); }}};
    return rt_.submit({.label = "source"}, fails, updates(x_));
  }

  runtime rt_{small_machine()};
  buffer<float> x_{rt_, 10, 1.0f, "x"}, y_{rt_, 10, 1.0f, "y"};
};

TEST_F(Failures, OfAKernelAreItsOwnException) {
  const future<void> failed = throwing();
  EXPECT_EQ(message_of<own_exception>([&] { failed.get(); }), "no luck");
  EXPECT_EQ(message_of<own_exception>([&] { failed.get(); }), "no luck") << "again";
  EXPECT_EQ(failed.error().code(), failure_code::task_failed);
  EXPECT_THAT(failed.error().message(), AllOf(HasSubstr("\"fails\""), HasSubstr("no luck")));
}

// Known gap: the message names the kernel alone.
TEST_F(Failures, OfAKernelNameTheTask) {
  EXPECT_THAT(throwing().error().message(), HasSubstr("\"source\""));
}

TEST_F(Failures, ReachDependentsWithTheChainOfLabels) {
  const future<void> failed = throwing();
  const future<void> middle =
      rt_.submit({.label = "middle"}, ops::axpy, 1.0f, reads(x_), updates(y_));
  const future<float> last = rt_.submit({.label = "last"}, ops::sum, reads(y_));
  EXPECT_THAT(message_of<error>([&] { (void)last.get(); }),
              AllOf(HasSubstr("\"last\""), HasSubstr("\"middle\""), HasSubstr("\"fails\""),
                    HasSubstr("no luck")));
  EXPECT_EQ(middle.error().code(), failure_code::dependency_failed);
  EXPECT_TRUE(failed.error());
  rt_.submit(ops::fill, 3.0f, writes(x_));
  EXPECT_EQ(x_.to_vector().front(), 3.0f) << "whole again";
}

TEST_F(Failures, ReachViews) {
  const future<void> failed = throwing();
  EXPECT_THROW((void)x_.read(), std::exception);
  EXPECT_TRUE(failed.error());
}

TEST_F(Failures, OfReadingWhatNoTaskWrites) {
  const buffer<float> empty{rt_, 10, "empty"};
  const future<float> sum = rt_.submit({.label = "total"}, ops::sum, reads(empty));
  EXPECT_THAT(message_of<error>([&] { (void)sum.get(); }),
              AllOf(HasSubstr("\"total\""), HasSubstr("\"empty\"")));
  EXPECT_THAT(message_of<error>([&] { (void)empty.read(); }), HasSubstr("\"empty\""));
}

TEST_F(Failures, OfWhatWasCancelled) {
  std::stop_source source;
  source.request_stop();
  const future<void> task =
      rt_.submit({.label = "unwanted", .stop = source.get_token()}, ops::fill, 2.0f, writes(x_));
  EXPECT_THAT(message_of<error>([&] { task.get(); }),
              AllOf(HasSubstr("\"unwanted\""), HasSubstr("cancelled")));
  EXPECT_EQ(task.error().code(), failure_code::cancelled);
}

TEST_F(Failures, OfWhatTakesTooLong) {
  future<void> late;
  {
    const auto seen = y_.read();
    late = rt_.submit({.label = "late", .timeout = 1ms}, ops::fill, 2.0f, writes(y_));
    while (!late.done()) {
    }
  }
  EXPECT_THAT(message_of<error>([&] { late.get(); }), HasSubstr("\"late\""));
  EXPECT_EQ(late.error().code(), failure_code::timed_out);
}

TEST_F(Failures, ThatNobodyLookedAtAreThrownByWait) {
  (void)throwing();
  EXPECT_EQ(message_of<own_exception>([&] { rt_.wait(); }), "no luck");
  rt_.wait();
}

TEST_F(Failures, ThatSomebodyLookedAtAreNotThrownByWait) {
  EXPECT_TRUE(throwing().error());
  rt_.wait();
}

TEST_F(Failures, AfterStopEveryTaskIsCancelled) {
  rt_.stop();
  const future<void> task = rt_.submit(ops::fill, 2.0f, writes(x_));
  EXPECT_THROW(task.get(), error);
  EXPECT_EQ(task.error().code(), failure_code::cancelled);
}

}  // namespace
}  // namespace hocket

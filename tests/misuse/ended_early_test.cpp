// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Waits behind one's own view where the task between has ended early, and what views that were
// refused leave behind.

#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "guard.hpp"
#include "support.hpp"

namespace hocket {
namespace {

using hocket::testing::guard_thread;
using hocket::testing::refusal;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

class EndedEarly : public ::testing::TestWithParam<data_path> {
 protected:
  void SetUp() override { rt_.wait(); }

  /// Every way to wait behind what stands behind a view that the caller holds is refused.
  void expect_refusals() {
    const auto names_view = HasSubstr("holds a view of buffer \"x\"");
    EXPECT_THAT(refusal([&] { (void)x_.read(); }), names_view);
    EXPECT_THAT(refusal([&] { (void)x_.update(); }), names_view);
    EXPECT_THAT(refusal([&] { (void)x_.write(); }), names_view);
    EXPECT_THAT(refusal([&] { (void)x_.rows(0, 2).read(); }), names_view);
    EXPECT_THAT(refusal([&] { (void)x_.to_vector(); }), names_view);
    const future<float> sum = rt_.submit({.label = "sum"}, ops::sum, reads(x_));
    EXPECT_THAT(refusal([&] { (void)sum.get(); }), AllOf(names_view, HasSubstr("\"sum\"")));
    EXPECT_THAT(refusal([&] { rt_.wait(); }), HasSubstr("all tasks of the runtime"));
    sum.cancel();
    // Only tasks that have ended are left.
    EXPECT_NO_THROW(ignore_failures());
  }
  future<void> overwrite(submitter& in, const task_options& how = {}) {
    return in.submit(how, ops::fill, 2.0f, writes(x_));
  }
  void ignore_failures() {
    try {
      rt_.wait();
    } catch (const usage_error&) {
      throw;
    } catch (const error&) {
    }
  }

  guard_thread guard_;
  runtime rt_{{.devices = "NUMA0", .data_tasks = GetParam()}};
  buffer<float> x_{rt_, 10, 1.0f, "x"};
};

TEST_P(EndedEarly, ByACancel) {
  {
    const auto view = x_.update();
    overwrite(rt_).cancel();
    expect_refusals();
  }
  ignore_failures();
}

TEST_P(EndedEarly, ByCancelsInARow) {
  {
    const auto view = x_.update();
    for (int i = 0; i < 100; ++i) overwrite(rt_).cancel();
    expect_refusals();
  }
  ignore_failures();
}

TEST_P(EndedEarly, OfAReader) {
  {
    const auto view = x_.update();
    rt_.submit(ops::sum, reads(x_)).cancel();
    EXPECT_THAT(refusal([&] { (void)x_.write(); }), HasSubstr("holds a view of buffer \"x\""));
  }
  EXPECT_EQ(x_.to_vector().front(), 1.0f);
}

TEST_P(EndedEarly, ByATimeout) {
  {
    const auto view = x_.update();
    const auto late = overwrite(rt_, {.timeout = 1ms});
    while (!late.done()) std::this_thread::sleep_for(1ms);
    expect_refusals();
  }
  ignore_failures();
}

TEST_P(EndedEarly, ByAStopToken) {
  {
    const auto view = x_.update();
    std::stop_source stop;
    (void)overwrite(rt_, {.stop = stop.get_token()});
    stop.request_stop();
    expect_refusals();
  }
  ignore_failures();
}

TEST_P(EndedEarly, ByTheCancelOfAScope) {
  {
    const auto view = x_.update();
    task_scope scope{rt_};
    (void)overwrite(scope);
    scope.cancel();
    expect_refusals();
  }
  ignore_failures();
}

TEST_P(EndedEarly, ByTheCancelOfARun) {
  {
    const auto view = x_.update();
    const graph g = rt_.record([&](submitter& s) {
      overwrite(s);
      overwrite(s);
    });
    rt_.run(g).cancel();
    EXPECT_THAT(refusal([&] { (void)x_.read(); }), HasSubstr("holds a view of buffer \"x\""));
  }
  ignore_failures();
}

TEST_P(EndedEarly, BehindTheTaskThatWaits) {
  std::string said;
  rt_.submit(
         {.label = "outer"},
         [&](buffer_view<float>) {
           overwrite(rt_).cancel();
           said = refusal([&] { (void)x_.to_vector(); });
         },
         updates(x_))
      .get();
  EXPECT_THAT(said, HasSubstr("which waits for it"));
  ignore_failures();
}

// The view of another thread goes, and with it what is in the way.
TEST_P(EndedEarly, BehindTheViewOfAThreadThatDoesNotWait) {
  std::optional<host_view<float>> view;
  view.emplace(x_.update());
  rt_.submit(ops::sum, reads(x_)).cancel();
  std::thread other([&] {
    const auto own = x_.update();
    own(0) = 7.0f;
  });
  std::this_thread::sleep_for(20ms);
  view.reset();
  other.join();
  EXPECT_EQ(x_.to_vector().front(), 7.0f);
}

class RefusedView : public EndedEarly {};

TEST_P(RefusedView, LeavesTheContentAsItWas) {
  {
    const auto view = x_.update();
    view(0) = 5.0f;
    EXPECT_THAT(refusal([&] { (void)x_.update(); }), HasSubstr("\"x\""));
    EXPECT_THAT(refusal([&] { (void)x_.write(); }), HasSubstr("\"x\""));
    EXPECT_THAT(refusal([&] { (void)x_.rows(0, 3).write(); }), HasSubstr("\"x\""));
    EXPECT_THAT(refusal([&] { (void)x_.read(); }), HasSubstr("\"x\""));
    EXPECT_THAT(refusal([&] { (void)x_.rows(2, 3).update(); }), HasSubstr("\"x\""));
    // None of them is waited for.
    rt_.wait();
  }
  EXPECT_EQ(x_.read()(0), 5.0f);
  EXPECT_EQ(x_.to_vector().back(), 1.0f);
  rt_.wait();
}

TEST_P(RefusedView, DoesNotFailTheTasksBehindIt) {
  future<float> sum;
  {
    const auto view = x_.write();
    for (float& each : view) each = 2.0f;
    EXPECT_THAT(refusal([&] { (void)x_.update(); }), HasSubstr("\"x\""));
    sum = rt_.submit(ops::sum, reads(x_));
  }
  EXPECT_EQ(sum.get(), 20.0f);
}

TEST_P(RefusedView, WritesNothing) {
  buffer<float> fresh{rt_, 10, "fresh"};
  future<float> sum;
  {
    const auto part = fresh.rows(0, 5).write();
    for (float& each : part) each = 1.0f;
    EXPECT_THAT(refusal([&] { (void)fresh.write(); }), HasSubstr("\"fresh\""));
    sum = rt_.submit(ops::sum, reads(fresh));
  }
  EXPECT_THAT(std::string(sum.error().message()), HasSubstr("which no earlier task writes"));
  ignore_failures();
  EXPECT_EQ(fresh.rows(0, 5).read()(0), 1.0f);
}

TEST_P(RefusedView, PassesOnThatTheContentBeforeItIsPoisoned) {
  future<float> sum;
  {
    const auto view = x_.read();
    const auto failed = rt_.submit(
        {.label = "failed"}, [](buffer_view<float>) { throw std::runtime_error("no"); },
        updates(x_));
    EXPECT_THAT(refusal([&] { (void)x_.update(); }), HasSubstr("\"x\""));
    sum = rt_.submit(ops::sum, reads(x_));
  }
  EXPECT_THAT(std::string(sum.error().message()), HasSubstr("\"failed\""));
  ignore_failures();
}

const auto name_of_path = [](const auto& of) {
  return of.param == data_path::in_place ? "in_place" : "placed";
};
INSTANTIATE_TEST_SUITE_P(, EndedEarly, ::testing::Values(data_path::in_place, data_path::placed),
                         name_of_path);
INSTANTIATE_TEST_SUITE_P(, RefusedView, ::testing::Values(data_path::in_place, data_path::placed),
                         name_of_path);

}  // namespace
}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <atomic>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support.hpp"

namespace hocket {
namespace {

using hocket::testing::refusal;
using hocket::testing::small_machine;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Handles of every kind, and the runtime that they belong to.
struct everything {
  std::optional<runtime> rt{std::in_place, small_machine()};
  std::optional<buffer<float>> x{std::in_place, *rt, 16, 1.0f, "x"};
  future<int> function = rt->async({.label = "function"}, [] { return 3; });
  future<void> task = rt->submit({.label = "task"}, ops::fill, 2.0f, writes(*x));
  future<float> value = rt->submit({.label = "value"}, ops::sum, reads(*x));
  graph recorded = rt->record([this](submitter& s) {
    s.async([] {});
    s.submit(ops::fill, 3.0f, writes(*x));
  });
  future<void> run = rt->run({.label = "run"}, recorded);
  future<void> choice = rt->run_if(
      {.label = "choice"}, [] { return true; }, recorded);
  future<int> continued = function.then([](int n) { return n + 1; });
  budget bytes{*rt, 64};
  device_handle device = rt->device("NUMA0");
};

class HandlesOfAnEndedRuntime : public ::testing::Test {
 protected:
  HandlesOfAnEndedRuntime() {
    all_.rt->wait();
    all_.rt.reset();
  }
  everything all_;
  runtime other_{small_machine()};
};

TEST_F(HandlesOfAnEndedRuntime, FuturesHaveTheirResults) {
  EXPECT_EQ(all_.function.get(), 3);
  EXPECT_EQ(all_.continued.get(), 4);
  EXPECT_EQ(all_.value.get(), 32.0f);
  for (const future<void>& each : {all_.task, all_.run, all_.choice}) {
    EXPECT_TRUE(each.done());
    EXPECT_FALSE(each.error());
    EXPECT_TRUE(each.wait_for(std::chrono::hours(1)));
    each.wait();
    EXPECT_NO_THROW(each.get());
  }
  EXPECT_EQ(all_.task.label(), "task");
}

TEST_F(HandlesOfAnEndedRuntime, CancellingChangesNothing) {
  all_.function.cancel();
  all_.value.cancel();
  all_.continued.cancel();
  for (const future<void>& each : {all_.task, all_.run, all_.choice}) {
    each.cancel();
    EXPECT_FALSE(each.error());
  }
}

TEST_F(HandlesOfAnEndedRuntime, ContinuationsAreRefused) {
  const auto says = AllOf(HasSubstr("\"function\""), HasSubstr("after its runtime has gone"));
  EXPECT_THAT(refusal([&] { (void)all_.function.then([](int) {}); }), says);
  EXPECT_THAT(refusal([&] { (void)all_.function.then(cheap, [](int) {}); }), says);
  EXPECT_THAT(refusal([&] { (void)all_.function.then({.label = "next"}, [](int) {}); }), says);
  EXPECT_THAT(refusal([&] { (void)all_.task.then([] {}); }), HasSubstr("\"task\""));
  EXPECT_THAT(refusal([&] { (void)all_.run.then([] {}); }), HasSubstr("\"run\""));
}

TEST_F(HandlesOfAnEndedRuntime, FuturesAreGatheredAndUsedByAnotherRuntime) {
  EXPECT_EQ(std::get<0>(when_all(all_.function, all_.continued).get()), 3);
  EXPECT_EQ(other_.async({.after = {all_.task, all_.run}}, [] { return 5; }).get(), 5);
  buffer<float> y{other_, 4, "y"};
  other_.submit(ops::fill, all_.value, writes(y));
  EXPECT_EQ(y.to_vector().front(), 32.0f);
}

TEST_F(HandlesOfAnEndedRuntime, BuffersAndGraphsAreRefused) {
  EXPECT_EQ(all_.x->size(), 16U);
  EXPECT_EQ(all_.x->label(), "x");
  EXPECT_THAT(refusal([&] { (void)all_.x->to_vector(); }), HasSubstr("\"x\""));
  EXPECT_THAT(refusal([&] { (void)all_.x->write(); }), HasSubstr("\"x\""));
  EXPECT_THAT(refusal([&] { (void)other_.submit(ops::sum, reads(*all_.x)); }), HasSubstr("\"x\""));
  EXPECT_THAT(refusal([&] { (void)other_.run(all_.recorded); }), HasSubstr("another runtime"));
}

TEST_F(HandlesOfAnEndedRuntime, DevicesAndBudgetsAreRefused) {
  buffer<float> y{other_, 4, "y"};
  const auto on_device = [&] { other_.submit({.on = all_.device}, ops::fill, 1.0f, writes(y)); };
  EXPECT_THAT(refusal(on_device), HasSubstr("a device of another runtime"));
  EXPECT_THAT(refusal([&] { other_.async({.on = all_.device}, [] {}); }),
              HasSubstr("a device of another runtime"));
  EXPECT_THAT(
      refusal([&] { other_.submit({.takes = all_.bytes.share(8)}, ops::fill, 1.0f, writes(y)); }),
      AllOf(HasSubstr("8 bytes"), HasSubstr("another runtime")));
}

TEST(HandlesOfALivingRuntime, OfDevicesAndBudgetsAreRefusedByAnother) {
  everything one;
  runtime other{small_machine()};
  buffer<float> y{other, 4, "y"};
  EXPECT_THAT(refusal([&] { other.submit({.on = one.device}, ops::fill, 1.0f, writes(y)); }),
              HasSubstr("a device of another runtime"));
  EXPECT_THAT(
      refusal([&] { other.submit({.takes = one.bytes.share(0)}, ops::fill, 1.0f, writes(y)); }),
      HasSubstr("another runtime"));
  EXPECT_NO_THROW(one.rt->submit({.on = one.device}, ops::fill, 1.0f, writes(*one.x)).get());
}

/// Another thread uses the futures of a runtime at the moment in which it ends.
TEST(HandlesOfALivingRuntime, AreUsedWhileItEnds) {
  for (int i = 0; i < 50; ++i) {
    std::atomic<int> meet{0};
    auto rt = std::make_unique<runtime>(small_machine());
    const buffer<float> x{*rt, 4, 0.0f, "x"};
    const future<void> task = rt->submit(
        [&](buffer_view<float>) {
          while (meet < 2) std::this_thread::yield();
        },
        updates(x));
    const future<int> function = rt->async([&, i] {
      while (meet < 2) std::this_thread::yield();
      return i;
    });
    std::thread other([&meet, task, function, i] {
      ++meet;
      while (meet < 2) std::this_thread::yield();
      (void)task.wait_for(std::chrono::nanoseconds(1 + 100 * i));
      if (i % 3 == 0) task.cancel();
      if (i % 3 == 1) function.cancel();
      (void)function.wait_for(std::chrono::nanoseconds(1));
      task.wait();
      function.wait();
    });
    ++meet;
    rt.reset();
    EXPECT_TRUE(task.done());
    EXPECT_TRUE(function.done());
    other.join();
  }
}

TEST(HandlesThatWereMovedFrom, OfBuffersAreRefusedWhereverTheyAreUsed) {
  runtime rt{small_machine()};
  buffer<float> from{rt, 10, 1.0f, "from"};
  const buffer<float> to = std::move(from);
  const std::vector<std::function<void()>> uses = {
      [&] { (void)from.size(); },
      [&] { (void)from.extents(); },
      [&] { (void)from.label(); },
      [&] { (void)from.rows(0, 1); },
      [&] { (void)from.tile({0}, {1}); },
      [&] { (void)from.read(); },
      [&] { (void)from.write(); },
      [&] { (void)from.update(); },
      [&] { (void)from.to_vector(); },
      [&] { rt.submit(ops::sum, reads(from)); },
      [&] { rt.submit(ops::fill, 1.0f, writes(from)); },
      [&] { rt.submit(ops::axpy, 1.0f, reads(to), updates(from)); },
      [&] { rt.submit([](buffer_view<float>) {}, reduces(from, plus{})); },
  };
  for (const auto& use : uses) EXPECT_THAT(refusal(use), HasSubstr("moved from"));
  EXPECT_EQ(rt.submit(ops::sum, reads(to)).get(), 10.0f);
  from = to;
  EXPECT_EQ(rt.submit(ops::sum, reads(from)).get(), 10.0f);
}

TEST(HandlesThatWereMovedFrom, OfFuturesAreEmpty) {
  runtime rt{small_machine()};
  buffer<float> x{rt, 4, 1.0f, "x"};
  future<float> from = rt.submit(ops::sum, reads(x));
  const future<float> to = std::move(from);
  EXPECT_FALSE(from.valid());
  const future<bool> known;
  const std::vector<std::function<void()>> uses = {
      [&] { (void)from.get(); },
      [&] { from.wait(); },
      [&] { (void)from.wait_for(std::chrono::seconds(1)); },
      [&] { (void)from.error(); },
      [&] { from.cancel(); },
      [&] { (void)from.label(); },
      [&] { (void)from.done(); },
      [&] { (void)from.then([](float) {}); },
      [&] { (void)when_all(from, to); },
      [&] { rt.async({.after = {from}}, [] {}); },
      [&] { rt.submit({.after = {from}}, ops::fill, 1.0f, writes(x)); },
      [&] { rt.submit({.returns = {from}}, ops::fill, 1.0f, writes(x)); },
      [&] { rt.submit(ops::fill, from, writes(x)); },
      [&] { rt.run_if(known, [](submitter&) {}); },
  };
  for (std::size_t i = 0; i < uses.size(); ++i) {
    EXPECT_THAT(refusal(uses[i]), HasSubstr("without a task")) << "use " << i;
  }
  EXPECT_EQ(to.get(), 4.0f);
}

TEST(HandlesThatWereMovedFrom, OfGraphsAreRefused) {
  runtime rt{small_machine()};
  graph from = rt.record([](submitter& s) { s.async([] {}); });
  const graph to = std::move(from);
  EXPECT_THAT(refusal([&] { rt.run(from); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { (void)from.size(); }), HasSubstr("moved from"));
  EXPECT_THAT(refusal([&] { rt.run_if([] { return true; }, from); }), HasSubstr("moved from"));
  rt.run(to).get();
}

TEST(EmptyHandles, AreRefusedInWordsAndTakeAnotherHandle) {
  runtime rt{small_machine()};
  const buffer<float> x{rt, 4, 1.0f, "x"};
  buffer<float> no_buffer;
  graph no_graph;
  budget no_budget;
  device_handle no_device;
  run_parameter<float> no_parameter;
  future<int> no_future;
  EXPECT_FALSE(no_buffer.valid() || no_graph.valid() || no_future.valid());
  const auto says = [](const char* what) { return HasSubstr(what); };
  EXPECT_THAT(refusal([&] { rt.submit(ops::sum, reads(no_buffer)); }),
              AllOf(says("buffer"), says("empty")));
  EXPECT_THAT(refusal([&] { rt.run(no_graph); }), says("an empty graph"));
  EXPECT_THAT(refusal([&] { (void)no_graph.size(); }), says("empty"));
  EXPECT_THAT(refusal([&] { (void)no_budget.share(1); }),
              says("A budget is used while it is empty"));
  EXPECT_THAT(refusal([&] { rt.submit({.on = no_device}, ops::fill, 1.0f, writes(x)); }),
              says("an empty device handle"));
  EXPECT_THAT(refusal([&] { rt.async({.on = no_device}, [] {}); }), says("an empty device handle"));
  EXPECT_THAT(refusal([&] { (void)rt.drain(no_device); }), says("An empty device handle"));
  EXPECT_THAT(refusal([&] { rt.submit(ops::fill, no_parameter, writes(x)); }), says("is empty"));
  EXPECT_THAT(refusal([&] { (void)(no_parameter = 1.0f); }), says("is empty"));
  EXPECT_THAT(refusal([&] { (void)no_future.take(); }), says("without a task"));
  EXPECT_THAT(refusal([&] { (void)when_any(no_future, no_future); }), says("without a task"));

  no_buffer = x;
  no_graph = rt.record([&](submitter& s) { s.submit(ops::fill, 2.0f, writes(x)); });
  no_budget = budget{rt, 8};
  no_device = rt.device("NUMA0");
  no_parameter = run_parameter<float>(3.0f);
  no_future = rt.async({.on = no_device}, [] { return 1; });
  rt.run(no_graph);
  rt.submit({.takes = no_budget.share(8)}, ops::fill, no_parameter, writes(x)).get();
  EXPECT_EQ(no_future.take(), 1);
  EXPECT_EQ(no_buffer.read()(0), 3.0f);
}

TEST(HandlesThatWereMovedFrom, OfKernelsAndParametersAreStillThemselves) {
  runtime rt{small_machine()};
  kernel<inout_buffer<float>> from{"add one", host_body{[](buffer_view<float> v) {
                                     for (float& each : v) each += 1;
                                   }}};
  const kernel<inout_buffer<float>> to = std::move(from);
  run_parameter<float> rate{2.0f, "rate"};
  const run_parameter<float> moved = std::move(rate);
  buffer<float> x{rt, 4, 1.0f, "x"};
  rt.submit(from, updates(x));
  rt.submit(to, updates(x));
  EXPECT_EQ(x.to_vector().front(), 3.0f);
  EXPECT_EQ(rate.initial(), 2.0f);
}

TEST(HandlesThatWereMovedFrom, OfViewsAreEmpty) {
  runtime rt{small_machine()};
  buffer<float> x{rt, 4, 1.0f, "x"};
  auto from = x.read();
  const auto to = std::move(from);
  EXPECT_EQ(from.size(), 0U);
  EXPECT_EQ(from.data(), nullptr);
  EXPECT_EQ(to[3], 1.0f);
}

TEST(Sizes, ThatNoMachineHasAreRefusedAtTheCall) {
  runtime rt{small_machine()};
  const std::size_t half = std::size_t{1} << 63U;
  buffer<std::uint8_t> a{rt, half, "a"};
  buffer<std::uint8_t> b{rt, half, "b"};
  EXPECT_THAT(refusal([&] {
                rt.submit([](buffer_view<std::uint8_t>, buffer_view<std::uint8_t>) {}, writes(a),
                          writes(b));
              }),
              HasSubstr("more than any device it can run on"));
  EXPECT_THAT(refusal([&] { rt.submit(ops::copy, reads(a), writes(b)); }),
              HasSubstr("more than any device it can run on"));
  EXPECT_THAT(refusal([&] { (void)buffer<float>(rt, half, "c"); }), HasSubstr("\"c\""));
  EXPECT_THAT(refusal([&] {
                (void)buffer<float, 2>(rt, {half, 4}, "d");
              }),
              HasSubstr("9223372036854775808"));
  buffer<float> small{rt, 4, 1.0f, "small"};
  const std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_THAT(refusal([&] { (void)small.rows(2, 4).rows(0, most); }), HasSubstr("\"small\""));
  EXPECT_THAT(refusal([&] { (void)small.rows(2, 4).rows(most, most); }), HasSubstr("\"small\""));
  EXPECT_EQ(rt.submit(ops::sum, reads(small)).get(), 4.0f);
}

}  // namespace
}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/wait_graph.hpp"

#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <hocket/execution/item_note.hpp>
#include <hocket/execution/stack_number.hpp>
#include <hocket/scheduler/detail/task_state.hpp>

#include "runtime/wait_search.hpp"
#include "tasks/wait_visitor.hpp"

namespace hocket::detail {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class context final : public runtime_context {
 public:
  void ended(task_state&) noexcept override {}
  void note_start(const task_state&) noexcept override {}
};

/// A task that waits for what it is told.
class task final : public task_state {
 public:
  task(host_context& home, const std::string& label) : task_state(&home, task_label(label)) {}
  void tell_awaited(wait_visitor& to) override {
    for (task_state* each : awaited) to.follow(*each);
  }
  std::vector<task_state*> awaited;
};

/// The calling thread works on the task while this lives.
struct works_on {
  explicit works_on(task_state& what) : note(item_note::kind::task, &what) {}
  item_note note;
};

class WaitGraph : public ::testing::Test {
 protected:
  using finding = wait_graph::finding;

  [[nodiscard]] boost::intrusive_ptr<task> make(const std::string& label) {
    return boost::intrusive_ptr<task>(new task(home_, label));
  }
  [[nodiscard]] finding look(task_state& awaited) {
    parked_wait by(awaited);
    return graph_->add(by) ? graph_->look(by, nullptr, said_) : finding::nothing;
  }
  /// Calls then while another thread works on the one task and waits for the other.
  template <class F>
  void while_waiting(task_state& working_on, task_state& awaited, bool limited, F&& then) {
    std::thread other([&] {
      const works_on own(working_on);
      parked_wait by(awaited);
      if (limited) by.is_limited();
      ASSERT_TRUE(graph_->add(by));
      then();
    });
    other.join();
  }
  template <class F>
  void in_another_thread(F&& what) {
    std::thread other(std::forward<F>(what));
    other.join();
  }

  context home_;
  std::shared_ptr<wait_graph> graph_ = std::make_shared<wait_graph>(home_);
  std::string said_;
};

TEST_F(WaitGraph, AStackWithoutTasksAndViewsIsNeverInTheWay) {
  const auto a = make("a");
  parked_wait by(*a);
  EXPECT_FALSE(graph_->add(by));
}

TEST_F(WaitGraph, ATaskThatWaitsForItselfIsACircle) {
  const auto a = make("a");
  const works_on own(*a);
  EXPECT_EQ(look(*a), finding::circle);
  EXPECT_THAT(said_, AllOf(HasSubstr("\"a\""), HasSubstr("itself")));
}

TEST_F(WaitGraph, ACircleOverPredecessorsIsNamedInOrder) {
  const auto a = make("a");
  const auto b = make("b");
  const auto c = make("c");
  c->awaited = {b.get()};
  b->awaited = {a.get()};
  const works_on own(*a);
  EXPECT_EQ(look(*c), finding::circle);
  EXPECT_THAT(said_, HasSubstr("task \"c\" waits for task \"b\", which waits for task \"a\""));
}

TEST_F(WaitGraph, ACircleOverAnotherStackIsFound) {
  const auto a = make("a");
  const auto b = make("b");
  while_waiting(*a, *b, false, [&] {
    in_another_thread([&] {
      const works_on own(*b);
      EXPECT_EQ(look(*a), finding::circle);
    });
  });
  EXPECT_THAT(said_, AllOf(HasSubstr("\"a\""), HasSubstr("\"b\"")));
}

TEST_F(WaitGraph, AStackThatWaitsForATimeOnlyIsNotInTheWay) {
  const auto a = make("a");
  const auto b = make("b");
  while_waiting(*a, *b, true, [&] {
    in_another_thread([&] {
      const works_on own(*b);
      EXPECT_EQ(look(*a), finding::nothing);
    });
  });
}

TEST_F(WaitGraph, AStackIsForgottenWhenItGoesOn) {
  const auto a = make("a");
  const auto b = make("b");
  while_waiting(*a, *b, false, [] {});
  in_another_thread([&] {
    const works_on own(*b);
    EXPECT_EQ(look(*a), finding::nothing);
  });
}

TEST_F(WaitGraph, TasksThatWaitForTheSameAreNoCircle) {
  const auto a = make("a");
  const auto b = make("b");
  const auto c = make("c");
  a->awaited = {c.get()};
  const auto d = make("d");
  while_waiting(*b, *c, false, [&] {
    const works_on own(*d);
    EXPECT_EQ(look(*a), finding::nothing);
  });
}

TEST_F(WaitGraph, AViewIsKnownUntilItIsClosedOnce) {
  const auto view = make("view");
  graph_->opened({.node = view, .holder = stack_number(), .label = "x"});
  EXPECT_TRUE(graph_->holds_view());
  in_another_thread([&] { EXPECT_FALSE(graph_->holds_view()); });
  EXPECT_TRUE(graph_->closed({.node = view}));
  EXPECT_FALSE(graph_->closed({.node = view}));
  EXPECT_FALSE(graph_->holds_view());
}

}  // namespace
}  // namespace hocket::detail

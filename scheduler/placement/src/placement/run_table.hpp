// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>

#include "placement/run_tasks.hpp"
#include "placement/worklist.hpp"

namespace hocket::placement {

/// How far the runs of recorded graphs are.
class run_table {
 public:
  explicit run_table(worklist& work) : work_(work) {}

  /// The run was submitted. Only one is added at a time.
  void begin(submitted_run& run) noexcept { adding_ = &run; }
  /// Whether a run has tasks that are not added yet.
  [[nodiscard]] bool is_adding() const noexcept { return adding_ != nullptr; }
  /// Calls add(task, unwanted) for the next tasks of the run, so many at most. unwanted: as in
  /// submitted.
  template <class Add>
  void add_next(std::size_t most, const Add& add) {
    submitted_run& run = *adding_;
    const std::size_t end = std::min(run.added_ + most, run.tasks_.size());
    for (; run.added_ < end; ++run.added_) add(*run.tasks_[run.added_], run.unwanted_);
    if (end == run.tasks_.size()) adding_ = nullptr;
  }

  /// Calls add(task) for all tasks of a run that is not added as others are.
  template <class Add>
  static void add_all(submitted_run& run, const Add& add) {
    for (; run.added_ < run.tasks_.size(); ++run.added_) add(*run.tasks_[run.added_]);
  }

  /// Calls each(task) for the tasks that are to be cancelled.
  template <class Each>
  void cancel(submitted_run& run, const failure& why, const Each& each) {
    if (run.unfinished_ == 0) return;
    // Its tasks come after this.
    if (run.added_ == 0) run.unwanted_ = why;
    for (std::size_t i = 0; i < run.added_; ++i) {
      if (run.tasks_[i]->phase != task_phase::ended) each(*run.tasks_[i]);
    }
  }

  /// The task was cancelled, and has not ended.
  void was_cancelled(run_task& t, const failure& why) {
    submitted_run& run = *t.part_of;
    if (t.is_issued()) ++run.run_on_;
    end(run, t, why);
  }
  /// The task has ended well, and is forgotten but for its command, which is in flight: has_ended()
  /// follows.
  void ended_before_command(run_task& t) {
    ++t.part_of->run_on_;
    t.notified = true;
    end(*t.part_of, t, {});
  }
  /// Returns true if the run has no task any more.
  bool has_ended(run_task& t, bool was_issued, const failure& why) {
    submitted_run& run = *t.part_of;
    if (!t.notified) {
      end(run, t, why);
    } else if (was_issued && --run.run_on_ == 0 && run.unended_ == 0) {
      work_.actions().emplace_back(tell_run{&run, run_news::bodies_ended});
    }
    if (--run.unfinished_ > 0) return false;
    work_.actions().emplace_back(tell_run{&run, run_news::retired});
    return true;
  }

 private:
  void end(submitted_run& run, const run_task& t, const failure& why) {
    if (why && t.age < run.failed_age_) {
      run.failed_age_ = t.age;
      run.why_ = why;
    }
    if (--run.unended_ > 0) return;
    const run_news what = run.run_on_ > 0 ? run_news::ended_but_bodies : run_news::ended;
    work_.actions().emplace_back(tell_run{&run, what, run.why_});
  }

  worklist& work_;
  submitted_run* adding_ = nullptr;
};

}  // namespace hocket::placement

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/loss_recovery.hpp"

#include <algorithm>
#include <utility>

#include "placement/recovery_dependents.hpp"

namespace hocket::placement {

void loss_recovery::begin(device_id device, const failure& why) {
  why_ = why;
  is_expected_ = false;
  has_loss_ = true;
  if (!s_.losses.is_recovering()) begun_ = s_.log.tasks().next();
  s_.work.actions().emplace_back(warn{s_.nodes.devices[device.value].label_text() + " is lost (" +
                                      why.message() + "); others make again what it had."});
  s_.losses.begin();
  hold_.take_all(why_);
}

bool loss_recovery::expect_loss(const failure& why) {
  // Commands that had to do with a device may fail after it was told to be lost.
  const bool is_new = !has_loss_;
  if (is_new) is_expected_ = has_loss_ = true;
  start(why);
  return is_new;
}

void loss_recovery::repeat(placed_task* t, const failure& why) {
  // Content that a recovery makes again, or moves for that, has to be there when it ends.
  if (run_ != nullptr) plans_again_ = true;
  start(why);
  if (t != nullptr && !t->is_recovery) s_.losses.affect(*t);
}

void loss_recovery::start(const failure& why) {
  if (s_.losses.is_recovering()) return;
  why_ = why;
  begun_ = s_.log.tasks().next();
  ++in_a_row_;
  s_.losses.begin();
  hold_.take_all(why);
}

/// The attempts of a copy, and of a task that is run again, are forgotten when it succeeds: where
/// something fails each time, and all else goes well again, no count of theirs would end that.
bool loss_recovery::is_going_round() const noexcept {
  constexpr std::size_t for_each_attempt = 32;
  return in_a_row_ > for_each_attempt * s_.retries.max_attempts();
}

void loss_recovery::affect(placed_task& t) {
  if (t.is_recovery) return t.poison_behind(why_);
  if (!t.is_issued()) return;
  s_.losses.affect(t);
  if (t.run.early_result) take_launch(t);
}

bool loss_recovery::takes(placed_task& t, const failure& why) {
  if (t.is_recovery) return false;
  const bool may_take = !t.poisoned && t.is_issued() && t.kind != task_kind::domain;
  if (!may_take || !s_.losses.is_recovering() ||
      (!s_.losses.is_affected(t) && !is_lost_device(why))) {
    in_a_row_ = 0;
    return false;
  }
  if (t.kind == task_kind::launch && !t.host_only) {
    take_launch(t);
  } else {
    issue_again(t);
  }
  return true;
}

void loss_recovery::take_launch(placed_task& t) {
  if (std::ranges::find(s_.losses.torn, &t) != s_.losses.torn.end()) return;
  s_.losses.affect(t);
  s_.losses.torn.push_back(&t);
  --s_.issued;  // until it ends
  t.run.early_result.reset();
  memory_.unpin(t, s_.node_of(t).memory);
  s_.log.torn(t.id);
  poison_outputs(t, why_);
  // Tasks behind it in its memory have run with the content that it should have written.
  for (const task_edge& edge : t.followers) {
    if (edge.kind == edge_kind::content) affect(*edge.after);
  }
}

/// A view that was not delivered, or a function: nothing is issued behind it before it ends, and it
/// may wait for others.
void loss_recovery::issue_again(placed_task& t) {
  --s_.issued;
  const bool is_launch = t.kind == task_kind::launch;
  if (is_launch) s_.schedules.launch_ended();
  memory_.unpin(t, is_launch ? s_.node_of(t).memory : host_memory);
  s_.log.undone(t.id);
  poison_outputs(t, why_);
  t.begin_attempt();
  s_.throttle.stand_in_line_again(t);
  hold_.take(t);
}

void loss_recovery::poison_outputs(const placed_task& t, const failure& why) {
  for (const task_access& a : t.accesses) {
    if (!writes_content(a.mode) || a.is_empty()) continue;
    s_.evictions.touch(*a.buffer);
    s_.content.poison(a.data, a.region(), t.id, why);
  }
}

bool loss_recovery::is_due() const {
  if (!s_.losses.is_recovering() || is_expected_ || s_.runs.is_adding()) return false;
  // A view may be about to find out that its content has not come.
  if (s_.work.has_endings() || s_.commands.waiters().has_due()) return false;
  if (blocking_.valid() && will_end(blocking_)) return false;
  return run_ != nullptr ? run_->has_ended() : is_quiet();
}

bool loss_recovery::is_quiet() const {
  bool is_quiet = true;
  s_.commands.each([&](const command_record& c) {
    // A function of the user may run as long as it likes, on data that the host has.
    const bool is_apart = c.alone && c.launched->host_only && !s_.losses.is_affected(*c.launched);
    if (!is_apart) is_quiet = false;
  });
  return is_quiet;
}

bool loss_recovery::will_end(task_id user) const {
  bool ends = false;
  s_.commands.each([&](const command_record& c) {
    if (c.alone && c.launched->id == user) ends = true;
  });
  s_.log.tasks().for_running([&](const logged_task& t) {
    const bool is_closed_soon = t.is_brief || (t.is_view && !patience_.is_over());
    if (is_closed_soon && t.id == user) ends = true;
  });
  return ends;
}

submitted_run* loss_recovery::go_on() {
  forget_past();
  if (run_ != nullptr) {
    past_.push_back(std::move(run_));
    if (leave_run(*past_.back())) return nullptr;
  }
  plans_again_ = false;
  poison_waiting_functions();
  if (end_cancelled()) return nullptr;
  lost_ = s_.lost;
  std::optional<recovery_plan> plan = next_plan();
  if (!plan) return nullptr;
  failed_ = plan->failed;
  stages_.shorten(*plan);
  run_ = builder_.build(*plan, stages_.saves());
  if (run_ == nullptr) end_run(nullptr);
  return run_.get();
}

/// None if something has to end before the next plan, or nothing is left to be planned.
std::optional<recovery_plan> loss_recovery::next_plan() {
  for (;;) {
    recovery_plan plan = stages_.are_hopeless() ? stages_.given_up() : made_plan();
    blocking_ = {};
    if (plan.hopeless.empty()) return plan;
    if (plan.user.valid() && will_end(plan.user)) {
      // The task ends, or a function begins to wait for another task: then all is planned again.
      blocking_ = plan.user;
      patience_.begin();
      return std::nullopt;
    }
    if (!fail_dependents(plan)) {
      give_up(plan);
      return std::nullopt;
    }
    if (s_.work.has_endings()) return std::nullopt;
  }
}

/// Returns whether nothing is to be planned now.
bool loss_recovery::leave_run(const recovery_run& ran) {
  // A device that is lost meanwhile takes some of what was made again with it.
  const bool has_lost = lost_ != s_.lost;
  if (!has_lost && !plans_again_) {
    if (!stages_.are_left()) {
      end_run(&ran);
      return true;
    }
    end_tasks(ran);
    stages_.ended(ran);
  } else if (plans_again_) {
    stages_.failed();
  }
  stages_.poison_older(builder_.new_id(), why_);
  return s_.work.has_endings();
}

/// Functions that wait in their middle, and had no right input, fail when they end.
void loss_recovery::poison_waiting_functions() {
  for (const auto& [number, c] : s_.commands.apart()) {
    if (s_.losses.is_affected(*c.launched)) c.launched->poison_behind(why_);
  }
}

/// Torn tasks that were cancelled, or come after such, are not run again. Returns whether there was
/// one.
bool loss_recovery::end_cancelled() {
  const std::vector<placed_task*> all = s_.losses.torn;
  bool some = false;
  for (placed_task* const t : all) {
    if (!t->poisoned) continue;
    some = true;
    end_torn(*t, t->poisoned);
  }
  return some;
}

recovery_plan loss_recovery::made_plan() {
  return s_.log.plan([this](data_id data) -> const box& { return all_of(data); },
                     [this](data_id data, visit_parts visit) { visit_poisoned(data, visit); });
}

const box& loss_recovery::all_of(data_id data) const { return s_.buffers.find(data)->all; }

void loss_recovery::visit_poisoned(data_id data, visit_parts visit) {
  s_.content.content_of(data).visit(all_of(data), [&](const box& part, const origin& from) {
    if (from.written && from.poison) visit(part);
  });
}

/// All that was planned has been done, by the run if there was anything to run.
void loss_recovery::end_run(const recovery_run* ran) {
  if (!lacks_some_) ++s_.losses.counts.recovered;
  poison_again();
  if (ran != nullptr) end_tasks(*ran);
  end();
}

void loss_recovery::end_tasks(const recovery_run& ran) {
  for (const recovery_task& t : ran.all()) {
    if (!t.saves) ++s_.losses.counts.repeated;
    if (t.original != nullptr) {
      s_.losses.forget(*t.original);
      end_torn_again(t);
    } else if (t.poisoned && t.part == nullptr) {
      s_.log.failed_again(t.position, t.poisoned);
      if (t.poisoned.code() != failure_code::dependency_failed) why_ = t.poisoned;
    }
  }
}

/// The torn task ends as its repetition did, unless it, or one before it, was cancelled meanwhile.
void loss_recovery::end_torn_again(const recovery_task& t) {
  placed_task& own = *t.original;
  if (own.poisoned) {
    poison_outputs(t, own.poisoned);
    for (const task_edge& edge : own.followers) {
      if (edge.kind == edge_kind::content && s_.losses.is_affected(*edge.after)) {
        edge.after->poison_behind(own.poisoned);
      }
    }
  }
  end_torn(own, own.poisoned ? own.poisoned : t.poisoned);
}

/// Tasks that were run again have written where others, which came after them, had failed to.
void loss_recovery::poison_again() {
  for (const recovery_plan::failed_part& each : std::exchange(failed_, {})) {
    std::vector<box> sound;
    s_.content.content_of(each.data).visit(each.region, [&](const box& part, const origin& from) {
      if (!from.poison) sound.push_back(part);
    });
    for (const box& part : sound) {
      s_.evictions.touch(each.data);
      s_.content.poison_unissued(each.data, part, builder_.new_id(), each.why);
    }
  }
}

/// During a recovery only its own tasks are issued, which are not logged: tasks that the log has
/// gained since it began have failed without being issued.
void loss_recovery::poison_failed_meanwhile() {
  const task_log& log = s_.log.tasks();
  for (std::uint64_t i = begun_; i < log.next(); ++i) {
    const logged_task& t = log.at(i);
    if (!t.why) continue;
    for (const logged_task::access& a : t.accesses) {
      if (!writes_content(a.mode) || a.region().empty()) continue;
      s_.evictions.touch(a.data);
      s_.content.poison_unissued(a.data, a.region(), t.id, t.why);
    }
  }
}

void loss_recovery::end_torn(placed_task& t, const failure& why) {
  std::erase(s_.losses.torn, &t);
  ++s_.issued;
  s_.work.end_later(t, why);
}

/// Fails the tasks that depend on content that is not to be had, and nothing else: the rest is
/// planned again. Returns false if there is none.
bool loss_recovery::fail_dependents(const recovery_plan& plan) {
  if (plan.missing.parts.empty()) return false;
  const std::vector<std::uint64_t> positions = tasks_to_fail(
      plan, s_.log.tasks(), [this](data_id data) -> const box& { return all_of(data); },
      [this](data_id data, visit_parts visit) { visit_poisoned(data, visit); });
  if (positions.empty()) return false;
  warn_once(plan);
  const failure& why = plan.missing.why;
  for (const std::uint64_t position : positions) {
    const logged_task& t = s_.log.tasks().at(position);
    if (t.torn) {
      placed_task& own = *s_.tasks.find(t.id);
      s_.losses.forget(own);
      // With that it is not taken for this recovery once more.
      own.poisoned =
          why ? why.downstream(std::string(own.label_text())) : s_.failed_on_device(own, why_);
      end_torn(own, own.poisoned);
    } else {
      s_.log.lacks(position, why ? why.downstream(std::string(t.label.text())) : why_);
    }
  }
  return true;
}

void loss_recovery::warn_once(const recovery_plan& plan) {
  if (std::exchange(lacks_some_, true)) return;
  ++s_.losses.counts.given_up;
  std::string why = plan.hopeless;
  if (plan.lacks.valid()) why += " \"" + s_.buffers.find(plan.lacks)->label + "\"";
  s_.work.actions().emplace_back(warn{"Not all that was lost is made again, because " + why + "."});
}

/// All that has not been made again stays lost.
void loss_recovery::give_up(const recovery_plan& plan) {
  poison_again();
  warn_once(plan);
  for (placed_task* const t : std::exchange(s_.losses.torn, {})) {
    end_torn(*t, s_.failed_on_device(*t, why_));
  }
  end();
}

/// All other tasks go on.
void loss_recovery::end() {
  poison_failed_meanwhile();
  stages_.end();
  patience_.end();
  s_.losses.end();
  has_loss_ = lacks_some_ = false;
  s_.retries.forget_if([&](task_id task) { return s_.tasks.find(task) == nullptr; });
  dropped_.release_refilled();
  dropped_.drop_waiting();
  if (!s_.losses.is_paused()) hold_.release();
}

}  // namespace hocket::placement

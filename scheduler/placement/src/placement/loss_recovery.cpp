// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/loss_recovery.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "placement/launch_facts.hpp"

namespace hocket::placement {

namespace {

// Tasks of a recovery have numbers that no other task has.
constexpr std::uint64_t first_number = std::uint64_t{1} << 62U;

/// A function that waited for another task may have thrown what that failed with.
bool is_lost_device(const failure& why) {
  return why.code() == failure_code::device_lost && !why.thrown();
}

}  // namespace

void loss_recovery::begin(device_id device, const failure& why) {
  why_ = why;
  is_expected_ = false;
  s_.work.actions().emplace_back(warn{s_.nodes.devices[device.value].label_text() + " is lost (" +
                                      why.message() + "); others make again what it had."});
  s_.losses.begin();
  hold_all();
}

void loss_recovery::may_begin(const failure& why) {
  if (!s_.log.is_on() || !is_lost_device(why) || s_.losses.is_recovering()) return;
  why_ = why;
  is_expected_ = true;
  s_.losses.begin();
  hold_all();
}

void loss_recovery::pause() {
  s_.losses.pause(true);
  hold_all();
}

void loss_recovery::resume() {
  s_.losses.pause(false);
  if (!s_.losses.is_recovering()) consider_all();
}

/// Tasks that have a device, and are not issued, have none any more.
void loss_recovery::hold_all() {
  std::vector<placed_task*> held = pool_.take_all();
  for (std::size_t i = 0; i < s_.devices.size(); ++i) {
    const device_id device{i};
    if (placed_task* const waited = memory_.withdraw(device)) held.push_back(waited);
    for (placed_task* const t : queues_.queued_at(device)) {
      queues_.dequeue(*t);
      held.push_back(t);
    }
    scheduled_.evacuate(device, held);
  }
  for (placed_task* const t : held) {
    if (t->run.device.valid()) memory_.unpin(*t, s_.node_of(*t).memory);
    t->begin_attempt();
    if (t->is_recovery) {
      // All that it belongs to is planned anew.
      s_.work.end_later(*t, why_);
    } else if (t->blockers == 0) {
      held_.insert(t->id);
    }
  }
}

void loss_recovery::affect(placed_task& t) {
  if (t.is_recovery) return t.poison_behind(why_);
  if (!t.is_issued() || s_.losses.is_affected(t)) return;
  s_.losses.affect(t);
  if (t.run.early_result) take_launch(t);
}

bool loss_recovery::takes(placed_task& t, const failure& why) {
  if (t.is_recovery || t.poisoned || !t.is_issued() || t.kind == task_kind::domain) return false;
  if (!s_.losses.is_recovering() || (!s_.losses.is_affected(t) && !is_lost_device(why)))
    return false;
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
  memory_.unpin(t, t.kind == task_kind::launch ? s_.node_of(t).memory : host_memory);
  s_.log.undone(t.id);
  poison_outputs(t, why_);
  t.begin_attempt();
  if (t.blockers == 0) held_.insert(t.id);
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
  if (s_.work.has_endings() || s_.commands.has_woken()) return false;
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

submitted_run* loss_recovery::go_on() {
  forget_past();
  if (run_ != nullptr) {
    past_.push_back(std::move(run_));
    // A device that is lost meanwhile takes some of what was made again with it.
    if (lost_ == s_.lost) {
      end_run(past_.back().get());
      return nullptr;
    }
  }
  poison_waiting_functions();
  if (end_cancelled()) return nullptr;
  lost_ = s_.lost;
  const recovery_plan plan = made_plan();
  if (!plan.hopeless.empty()) {
    give_up(plan);
    return nullptr;
  }
  return run_again(plan);
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
  return s_.log.plan([this](data_id data) -> const box& { return s_.buffers.find(data)->all; },
                     [this](data_id data, lineage::visit_parts visit) {
                       s_.content.content_of(data).visit(s_.buffers.find(data)->all,
                                                         [&](const box& part, const origin& from) {
                                                           if (from.written && from.poison)
                                                             visit(part);
                                                         });
                     });
}

submitted_run* loss_recovery::run_again(const recovery_plan& plan) {
  failed_ = plan.failed;
  run_ = std::make_unique<recovery_run>();
  const std::vector<bool> in_place = found_in_place(plan);
  for (std::size_t i = 0; i < plan.steps.size(); ++i) {
    const recovery_step& step = plan.steps[i];
    if (in_place[i]) {
      revive(step);
    } else if (step.task == nullptr) {
      fill_restore(run_->add(), step);
    } else {
      fill(run_->add(), step);
    }
  }
  if (run_->all().empty()) {
    run_.reset();
    end_run(nullptr);
    return nullptr;
  }
  add_edges(*run_);
  run_->begin(task_id{first_number + numbers_});
  numbers_ += run_->all().size();
  return run_.get();
}

/// Which steps restore content that lies in the block of the host, and that no step before them
/// overwrites.
std::vector<bool> loss_recovery::found_in_place(const recovery_plan& plan) const {
  std::map<data_id, region_map<bool>> written;
  const auto of = [&](data_id data) -> region_map<bool>& {
    return written.try_emplace(data, s_.buffers.find(data)->all, false).first->second;
  };
  std::vector<bool> made;
  for (const recovery_step& step : plan.steps) {
    const bool restores = step.task == nullptr;
    made.push_back(restores && step.from == nullptr &&
                   of(step.data).all(step.region, [](bool is_written) { return !is_written; }));
    if (restores) {
      of(step.data).replace(step.region, true);
      continue;
    }
    for (const logged_task::access& a : step.task->accesses) {
      if (writes_content(a.mode)) of(a.data).replace(a.region(), true);
    }
  }
  return made;
}

void loss_recovery::revive(const recovery_step& step) {
  s_.content.note_write(step.data, step.region, host_memory, point{},
                        task_id{first_number + numbers_++});
  s_.evictions.touch(step.data);
}

void loss_recovery::fill(recovery_task& made, const recovery_step& step) {
  const logged_task& from = *step.task;
  made.position = step.position;
  made.label = from.label;
  made.bytes = from.bytes;
  if (from.on.valid() && s_.devices[from.on.value].alive) made.on = from.on;
  made.launch = new counted_launch;
  if (from.torn) {
    made.original = s_.tasks.find(from.id);
    made.host_only = made.original->host_only;
    const launch_command& own = *made.original->launch;
    made.launch->kernel = own.kernel;
    made.launch->scalars = own.scalars;
    made.launch->cost = own.cost;
    made.launch->width = own.width;
  } else {
    made.launch->kernel = from.kernel;
    made.launch->scalars = from.scalars;
    made.launch->cost = from.cost;
    made.launch->width = from.width;
  }
  made.accesses.reserve(from.accesses.size());
  for (const logged_task::access& a : from.accesses) {
    task_access& access = made.accesses.emplace_back();
    access.data = a.data;
    access.part = a.part.get();
    access.mode = a.mode;
    access.is_all = a.region() == s_.buffers.find(a.data)->all;
    access.is_in_history = false;
    made.launch->buffers.emplace_back().part = a.part;
  }
}

void loss_recovery::fill_restore(recovery_task& made, const recovery_step& step) {
  const tracked_buffer& buffer = *s_.buffers.find(step.data);
  kept_ref from = step.from;
  if (from == nullptr) {
    // An earlier step overwrites the block of the host.
    from = std::make_shared<kept_bytes>();
    from->part = part_of_array(buffer.type, buffer.all.end, step.region);
    s_.work.actions().emplace_back(put_aside{s_.content.block(step.data, host_memory), from});
    s_.log.keeps(step.position, step.data, from);
  }
  made.position = step.position;
  made.label = task_label("restore " + buffer.label);
  made.host_only = true;
  made.bytes = s_.content.bytes(step.data);
  made.launch = new counted_launch;
  // Bytes that were kept may be more than what is wanted of them.
  made.launch->kernel = kernel_to_restore(from, step.region);
  task_access& access = made.accesses.emplace_back();
  made.part = part_of_array(buffer.type, buffer.all.end, step.region);
  access.data = step.data;
  access.part = made.part.get();
  access.mode = access_mode::write;
  access.is_all = step.region == buffer.all;
  access.is_in_history = false;
  made.launch->buffers.emplace_back().part = made.part;
  detail::estimate(*made.launch, {made.accesses.data(), made.accesses.size()});
}

/// As their accesses are in conflict, in the order of the steps.
void loss_recovery::add_edges(recovery_run& run) const {
  std::map<data_id, task_accesses> histories;
  std::uint64_t number = 0;
  for (recovery_task& t : run.all()) {
    std::vector<recorded_edge>& edges = t.own_edges;
    const task_id own{number++};
    const auto is_live = [](task_id) { return true; };
    const auto depend = [&](task_id earlier, edge_kind kind, const box*) {
      if (earlier != own) edges.push_back({static_cast<std::uint32_t>(earlier.value), kind});
      return true;
    };
    const auto append = [&](const task_access& a) {
      if (a.is_empty()) return;
      histories[a.data].append(own, a.is_all ? nullptr : &a.region(), s_.buffers.find(a.data)->all,
                               a.mode, is_live, depend);
    };
    for (const task_access& a : t.accesses) {
      if (reads_content(a.mode)) append(a);
    }
    for (const task_access& a : t.accesses) {
      if (!reads_content(a.mode)) append(a);
    }
    std::ranges::sort(edges, {},
                      [](const recorded_edge& e) { return std::pair(e.before, e.kind); });
    const auto same = [](const recorded_edge& a, const recorded_edge& b) {
      return a.before == b.before;
    };
    edges.erase(std::unique(edges.begin(), edges.end(), same), edges.end());
  }
}

/// All that was planned has been done, by the run if there was anything to run.
void loss_recovery::end_run(recovery_run* ran) {
  ++s_.losses.counts.recovered;
  poison_again();
  if (ran != nullptr) {
    for (const recovery_task& t : ran->all()) {
      ++s_.losses.counts.repeated;
      if (t.original != nullptr) {
        end_torn_again(t);
      } else if (t.poisoned && t.part == nullptr) {
        s_.log.failed_again(t.position, t.poisoned);
      }
    }
  }
  end();
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
      s_.content.poison_unissued(each.data, part, task_id{first_number + numbers_++}, each.why);
    }
  }
}

void loss_recovery::end_torn(placed_task& t, const failure& why) {
  std::erase(s_.losses.torn, &t);
  ++s_.issued;
  s_.work.end_later(t, why);
}

void loss_recovery::give_up(const recovery_plan& plan) {
  ++s_.losses.counts.given_up;
  std::string why = plan.hopeless;
  if (plan.lacks.valid()) why += " \"" + s_.buffers.find(plan.lacks)->label + "\"";
  s_.work.actions().emplace_back(
      warn{"What was lost with a device is not made again, because " + why + "."});
  for (placed_task* const t : std::exchange(s_.losses.torn, {})) {
    end_torn(*t, s_.failed_on_device(*t, why_));
  }
  end();
}

void loss_recovery::drop(data_id data) {
  // Copies for a cut may be on their way.
  if (s_.losses.is_recovering() || s_.log.awaits_copies()) return dropped_.push_back(data);
  tracked_buffer& buffer = *s_.buffers.find(data);
  if (s_.log.uses(data)) {
    s_.guard.drops(buffer);
    s_.log.dropped(buffer);
    shells_.insert(data);
    return release_content(buffer);
  }
  s_.log.forget(data);
  const std::vector<released_block> released = s_.content.remove(data);
  s_.evictions.forget(buffer);
  s_.buffers.erase(data);
  for (const released_block& freed : released) memory_.release(freed);
}

std::vector<tracked_buffer*> loss_recovery::buffers() const {
  std::vector<tracked_buffer*> all;
  s_.buffers.each([&](data_id data, const tracked_buffer&) {
    if (!shells_.contains(data)) all.push_back(s_.buffers.find(data));
  });
  std::ranges::sort(all, {}, &tracked_buffer::id);
  return all;
}

void loss_recovery::log_was_cut() {
  boost::container::flat_set<data_id> left;
  for (const data_id data : shells_) {
    if (s_.log.uses(data)) {
      left.insert(left.end(), data);
      continue;
    }
    s_.evictions.forget(*s_.buffers.find(data));
    (void)s_.content.remove(data);
    s_.buffers.erase(data);
  }
  shells_ = std::move(left);
  for (tracked_buffer* const each : buffers()) {
    std::vector<box> poisoned;
    s_.content.content_of(each->id).visit(each->all, [&](const box& part, const origin& from) {
      if (from.poison) poisoned.push_back(part);
    });
    for (const box& part : poisoned) s_.log.forgets_poisoned(each->id, part);
  }
}

void loss_recovery::drop_all() {
  for (const data_id data : std::exchange(dropped_, {})) drop(data);
}

/// The buffer loses all content, and its blocks.
void loss_recovery::release_content(tracked_buffer& buffer) {
  s_.log.forgets_host(buffer.id);
  const std::vector<released_block> released = s_.content.remove(buffer.id);
  s_.content.add(buffer.id, buffer.all.end, buffer.element_size);
  buffer.where = &s_.content.find(buffer.id);
  s_.evictions.touch(buffer);
  for (const released_block& freed : released) memory_.release(freed);
}

/// Dropped buffers that tasks of the recovery have filled again lose their content.
void loss_recovery::release_shells() {
  for (const data_id data : shells_) release_content(*s_.buffers.find(data));
}

/// All other tasks go on.
void loss_recovery::end() {
  s_.losses.end();
  release_shells();
  drop_all();
  if (!s_.losses.is_paused()) consider_all();
}

void loss_recovery::consider_all() {
  std::vector<placed_task*> all = s_.tasks.sorted();
  std::ranges::sort(all, {}, &placed_task::age);
  const auto held = std::exchange(held_, {});
  for (placed_task* const t : all) {
    const bool is_blocked = t->phase == task_phase::blocked;
    if (is_blocked && !t->poisoned && held.contains(t->id)) {
      // The task has had its turn, and has its bytes.
      placer_.place(*t);
    } else if (is_blocked || t->phase == task_phase::budget) {
      placer_.consider(*t);
    }
  }
}

}  // namespace hocket::placement

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/wait_search.hpp"

#include <algorithm>
#include <cctype>
#include <functional>

#include <hocket/scheduler/detail/description.hpp>

#include "data/in_place_view.hpp"
#include "tasks/caught.hpp"

namespace hocket::detail {

namespace {

// A thread that holds no view and waits for the last of very many tasks does not look at all of
// them: longer circles are left to the watchdog.
constexpr std::size_t max_looked_at = 20'000;

std::string capitalized(std::string text) {
  if (!text.empty()) {
    text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  }
  return text;
}

}  // namespace

/// Looks for a task of a set that waits behind an open view, or behind a task on a stack that
/// waits. Such a task can neither run nor end while the graph is locked, and so it stays where it
/// is. So does one behind these that has ended early: it keeps its place until they are over.
class wait_search::forward {
 public:
  forward(const wait_search& search, const host_context& all) : search_(search), all_(&all) {}
  /// Looks at all that is there, for those that have ended early.
  explicit forward(const wait_search& search) : search_(search) {}

  /// Of what was looked at, the tasks that have ended early.
  [[nodiscard]] boost::unordered_flat_set<const task_state*> take_ended_early() {
    return std::move(ended_early_);
  }

  [[nodiscard]] const task_state* find(const held_view& view) {
    if (view.node != nullptr) {
      visit_followers(*view.node);
    } else {
      visit_after(view.id);
    }
    return go_on();
  }

  [[nodiscard]] const task_state* find(task_state& on_stack) {
    visit_followers(on_stack);
    return go_on();
  }

 private:
  [[nodiscard]] const task_state* go_on() {
    while (found_ == nullptr && (!open_.empty() || !open_placed_.empty())) {
      if (open_.empty()) {
        const task_id next = open_placed_.back();
        open_placed_.pop_back();
        visit_after(next);
        continue;
      }
      task_state& next = *open_.back();
      open_.pop_back();
      if (ended_early_.contains(&next)) {
        static_cast<in_place_node&>(next).each_place_follower(
            [this](task_state& follower) { visit(follower); });
      } else {
        visit_followers(next);
      }
    }
    return found_;
  }

  void visit_followers(task_state& of) {
    of.each_follower([this](task_state& follower) { visit(follower); });
    if (const auto* placed = dynamic_cast<const device_task*>(&of)) visit_after(placed->id);
  }

  void visit_after(task_id id) {
    if (search_.placement_ == nullptr) return;
    const placement::placed_task* const found = search_.placement_->state().tasks.find(id);
    if (found == nullptr) return;
    found->each_after([this](const placement::placed_task& after) {
      task_state* const task = after.part_of_task();
      if (task != nullptr) visit(*task);
      // What comes behind a task of a run, or behind one that has ended early, is known to the
      // engine alone.
      const bool has_ended = task != nullptr && task->done();
      if ((after.is_of_run || has_ended) && placed_.insert(after.id.value).second)
        open_placed_.push_back(after.id);
    });
  }

  void visit(task_state& task) {
    if (found_ != nullptr || seen_.size() > max_looked_at) return;
    if (!task.is_waiting()) return visit_ended_early(task);
    if (!seen_.insert(&task).second) return;
    if (belongs(task)) {
      found_ = &task;
    } else {
      open_.push_back(&task);
    }
  }

  /// What waits for its end may be let go at this moment: only what waits for its place is looked
  /// at.
  void visit_ended_early(task_state& task) {
    auto* const node = dynamic_cast<in_place_node*>(&task);
    if (node == nullptr || !node->is_ended_early() || !seen_.insert(&task).second) return;
    ended_early_.insert(&task);
    open_.push_back(&task);
  }

  [[nodiscard]] bool belongs(const task_state& task) const {
    if (all_ == nullptr) return false;
    if (!all_->is_scope()) return task.home() == all_;
    for (const host_context* each = task.context(); each != nullptr; each = each->around()) {
      if (each == all_) return true;
    }
    return false;
  }

  const wait_search& search_;
  const host_context* all_ = nullptr;  ///< null: no task ends the search
  const task_state* found_ = nullptr;
  std::vector<task_state*> open_;
  boost::unordered_flat_set<const task_state*> seen_;
  boost::unordered_flat_set<const task_state*> ended_early_;
  std::vector<task_id> open_placed_;
  boost::unordered_flat_set<std::uint64_t> placed_;  ///< their numbers
};

wait_search::~wait_search() {
  for (host_task* const task : read_) task->before().stop_reading();
}

std::size_t wait_search::hash::operator()(const thing& of) const noexcept {
  return std::visit(
      [&](const auto& what) -> std::size_t {
        using type = std::decay_t<decltype(what)>;
        if constexpr (std::is_same_v<type, task_id>) {
          return std::hash<std::uint64_t>()(what.value) * 8 + of.index();
        } else if constexpr (std::is_same_v<type, set>) {
          return std::hash<const void*>()(what.of) + of.index();
        } else {
          return std::hash<const void*>()(what) + of.index();
        }
      },
      of);
}

wait_graph::finding wait_search::run() {
  follow(*by_);
  roots_are_known();
  for (current_ = 0; current_ < nodes_.size() && !needs_engine_; ++current_) {
    const thing what = nodes_[current_].what;
    const auto* const stack = std::get_if<const parked_wait*>(&what);
    if (stack != nullptr && *stack == by_) return wait_graph::finding::circle;
    if (!by_->holds_view_ && nodes_.size() > max_looked_at) break;
    expand(what);
  }
  return needs_engine_ ? wait_graph::finding::needs_engine : wait_graph::finding::nothing;
}

void wait_search::add(thing what, std::string instance_name) {
  const auto [at, is_new] = seen_.emplace(what, nodes_.size());
  if (is_new) nodes_.push_back({what, are_roots_ ? 0 : current_, std::move(instance_name)});
  if (by_ == nullptr && !are_roots_) edges_.emplace_back(current_, at->second);
}

void wait_search::follow(task_state& task) { add(&task); }

void wait_search::follow_and_keep(task_state_ptr task) {
  follow(*task);
  kept_.push_back(std::move(task));
}

void wait_search::follow(task_id placed) {
  if (placement_ == nullptr) {
    needs_engine_ = true;
  } else if (placement_->state().tasks.find(placed) != nullptr) {
    add(placed);
  }
}

void wait_search::follow_all_of(const host_context& context) { add(set{&context}); }

void wait_search::follow_holder_of(const task_state& view_node) {
  for (const held_view& each : graph_.views_) {
    if (each.node.get() == &view_node) add(&each);
  }
}

void wait_search::follow_holders_before(const task_state& ended_early) {
  if (!holders_) find_holders();
  for (const holder& each : *holders_) {
    if (each.ended_early.contains(&ended_early)) add(each.what);
  }
}

/// In a runtime whose tasks are in place, which has no engine to ask.
void wait_search::find_holders() {
  holders_.emplace();
  for (const held_view& each : graph_.views_) {
    if (each.node == nullptr || !graph_.stacks_.contains(each.holder)) continue;
    forward from(*this);
    (void)from.find(each);
    holders_->push_back({&each, from.take_ended_early()});
  }
  for (const auto& [stack, wait] : graph_.stacks_) {
    for (task_state* const task : tasks_of(*wait)) {
      forward from(*this);
      (void)from.find(*task);
      holders_->push_back({wait, from.take_ended_early()});
    }
  }
}

void wait_search::expand(const thing& what) {
  std::visit(
      [this](const auto& each) {
        if constexpr (std::is_pointer_v<std::decay_t<decltype(each)>>) {
          expand(*each);
        } else {
          expand(each);
        }
      },
      what);
}

void wait_search::expand(task_state& task) {
  follow_workers_on(task);
  task.tell_awaited(*this);
}

void wait_search::follow_workers_on(const task_state& task) {
  const auto [first, last] = graph_.working_on_.equal_range(&task);
  for (auto at = first; at != last; ++at) add(at->second);
}

void wait_search::expand(task_id placed) {
  const placement::placed_task* const found = placement_->state().tasks.find(placed);
  if (found == nullptr) return;
  if (task_state* const task = found->stands_for()) follow(*task);
  found->tell_awaited(*this);
  found->each_before([this](const placement::placed_task& before) { follow(before.id); });
  if (found->kind != placement::task_kind::view || !found->is_issued()) return;
  for (const held_view& each : graph_.views_) {
    if (each.node == nullptr && each.id == placed) add(&each);
  }
}

void wait_search::expand(const parked_wait& wait) {
  // One that is limited will go on by itself.
  if (!wait.limited_ || by_ == nullptr) follow(wait);
}

void wait_search::follow(const parked_wait& wait) {
  if (wait.all_of_ != nullptr) {
    follow_all_of(*wait.all_of_);
  } else {
    follow(*wait.task_);
  }
}

void wait_search::expand(const held_view& view) {
  const auto at = graph_.stacks_.find(view.holder);
  if (at != graph_.stacks_.end()) add(at->second);
}

void wait_search::expand(const set& all) {
  if (all.of->is_scope()) {
    const auto [first, last] = graph_.within_.equal_range(all.of);
    for (auto at = first; at != last; ++at) add(at->second);
  } else {
    for (const auto& [stack, wait] : graph_.stacks_) {
      if (!wait->working_on_.empty()) add(wait);
    }
  }
  for (const held_view& each : graph_.views_) {
    // Of others it is not known that they stay open.
    if (!graph_.stacks_.contains(each.holder)) continue;
    if (each.node == nullptr && placement_ == nullptr) {
      needs_engine_ = true;
      return;
    }
    const task_state* const behind = forward(*this, *all.of).find(each);
    if (behind != nullptr) add(&each, behind->name());
  }
  if (by_ != nullptr && all.of->is_scope()) follow_stacks_before(all);
}

/// The tasks that a stack works on do not end before it has waited, nor do those of the set begin
/// that come after them.
void wait_search::follow_stacks_before(const set& all) {
  for (const auto& [stack, wait] : graph_.stacks_) {
    for (task_state* const task : tasks_of(*wait)) {
      if (placement_ == nullptr && dynamic_cast<const device_task*>(task) != nullptr) {
        needs_engine_ = true;
        return;
      }
      const task_state* const behind = forward(*this, *all.of).find(*task);
      if (behind != nullptr) add(wait, behind->name());
    }
  }
}

std::string wait_search::name_of(const thing& what) const {
  if (const auto* task = std::get_if<task_state*>(&what)) return (*task)->name();
  if (const auto* id = std::get_if<task_id>(&what)) {
    const placement::placed_task* const found = placement_->state().tasks.find(*id);
    return found == nullptr ? std::string("A task") : task_name(found->label_text());
  }
  if (const auto* all = std::get_if<set>(&what)) return "The end of " + all->of->title();
  if (const auto* view = std::get_if<const held_view*>(&what)) {
    return "The end of a view of buffer \"" + (*view)->label + "\"";
  }
  return {};
}

/// What is on the way from what is waited for to that node, each but the first once.
std::vector<std::string> wait_search::way_to(std::size_t last) const {
  std::vector<std::string> names;
  bool to_view = false;
  for (std::size_t at = last;; at = nodes_[at].before) {
    const node& each = nodes_[at];
    const bool is_view_itself = to_view && !std::holds_alternative<set>(each.what);
    std::string name = is_view_itself ? std::string() : name_of(each.what);
    if (!name.empty() && (names.empty() || names.back() != name)) names.push_back(std::move(name));
    to_view = std::holds_alternative<const held_view*>(each.what);
    if (!each.instance_name.empty()) names.push_back(each.instance_name);
    if (at == 0) break;
  }
  std::ranges::reverse(names);
  return names;
}

namespace {

/// `A waits for b, which waits for c.` Of very long ways the middle is left out.
std::string told(const std::vector<std::string>& names) {
  constexpr std::size_t max_named = 8;
  std::string text = names.front() + " waits for ";
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (names.size() > max_named && i == max_named / 2) {
      const std::size_t left_out = names.size() - max_named;
      text += std::to_string(left_out) + " more, the last of which waits for ";
      i += left_out;
    }
    text += in_a_sentence(names[i]);
    if (i + 1 < names.size()) text += ", which waits for ";
  }
  return text + ".";
}

}  // namespace

std::string wait_search::sentence() const {
  const std::size_t before = nodes_[current_].before;
  const thing& last = nodes_[before].what;
  const auto* const all = std::get_if<set>(&last);
  const std::string& behind = nodes_[current_].instance_name;
  if (all != nullptr && before == 0 && !behind.empty()) {
    return capitalized("the " + all->of->title()) + " is waited for by " +
           in_a_sentence(by_->working_on_.back()->name()) + ", which " + in_a_sentence(behind) +
           " comes after, and that belongs to it: neither ever ends.";
  }
  if (all != nullptr && before == 0) {
    return capitalized("the " + all->of->title()) +
           " is waited for by a task that belongs to it, and so for that task itself.";
  }
  const std::vector<std::string> names = way_to(before);
  const auto* const view = std::get_if<const held_view*>(&last);
  if (view == nullptr) {
    if (names.size() < 2) return names.front() + " waits for itself, and so for ever.";
    return "A task waits for " + in_a_sentence(names.front()) +
           ", which waits for it: " + in_a_sentence(told(names));
  }
  const bool is_set = std::holds_alternative<set>(nodes_.front().what);
  const std::string text =
      names.front() + " is waited for by the thread that holds a view of buffer \"" +
      (*view)->label + "\", and cannot " + (is_set ? "come" : "run") + " before that view is gone.";
  return names.size() > 2 ? text + " " + told(names) : text;
}

}  // namespace hocket::detail

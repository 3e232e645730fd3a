// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/placed_plan.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "graphs/recorded_accesses.hpp"
#include "graphs/recorded_nodes.hpp"
#include "placement/launch_facts.hpp"
#include "placement/placed_runtime.hpp"

namespace hocket::detail {

namespace {

// Runs that are submitted while others are under way need more.
constexpr std::size_t max_spare_runs = 4;

bool is_planned(const recorded_nodes& content, const graph_node& node) {
  const auto* const task = std::get_if<task_description>(&node);
  if (task == nullptr) return false;
  const auto is_known = [&](const task_state_ptr& named) { return content.has(named->recorded()); };
  const auto is_known_number = [](const auto& argument) {
    const auto* number = std::get_if<number_argument>(&argument);
    return number == nullptr || number->from == nullptr;
  };
  return std::ranges::all_of(task->after, is_known) &&
         std::ranges::all_of(task->returns, is_known) && task->timeout == nanoseconds::max() &&
         task->deadline == time_stamp::max() && !task->stop.stop_possible() &&
         !task->kernel->result && std::ranges::all_of(task->arguments, is_known_number);
}

}  // namespace

run_set::~run_set() {
  for (placement::run_task* const each : tasks_) std::destroy_at(each);
}

planned_launch& run_set::add(const argument_room& room, std::size_t edges) {
  static_assert(alignof(planned_launch) >= alignof(placement::task_access) &&
                alignof(placement::task_access) >= alignof(placement::task_edge));
  const std::size_t bytes = sizeof(planned_launch) + planned_launch::bytes_behind(room, edges);
  auto* const place = static_cast<std::byte*>(memory_.allocate(bytes, alignof(planned_launch)));
  auto* const made = ::new (place) planned_launch(room, edges, place + sizeof(planned_launch));
  tasks_.push_back(made);
  return *made;
}

/// Makes a plan of a recording.
class placed_plan_compiler {
 public:
  placed_plan_compiler(const recorded_nodes& content, placed_runtime& home, placed_plan& plan)
      : content_(content), home_(home), plan_(plan) {}

  void run() {
    for (const graph_node& each : content_.nodes) add(std::get<task_description>(each));
    accesses_.each_exit([this](std::uint32_t task) { return uses_of(task); },
                        [this](const in_place_use& use) { note_in_history(use); });
    end();
  }

 private:
  /// Where the lists of a task begin in those of all.
  struct begins {
    std::size_t uses;
    std::size_t numbers;
    std::size_t edges;
  };

  void add(const task_description& task) {
    firsts_.push_back({uses_.size(), plan_.numbers_.size(), plan_.edges_.size()});
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
      if (const auto* use = std::get_if<access_argument>(&task.arguments[i])) {
        add_use(*use);
      } else {
        add_number(std::get<number_argument>(task.arguments[i]));
      }
    }
    const auto node = static_cast<std::uint32_t>(firsts_.size() - 1);
    before_.clear();
    for (const task_state_ptr& each : task.after) {
      before_.push_back({node_of(each), edge_kind::content, true});
    }
    accesses_.add(
        node, uses_of(node), [this](const in_place_use& use) { note_in_history(use); },
        [this](std::uint32_t earlier, edge_kind kind) {
          before_.push_back({earlier, kind, false});
        });
    add_edges();
  }

  void add_use(const access_argument& use) {
    const bool is_all = use.where == use.data->whole();
    const buffer_state& data = *use.data;
    plan_.uses_.push_back(
        {use.data, is_all ? data.all() : part_of_array(data.type(), data.extents(), use.where),
         use.mode, is_all, false});
    uses_.emplace_back(use.data, is_all ? nullptr : &use.where, use.mode);
  }

  void add_number(const number_argument& number) {
    const auto task = static_cast<std::uint32_t>(firsts_.size() - 1);
    const auto index = static_cast<std::uint32_t>(plan_.numbers_.size() - firsts_.back().numbers);
    plan_.numbers_.push_back(number.value);
    if (number.set_by != nullptr) plan_.parameters_.push_back({task, index, number});
  }

  [[nodiscard]] std::uint32_t node_of(const task_state_ptr& named) const {
    return static_cast<std::uint32_t>(content_.places[named->recorded().index]);
  }

  /// Sorts the edges by age and leaves one for each task: the one that waits longest.
  void add_edges() {
    std::ranges::sort(before_, {}, [](const placement::recorded_edge& each) {
      return std::tuple(each.before, !each.waits_for_end, each.kind);
    });
    const auto same = [](const placement::recorded_edge& a, const placement::recorded_edge& b) {
      return a.before == b.before;
    };
    before_.erase(std::unique(before_.begin(), before_.end(), same), before_.end());
    plan_.edges_.insert(plan_.edges_.end(), before_.begin(), before_.end());
  }

  [[nodiscard]] std::span<const in_place_use> uses_of(std::uint32_t task) const {
    const std::size_t end = task + 1 < firsts_.size() ? firsts_[task + 1].uses : uses_.size();
    return std::span(uses_).subspan(firsts_[task].uses, end - firsts_[task].uses);
  }

  void note_in_history(const in_place_use& use) {
    plan_.uses_[static_cast<std::size_t>(&use - uses_.data())].is_in_history = true;
  }

  /// The lists are complete, and do not move any more.
  void end() {
    firsts_.push_back({uses_.size(), plan_.numbers_.size(), plan_.edges_.size()});
    plan_.tasks_.reserve(content_.nodes.size());
    for (std::size_t i = 0; i < content_.nodes.size(); ++i) {
      const begins& from = firsts_[i];
      const begins& to = firsts_[i + 1];
      placed_plan::task& made = plan_.tasks_.emplace_back();
      made.uses = std::span(plan_.uses_).subspan(from.uses, to.uses - from.uses);
      made.numbers = std::span(plan_.numbers_).subspan(from.numbers, to.numbers - from.numbers);
      made.edges = std::span(plan_.edges_).subspan(from.edges, to.edges - from.edges);
      complete(made, std::get<task_description>(content_.nodes[i]));
    }
  }

  /// Precondition: the task has its lists.
  void complete(placed_plan::task& made, const task_description& from) const {
    made.kernel = from.kernel;
    made.label = from.label;
    if (from.on) made.on = *from.on;
    made.priority = from.priority;
    made.in_order = from.in_order;
    made.takes = from.takes;
    for (const task_state_ptr& each : from.returns) made.returns.push_back(node_of(each));
    made.host_only = from.host_only;
    const bool is_traced = home_.trace() != nullptr;
    made.trace_name = is_traced ? home_.names().intern(from.label_text()) : 0;
    std::vector<buffer_ref> used;
    lent_list<placement::task_access> accesses;
    for (const placed_plan::planned_use& use : made.uses) {
      used.push_back(use.data);
      placement::task_access& access = accesses.emplace_back();
      access.part = use.part.get();
      access.mode = use.mode;
      if (use.is_in_history) ++made.edges_outside;
    }
    made.bytes = bytes_of(used);
    launch_command estimated;
    estimated.kernel = from.kernel;
    estimate(estimated, {accesses.data(), accesses.size()});
    made.cost = estimated.cost;
    made.width = estimated.width;
  }

  const recorded_nodes& content_;
  placed_runtime& home_;
  placed_plan& plan_;
  std::vector<begins> firsts_;                    ///< of each task
  std::vector<in_place_use> uses_;                ///< those of the plan, for the order
  std::vector<placement::recorded_edge> before_;  ///< of the task at hand
  recorded_accesses accesses_;
};

std::shared_ptr<placed_plan> placed_plan::compiled(const recorded_nodes& content,
                                                   placed_runtime& home) {
  const auto is_known = [&](const graph_node& node) { return is_planned(content, node); };
  if (content.nodes.empty() || !std::ranges::all_of(content.nodes, is_known)) return nullptr;
  if (home.in_place() != nullptr) return nullptr;
  auto made = std::make_shared<placed_plan>();
  placed_plan_compiler(content, home, *made).run();
  return made;
}

std::unique_ptr<run_set> placed_plan::set_for_run() {
  {
    const std::lock_guard lock(guard_);
    if (!spare_.empty()) {
      std::unique_ptr<run_set> last = std::move(spare_.back());
      spare_.pop_back();
      return last;
    }
  }
  return fresh_set();
}

std::unique_ptr<run_set> placed_plan::fresh_set() const {
  const auto room_of = [](const task& of) {
    return argument_room{of.uses.size(), of.numbers.size()};
  };
  const auto edges_of = [](const task& of) { return of.edges.size() + of.edges_outside; };
  std::size_t bytes = 0;
  for (const task& each : tasks_) {
    bytes += sizeof(planned_launch) + planned_launch::bytes_behind(room_of(each), edges_of(each));
  }
  auto made = std::make_unique<run_set>(tasks_.size(), bytes);
  for (const task& each : tasks_) {
    planned_launch& t = made->add(room_of(each), edges_of(each));
    t.label = each.label;
    t.on = each.on;
    t.in_order = each.in_order;
    t.host_only = each.host_only;
    t.bytes = each.bytes;
    t.trace_name = each.trace_name;
    t.recorded = each.edges;
    if (each.takes || !each.returns.empty()) {
      t.is_limited = true;
      t.limits = std::make_unique<placement::task_limits>();
      t.limits->returns.resize(each.returns.size());
      if (each.takes) {
        t.limits->budget = each.takes->budget;
        t.limits->bytes = each.takes->bytes;
        t.limits->capacity = each.takes->capacity;
      }
    }
    launch_command& command = t.command();
    command.kernel = each.kernel;
    command.cost = each.cost;
    command.width = each.width;
    for (const scalar_argument& number : each.numbers) command.scalars.push_back(number);
    for (const planned_use& use : each.uses) {
      placement::task_access& access = t.accesses.emplace_back();
      access.data = use.data->id();
      access.part = use.part.get();
      access.mode = use.mode;
      access.is_all = use.is_all;
      access.is_in_history = use.is_in_history;
      command.buffers.emplace_back().part = use.part;
    }
  }
  return made;
}

void placed_plan::give_back(std::unique_ptr<run_set> set) noexcept {
  const std::lock_guard lock(guard_);
  try {
    if (spare_.size() < max_spare_runs) spare_.push_back(std::move(set));
  } catch (const std::bad_alloc&) {
    // A later run makes another one.
  }
}

}  // namespace hocket::detail

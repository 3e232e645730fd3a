// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/data_plan.hpp"

#include <algorithm>
#include <functional>

#include "data/in_place_runtime.hpp"
#include "graphs/graph_content.hpp"
#include "graphs/recorded_accesses.hpp"
#include "placement/placed_runtime.hpp"

namespace hocket::detail {

namespace {

const task_description* task_with_value(const graph_content& content, const task_state_ptr& named) {
  const place_in_recording place = named->recorded();
  if (!content.has(place)) return nullptr;
  const auto* task = std::get_if<task_description>(&content.nodes[content.places[place.index]]);
  return task != nullptr && task->kernel->result ? task : nullptr;
}

bool are_known(const graph_content& content, const std::vector<task_state_ptr>& named) {
  return std::ranges::all_of(named,
                             [&](const auto& each) { return content.has(each->recorded()); });
}

bool is_known(const graph_content& content, const task_description& task) {
  const auto is_known_number = [&](const auto& argument) {
    const auto* number = std::get_if<number_argument>(&argument);
    if (number == nullptr || number->from == nullptr) return true;
    return task_with_value(content, number->from) != nullptr;
  };
  return task.priority == 0 && !task.in_order && task.timeout == nanoseconds::max() &&
         task.deadline == time_stamp::max() && !task.stop.stop_possible() && !task.takes &&
         task.returns.empty() && task.kernel->host && are_known(content, task.after) &&
         std::ranges::all_of(task.arguments, is_known_number);
}

bool is_known(const graph_content& content, const host_node& function) {
  const host_options& options = function.options;
  return options.priority == 0 && !options.stop.stop_possible() && !options.arena &&
         options.via == nullptr && options.deadline == time_stamp::max() &&
         are_known(content, function.after);
}

bool is_known(const graph_content& content, const join_node& join) {
  return are_known(content, join.after);
}

bool is_known(const graph_content& /*content*/, const use_node& /*choice*/) { return false; }

bool is_known(const graph_content& content) {
  const auto is_known_node = [&](const graph_node& each) {
    return std::visit([&](const auto& what) { return is_known(content, what); }, each);
  };
  const auto has_data = [](const graph_node& each) {
    return std::holds_alternative<task_description>(each);
  };
  return std::ranges::all_of(content.nodes, is_known_node) &&
         std::ranges::any_of(content.nodes, has_data);
}

}  // namespace

/// Makes a plan of a recording.
class data_plan_compiler {
 public:
  data_plan_compiler(const graph_content& content, data_plan& plan)
      : content_(content), plan_(plan) {
    reserve();
  }

  void run() {
    for (node_ = 0; node_ < content_.nodes.size(); ++node_) {
      before_.clear();
      plan_.first_predecessor_.push_back(plan_.predecessors_.size());
      std::visit([this](const auto& what) { add(what); }, content_.nodes[node_]);
    }
    plan_.first_predecessor_.push_back(plan_.predecessors_.size());
    find_exits();
    add_boundaries();
    plan_.seal();
  }

 private:
  /// Spans are made of these lists while they grow.
  void reserve() {
    std::size_t uses = 0;
    std::size_t numbers = 0;
    std::size_t varying = 0;
    for (const graph_node& each : content_.nodes) {
      const auto* task = std::get_if<task_description>(&each);
      if (task == nullptr) continue;
      for (const auto& argument : task->arguments) {
        const auto* number = std::get_if<number_argument>(&argument);
        if (number == nullptr) {
          ++uses;
        } else {
          ++numbers;
          if (varies(*number)) ++varying;
        }
      }
    }
    plan_.uses_.reserve(uses);
    plan_.boundary_uses_.reserve(uses);
    plan_.numbers_.reserve(numbers);
    plan_.varying_.reserve(varying);
    counts_outside_.reserve(uses);
    tasks_.resize(content_.nodes.size(), nullptr);
  }

  static bool varies(const number_argument& number) {
    return number.from != nullptr || number.set_by != nullptr;
  }

  void add(const host_node& function) {
    come_after(function.after);
    add_to_plan(*function.function, function.options.label);
  }
  void add(const join_node& join) {
    come_after(join.after);
    add_to_plan(plan_.nothing_, join.label);
  }
  void add(const use_node& /*choice*/) {}

  void add(const task_description& task) {
    planned_task::description made;
    made.node = node_;
    made.kernel = task.kernel;
    // As tasks that are submitted: such a task lets go of its kernel.
    made.label = task.label.empty() && task.kernel->keeps_captures ? task_label(task.kernel->name)
                                                                   : task.label;
    if (task.kernel->result) made.value = plan_.values_++;
    come_after(task.after);
    const std::size_t first_use = plan_.uses_.size();
    const std::size_t first_number = plan_.numbers_.size();
    const std::size_t first_varying = plan_.varying_.size();
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
      if (const auto* use = std::get_if<access_argument>(&task.arguments[i])) {
        add_use(*use);
      } else {
        add_number(std::get<number_argument>(task.arguments[i]), task.kernel->parameters[i].type,
                   static_cast<std::uint32_t>(plan_.numbers_.size() - first_number));
      }
    }
    made.uses = std::span(plan_.uses_).subspan(first_use);
    made.numbers = std::span(plan_.numbers_).subspan(first_number);
    made.varying = std::span(plan_.varying_).subspan(first_varying);
    made.work = known_work(*task.kernel, made.uses);
    note_uses(made.uses);
    tasks_[node_] = &plan_.tasks_.emplace_back(std::move(made));
    add_to_plan(*tasks_[node_], label_of(*tasks_[node_]));
  }

  /// What the kernel throws fails the task in each run.
  [[nodiscard]] static std::optional<call_work> known_work(const kernel_definition& kernel,
                                                           std::span<const in_place_use> uses) {
    if (is_called_plainly(kernel)) return std::nullopt;
    try {
      return work_of_call(kernel, uses);
    } catch (...) {
      return std::nullopt;
    }
  }

  void add_use(const access_argument& use) {
    const bool is_whole = use.where == use.data->whole();
    const box* const part = is_whole ? nullptr : &plan_.boxes_.emplace_back(use.where);
    plan_.uses_.emplace_back(use.data, part, use.mode);
    counts_outside_.push_back(false);
  }

  void add_number(const number_argument& number, element_type type, std::uint32_t index) {
    plan_.numbers_.push_back(number.value);
    if (!varies(number)) return;
    planned_number made{index, planned_task::none, number.set_by, number.convert,
                        number.value.type};
    if (number.from != nullptr) {
      const std::uint32_t from = node_of(number.from);
      made.value_of = tasks_[from]->what_.value;
      made.type = type;
      before_.push_back(from);
    }
    plan_.varying_.push_back(std::move(made));
  }

  [[nodiscard]] std::uint32_t node_of(const task_state_ptr& named) const {
    return static_cast<std::uint32_t>(content_.places[named->recorded().index]);
  }
  void come_after(const std::vector<task_state_ptr>& named) {
    for (const task_state_ptr& each : named) before_.push_back(node_of(each));
  }

  /// Finds what the task comes after by its data, and which of its uses tasks before a run can
  /// concern: those of parts that no earlier task of the run has written.
  void note_uses(std::span<const in_place_use> uses) {
    const auto depend = [this](std::uint32_t earlier, edge_kind) {
      before_.push_back(earlier | data_plan::order_only);
    };
    accesses_.add(
        node_, uses, [this](const in_place_use& use) { counts_outside(use) = true; }, depend);
  }

  [[nodiscard]] std::vector<bool>::reference counts_outside(const in_place_use& use) {
    return counts_outside_[static_cast<std::size_t>(&use - plan_.uses_.data())];
  }

  void add_to_plan(plan_function& function, const task_label& label) {
    // An end after which a failed task is not run, before the same edge without.
    const auto by_node = [](std::uint32_t each) { return each & ~data_plan::order_only; };
    std::ranges::sort(before_, {}, [&](std::uint32_t each) {
      return std::pair(by_node(each), each & data_plan::order_only);
    });
    const auto same = [&](std::uint32_t a, std::uint32_t b) { return by_node(a) == by_node(b); };
    before_.erase(std::unique(before_.begin(), before_.end(), same), before_.end());
    plan_.predecessors_.insert(plan_.predecessors_.end(), before_.begin(), before_.end());
    std::ranges::transform(before_, before_.begin(), by_node);
    plan_.add(function, before_, label);
  }

  /// Tasks after a run depend on those that its histories end with.
  void find_exits() {
    accesses_.each_exit([this](std::uint32_t task) { return tasks_[task]->what_.uses; },
                        [this](const in_place_use& use) { counts_outside(use) = true; });
  }

  void add_boundaries() {
    plan_.boundary_of_.resize(content_.nodes.size(), planned_task::none);
    for (planned_task& each : plan_.tasks_) {
      const std::size_t first = plan_.boundary_uses_.size();
      for (const in_place_use& use : each.what_.uses) {
        if (counts_outside(use)) plan_.boundary_uses_.push_back(use);
      }
      if (plan_.boundary_uses_.size() == first) continue;
      const std::uint32_t node = each.what_.node;
      each.what_.boundary = static_cast<std::uint32_t>(plan_.boundaries_.size());
      plan_.boundary_of_[node] = each.what_.boundary;
      plan_.wait_outside(node);
      plan_.boundaries_.push_back(
          {node, plan_.label(node), std::span(plan_.boundary_uses_).subspan(first)});
    }
    for (const in_place_use& use : plan_.boundary_uses_) {
      plan_.histories_.push_back(use.data->order());
    }
    std::sort(plan_.histories_.begin(), plan_.histories_.end(), std::less<>());
    plan_.histories_.erase(std::unique(plan_.histories_.begin(), plan_.histories_.end()),
                           plan_.histories_.end());
  }

  /// Tasks without a label are called as their kernels are, mostly as the one before.
  [[nodiscard]] task_label label_of(const planned_task& task) {
    if (!task.what_.label.empty()) return task.what_.label;
    if (last_name_.text() != task.label_text()) last_name_ = task_label(task.what_.kernel->name);
    return last_name_;
  }

  const graph_content& content_;
  data_plan& plan_;
  std::uint32_t node_ = 0;
  std::vector<std::uint32_t> before_;  ///< of the task at hand
  std::vector<planned_task*> tasks_;   ///< by node; null for functions
  std::vector<bool> counts_outside_;   ///< of each use
  recorded_accesses accesses_;
  task_label last_name_;
};

namespace {

constexpr std::size_t max_spare_sets = 8;

/// The histories of the buffers keep the nodes of the last run until there is another one.
constexpr std::size_t kept_by_histories = 1;

}  // namespace

std::unique_ptr<boundary_set> data_plan::set_for_run() {
  {
    const std::lock_guard lock(guard_);
    if (spare_.size() > kept_by_histories) {
      std::unique_ptr<boundary_set> first = std::move(spare_.front());
      spare_.pop_front();
      return first;
    }
  }
  return fresh_set();
}

std::unique_ptr<boundary_set> data_plan::fresh_set() const {
  auto made = std::make_unique<boundary_set>();
  made->nodes.resize(boundaries_.size());
  return made;
}

void data_plan::give_back(std::unique_ptr<boundary_set> set) noexcept {
  const std::lock_guard lock(guard_);
  try {
    if (spare_.size() < max_spare_sets) spare_.push_back(std::move(set));
  } catch (const std::bad_alloc&) {
    // A later run makes another one.
  }
}

data_plan::data_plan(const graph_content& content) : host_plan(content.all_functions()) {}

std::shared_ptr<data_plan> data_plan::compiled(const graph_content& content) {
  if (!is_known(content)) return nullptr;
  in_place_runtime* const home = content.home.lock()->in_place();
  if (home == nullptr || !home->has_one_arena()) return nullptr;
  auto made = std::make_shared<data_plan>(content);
  data_plan_compiler(content, *made).run();
  // Tasks of empty buffers alone.
  if (made->boundaries().empty()) return nullptr;
  return made;
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/task_groups.hpp"

#include <algorithm>
#include <optional>

namespace hocket::detail {

namespace {

/// How many nodes a task looks back for one that it could join.
constexpr std::size_t window = 64;

/// Labels of more tasks are not all told.
constexpr std::size_t max_labels = 16;

void add_access(candidate& to, const access_argument& use) {
  to.accesses.push_back(&use);
  // The upper bits of the product depend on all of the address.
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(use.data.get());
  to.buffers |= std::uint64_t{1} << (address * 0x9e3779b97f4a7c15U >> 58U);
}

bool waits_for(const candidate& a, const candidate& b) {
  return std::ranges::find_first_of(a.names, b.members) != a.names.end();
}

/// Whether the order of the two matters.
bool ordered(const candidate& a, const candidate& b) {
  if (waits_for(a, b) || waits_for(b, a)) return true;
  return may_share_buffers(a, b) && std::ranges::any_of(a.accesses, [&](const auto* x) {
           return std::ranges::any_of(b.accesses, [&](const auto* y) { return conflict(*x, *y); });
         });
}

bool has_plain_options(const task_description& task) {
  return !task.host_only && !task.in_order && !task.takes && task.returns.empty() &&
         task.timeout == nanoseconds::max();
}

template <class F>
void describe_other(const task_description&, candidate&, const F&) {}
template <class F>
void describe_other(const host_node& function, candidate&, const F& add_name) {
  std::ranges::for_each(function.after, add_name);
}
template <class F>
void describe_other(const join_node& join, candidate&, const F& add_name) {
  std::ranges::for_each(join.after, add_name);
}
template <class F>
void describe_other(const use_node& node, candidate& made, const F& add_name) {
  std::ranges::for_each(node.use.after, add_name);
  if (node.use.ask.future) add_name(node.use.ask.future);
  for (const access_argument& held : node.holds) add_access(made, held);
}

class search {
 public:
  search(const grouping_rule& rule, const recorded_nodes& content)
      : rule_(rule), content_(content) {}

  /// The next node: alone, or together with those before it that it can join.
  void add(std::size_t node) {
    candidate next = described(content_, node);
    next.can_join = next.can_join && rule_.admits(task_of(content_, node));
    while (true) {
      const auto found = partner(next);
      if (!found) break;
      candidate& earlier = done_[found->index];
      append(earlier, next);
      if (!found->moves_back) return;
      next = std::move(earlier);
      done_.erase(done_.begin() + static_cast<std::ptrdiff_t>(found->index));
    }
    done_.push_back(std::move(next));
  }

  [[nodiscard]] const std::vector<candidate>& done() const noexcept { return done_; }

 private:
  struct match {
    std::size_t index;
    bool moves_back;  ///< the earlier one comes later then, else the later one earlier
  };

  [[nodiscard]] std::optional<match> partner(const candidate& next) const {
    if (!next.can_join) return std::nullopt;
    bool free = true;
    for (std::size_t i = done_.size(); i > 0 && done_.size() - i < window; --i) {
      const candidate& earlier = done_[i - 1];
      if (can_join(earlier, next)) {
        const auto after = done_.begin() + static_cast<std::ptrdiff_t>(i);
        const bool movable = std::none_of(
            after, done_.end(), [&](const candidate& each) { return ordered(earlier, each); });
        if (movable || (free && rule_.draws_forward())) return match{i - 1, movable};
      }
      free = free && rule_.draws_forward() && !ordered(earlier, next);
    }
    return std::nullopt;
  }

  [[nodiscard]] bool can_join(const candidate& earlier, const candidate& next) const {
    if (!earlier.can_join) return false;
    return agree_in_options(content_, earlier, next) && rule_.can_join(content_, earlier, next);
  }

  const grouping_rule& rule_;
  const recorded_nodes& content_;
  std::vector<candidate> done_;
};

}  // namespace

std::vector<task_group> groups_by(const grouping_rule& rule, const recorded_nodes& content) {
  search found(rule, content);
  for (std::size_t node = 0; node < content.nodes.size(); ++node) found.add(node);
  std::vector<task_group> groups;
  for (const candidate& each : found.done()) groups.push_back(each.members);
  return groups;
}

const task_description& task_of(const recorded_nodes& content, std::size_t node) {
  return std::get<task_description>(content.nodes[node]);
}

candidate described(const recorded_nodes& content, std::size_t node) {
  candidate made{{node}};
  made.can_join = true;
  const auto add_name = [&](const task_state_ptr& named) {
    const auto place = named->recorded();
    if (content.has(place)) {
      made.names.push_back(content.places[place.index]);
    } else {
      // A node that waits for a task outside of the graph must not hold up others.
      made.can_join = false;
    }
  };
  if (!std::holds_alternative<task_description>(content.nodes[node])) {
    std::visit([&](const auto& each) { describe_other(each, made, add_name); },
               content.nodes[node]);
    made.can_join = false;
    return made;
  }
  const task_description& task = task_of(content, node);
  std::ranges::for_each(task.after, add_name);
  std::ranges::for_each(task.returns, add_name);
  for (const auto& argument : task.arguments) {
    if (const auto* use = std::get_if<access_argument>(&argument)) {
      add_access(made, *use);
    } else if (const auto& from = std::get<number_argument>(argument).from) {
      add_name(from);
    }
  }
  made.can_join = made.can_join && has_plain_options(task) && !made.accesses.empty();
  return made;
}

void append(candidate& to, const candidate& from) {
  const auto add = [](auto& a, const auto& b) { a.insert(a.end(), b.begin(), b.end()); };
  add(to.members, from.members);
  add(to.accesses, from.accesses);
  add(to.names, from.names);
  to.buffers |= from.buffers;
}

bool agree_in_options(const recorded_nodes& content, const candidate& a, const candidate& b) {
  const task_description& one = task_of(content, a.members.front());
  const task_description& other = task_of(content, b.members.front());
  return one.on == other.on && one.priority == other.priority && one.stop == other.stop;
}

bool same_region(const access_argument& a, const access_argument& b) {
  return a.data == b.data && a.where == b.where;
}

bool conflict(const access_argument& a, const access_argument& b) {
  return a.data == b.data && (writes_content(a.mode) || writes_content(b.mode)) &&
         overlap(a.where, b.where);
}

bool regions_agree(const candidate& a, const candidate& b) {
  return std::ranges::all_of(a.accesses, [&](const access_argument* x) {
    return std::ranges::all_of(b.accesses, [&](const access_argument* y) {
      return !conflict(*x, *y) || same_region(*x, *y);
    });
  });
}

access_mode common_mode(const recorded_nodes& content, const task_group& group,
                        const access_argument& region) {
  bool reads = false, writes = false;
  for (const std::size_t member : group) {
    bool reads_now = false, writes_now = false;
    for (const auto& argument : task_of(content, member).arguments) {
      const auto* use = std::get_if<access_argument>(&argument);
      if (use == nullptr || !same_region(*use, region)) continue;
      reads_now = reads_now || use->mode != access_mode::write;
      writes_now = writes_now || writes_content(use->mode);
    }
    reads = reads || (reads_now && !writes);
    writes = writes || writes_now;
  }
  return !writes ? access_mode::read : reads ? access_mode::update : access_mode::write;
}

candidate joined(const recorded_nodes& content, const task_group& group) {
  candidate all{{}};
  for (const std::size_t member : group) append(all, described(content, member));
  return all;
}

std::string label_of(const recorded_nodes& content, const task_group& group) {
  const auto label = [&](std::size_t member) {
    return std::string(task_of(content, member).label_text());
  };
  if (group.size() > max_labels) {
    return label(group.front()) + "+...+" + label(group.back()) + " (" +
           std::to_string(group.size()) + " tasks)";
  }
  std::string all;
  for (const std::size_t member : group) all += (all.empty() ? "" : "+") + label(member);
  return all;
}

std::size_t region_table::add(const access_argument& use) {
  const auto known = std::ranges::find_if(
      regions_, [&](const access_argument* each) { return same_region(*each, use); });
  if (known != regions_.end()) return static_cast<std::size_t>(known - regions_.begin());
  regions_.push_back(&use);
  return regions_.size() - 1;
}

void composition::begin() {
  task = task_of(content_, group_.front());
  task.label = label_of(content_, group_);
  task.after.clear();
  task.arguments.clear();
}

void composition::add_region(const access_argument& region, bool local) {
  const access_mode mode = common_mode(content_, group_, region);
  values.push_back({{parameter::kind::buffer, region.data->type(), mode, any_rank}, local});
  if (!local) task.arguments.push_back(access_argument{region.data, region.where, mode});
}

void composition::add_part(const task_description& part) {
  for (const task_state_ptr& before : part.after) {
    const std::size_t node = content_.places[before->recorded().index];
    if (std::ranges::find(group_, node) == group_.end()) task.after.push_back(before);
  }
  fused_part made{part.kernel, {}};
  for (std::size_t i = 0; i < part.arguments.size(); ++i) {
    if (const auto* use = std::get_if<access_argument>(&part.arguments[i])) {
      made.values.push_back(table_.add(*use));
    } else {
      made.values.push_back(values.size());
      values.push_back({part.kernel->parameters[i]});
      task.arguments.push_back(part.arguments[i]);
    }
  }
  parts.push_back(std::move(made));
}

}  // namespace hocket::detail

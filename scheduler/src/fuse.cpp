// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "fuse.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include <hocket/kernels/fusion.hpp>

namespace hocket::detail {

namespace {

/// How many buffers a fused task has at most: with its block of numbers, what any device can bind.
constexpr std::size_t most_buffers = 7;

/// How many tasks become one at most: texts are compiled in time that grows with them.
constexpr std::size_t most_tasks = 16;

/// How many tasks a task looks back for one that it could join.
constexpr std::size_t window = 64;

/// One task of a recording, or those that become one.
struct candidate {
  fuse_group members;
  std::vector<const access_argument*> accesses = {};
  std::vector<std::size_t> names = {};  ///< recorded tasks that it waits for
  bool fusable = false;
};

void append(candidate& to, const candidate& from) {
  const auto add = [](auto& a, const auto& b) { a.insert(a.end(), b.begin(), b.end()); };
  add(to.members, from.members);
  add(to.accesses, from.accesses);
  add(to.names, from.names);
}

bool same_region(const access_argument& a, const access_argument& b) {
  return a.data == b.data && a.where == b.where;
}

bool conflict(const access_argument& a, const access_argument& b) {
  return a.data == b.data && (writes_content(a.mode) || writes_content(b.mode)) &&
         overlap(a.where, b.where);
}

bool waits_for(const candidate& a, const candidate& b) {
  return std::ranges::find_first_of(a.names, b.members) != a.names.end();
}

/// Whether the order of the two matters.
bool ordered(const candidate& a, const candidate& b) {
  if (waits_for(a, b) || waits_for(b, a)) return true;
  return std::ranges::any_of(a.accesses, [&](const access_argument* x) {
    return std::ranges::any_of(b.accesses,
                               [&](const access_argument* y) { return conflict(*x, *y); });
  });
}

/// Whether some region is used by both, and none that only begins or ends elsewhere: then an
/// element depends on elements of its own index alone.
bool regions_meet(const candidate& a, const candidate& b) {
  bool shared = false;
  for (const access_argument* x : a.accesses) {
    for (const access_argument* y : b.accesses) {
      if (same_region(*x, *y)) {
        shared = true;
      } else if (conflict(*x, *y)) {
        return false;
      }
    }
  }
  return shared;
}

/// The regions of a group as the values of a fused kernel.
class region_table {
 public:
  std::size_t add(const access_argument& use) {
    const auto known = std::ranges::find_if(
        regions_, [&](const access_argument* each) { return same_region(*each, use); });
    if (known != regions_.end()) return static_cast<std::size_t>(known - regions_.begin());
    regions_.push_back(&use);
    return regions_.size() - 1;
  }

  [[nodiscard]] const std::vector<const access_argument*>& regions() const { return regions_; }

 private:
  std::vector<const access_argument*> regions_;
};

const task_description& task_of(const graph_content& content, std::size_t index) {
  return std::get<task_description>(content.nodes[index]);
}

/// How the tasks of a group together use one region.
access_mode common_mode(const graph_content& content, const fuse_group& group,
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

/// Whether nobody but the group can ever use the buffer: it has no handle any more, and no other
/// task has it.
bool owned_by(const candidate& group, const buffer_ref& data) {
  const auto uses = std::ranges::count_if(
      group.accesses, [&](const access_argument* use) { return use->data == data; });
  return data.use_count() == uses;
}

bool is_local(const graph_content& content, const candidate& group, const access_argument& region) {
  return owned_by(group, region.data) &&
         common_mode(content, group.members, region) == access_mode::write;
}

candidate described(const graph_content& content, std::size_t index) {
  candidate made{{index}};
  bool recorded = true;
  const auto add_name = [&](const completion_ptr& named) {
    const auto place = named->recorded();
    if (place.recording == &content) {
      made.names.push_back(place.index);
    } else {
      recorded = false;
    }
  };
  if (const auto* host = std::get_if<host_node>(&content.nodes[index])) {
    std::ranges::for_each(host->after, add_name);
    return made;
  }
  const task_description& task = task_of(content, index);
  std::ranges::for_each(task.after, add_name);
  std::ranges::for_each(task.returns, add_name);
  for (const auto& argument : task.arguments) {
    if (const auto* use = std::get_if<access_argument>(&argument)) {
      made.accesses.push_back(use);
    } else if (const auto& from = std::get<number_argument>(argument).from) {
      add_name(from);
    }
  }
  // What waits for something outside of the graph must not hold up others.
  made.fusable = recorded && can_be_fused(*task.kernel) && !task.host_only && !task.in_order &&
                 !task.takes && task.returns.empty() && task.timeout == nanoseconds::max() &&
                 !made.accesses.empty();
  return made;
}

class search {
 public:
  explicit search(const graph_content& content) : content_(content) {}

  /// The next task: alone, or together with those before it that it can join.
  void add(candidate next) {
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
    if (!next.fusable) return std::nullopt;
    bool free = true;
    for (std::size_t i = done_.size(); i > 0 && done_.size() - i < window; --i) {
      const candidate& earlier = done_[i - 1];
      if (can_join(earlier, next)) {
        const auto after = done_.begin() + static_cast<std::ptrdiff_t>(i);
        const bool movable = std::none_of(
            after, done_.end(), [&](const candidate& each) { return ordered(earlier, each); });
        if (movable || free) return match{i - 1, movable};
      }
      free = free && !ordered(earlier, next);
    }
    return std::nullopt;
  }

  [[nodiscard]] bool can_join(const candidate& earlier, const candidate& next) const {
    if (!earlier.fusable || earlier.members.size() + next.members.size() > most_tasks) return false;
    const task_description& a = task_of(content_, earlier.members.front());
    const task_description& b = task_of(content_, next.members.front());
    return a.on == b.on && a.priority == b.priority && a.stop == b.stop &&
           earlier.accesses.front()->where.extents() == next.accesses.front()->where.extents() &&
           regions_meet(earlier, next) && few_buffers(earlier, next);
  }

  [[nodiscard]] bool few_buffers(candidate both, const candidate& next) const {
    append(both, next);
    region_table table;
    for (const access_argument* use : both.accesses) table.add(*use);
    return std::ranges::count_if(table.regions(), [&](const access_argument* each) {
             return !is_local(content_, both, *each);
           }) <= static_cast<std::ptrdiff_t>(most_buffers);
  }

  const graph_content& content_;
  std::vector<candidate> done_;
};

/// Makes one description of those of a group.
class composition {
 public:
  composition(const graph_content& content, const fuse_group& group)
      : content_(content), group_(group) {
    for (const std::size_t member : group) append(all_, described(content, member));
  }

  task_description make() {
    made_ = task_of(content_, group_.front());
    made_.label.clear();
    made_.after.clear();
    made_.arguments.clear();
    for (const access_argument* use : all_.accesses) table_.add(*use);
    for (const access_argument* region : table_.regions()) add_region(*region);
    for (const std::size_t member : group_) add_part(task_of(content_, member));
    made_.kernel = fused(parts_, values_);
    return std::move(made_);
  }

 private:
  void add_region(const access_argument& region) {
    const access_mode mode = common_mode(content_, group_, region);
    const bool local = is_local(content_, all_, region);
    values_.push_back({{parameter::kind::buffer, region.data->type(), mode, any_rank}, local});
    if (!local) made_.arguments.push_back(access_argument{region.data, region.where, mode});
  }

  void add_part(const task_description& task) {
    made_.label += (made_.label.empty() ? "" : "+") + task.label;
    for (const completion_ptr& before : task.after) {
      const std::size_t index = before->recorded().index;
      if (std::ranges::find(group_, index) == group_.end()) made_.after.push_back(before);
    }
    fused_part part{task.kernel, {}};
    for (std::size_t i = 0; i < task.arguments.size(); ++i) {
      if (const auto* use = std::get_if<access_argument>(&task.arguments[i])) {
        part.values.push_back(table_.add(*use));
      } else {
        part.values.push_back(values_.size());
        values_.push_back({task.kernel->parameters[i]});
        made_.arguments.push_back(task.arguments[i]);
      }
    }
    parts_.push_back(std::move(part));
  }

  const graph_content& content_;
  const fuse_group& group_;
  candidate all_;
  region_table table_;
  task_description made_;
  std::vector<fused_part> parts_;
  std::vector<fused_value> values_;
};

}  // namespace

std::vector<fuse_group> fusable_groups(const graph_content& content) {
  search found(content);
  for (std::size_t i = 0; i < content.nodes.size(); ++i) found.add(described(content, i));
  std::vector<fuse_group> groups;
  for (const candidate& each : found.done()) groups.push_back(each.members);
  return groups;
}

task_description fused_task(const graph_content& content, const fuse_group& group) {
  return composition(content, group).make();
}

}  // namespace hocket::detail

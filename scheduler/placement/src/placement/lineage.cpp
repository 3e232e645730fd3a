// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/lineage.hpp"

#include <algorithm>
#include <utility>

namespace hocket::placement {

logged_task& lineage::add(const placed_task& t) {
  positions_[t.id.value] = next();
  logged_task& made = log_.emplace_back();
  made.id = t.id;
  made.label = t.label;
  const bool has_name = !t.label.empty() || is_repeatable(t);
  if (!has_name) made.label = task_label(std::string(t.label_text()));
  made.bytes = t.bytes;
  made.on = t.on;
  made.is_view = t.kind == task_kind::view;
  for (const task_access& a : t.accesses) {
    made.accesses.push_back({array_part_ref(a.part), a.data, a.mode});
    ++uses_[a.data.value];
  }
  if (!is_repeatable(t)) return made;
  made.kernel = t.launch->kernel;
  made.scalars = t.launch->scalars;
  made.cost = t.launch->cost;
  made.width = t.launch->width;
  return made;
}

void lineage::failed_unissued(const placed_task& t, const failure& why) {
  (void)add(t);
  ended(t.id, why);
}

logged_task* lineage::find(task_id task) {
  const auto found = positions_.find(task.value);
  return found == positions_.end() ? nullptr : &at(found->second);
}

void lineage::ended(task_id task, const failure& why) {
  readers_.erase(task);
  logged_task* const found = find(task);
  if (found == nullptr) return;
  positions_.erase(task.value);
  found->ended = true;
  found->torn = false;
  found->failed = static_cast<bool>(why);
  found->why = why;
  if (why) forget_on_host(*found);
}

void lineage::torn(task_id task) {
  logged_task& found = *find(task);
  found.torn = true;
  forget_on_host(found);
}

void lineage::undone(task_id task) {
  readers_.erase(task);
  logged_task* const found = find(task);
  if (found == nullptr) return;
  positions_.erase(task.value);
  found->undone = true;
  forget_on_host(*found);
}

/// The blocks of the host do not hold what the task was to write there.
void lineage::forget_on_host(const logged_task& t) {
  for (const logged_task::access& a : t.accesses) {
    const auto versions = on_host_.find(a.data);
    if (!writes_content(a.mode) || versions == on_host_.end()) continue;
    versions->second.change(a.region(), [&](host_version& v) {
      if (v.position != 0 && v.position >= first_ && at(v.position).id == t.id) v = {};
    });
  }
}

void lineage::writes_on_host(const tracked_buffer& buffer, const box& region,
                             std::uint64_t position, aside_reader read) {
  if (region.empty()) return;
  host_versions& versions = versions_of(buffer);
  versions.visit(region, [&](const box& part, const host_version& v) {
    // The copy that the cut waits for is overwritten before it has come.
    if (v.is_on_the_way) is_cut_invalid_ = true;
    if (!v.is_root && !v.is_at_cut) return;
    // The task that writes it has not ended: the bytes are not there yet. A torn task has not
    // either, but what stands for it in the recovery has.
    if (v.position > 0 && !is_complete(v.position) && !at(v.position).torn) return;
    auto made = std::make_shared<kept_bytes>();
    made->part = part_of_array(buffer.type, buffer.all.end, part);
    aside_.push_back({v.position, buffer.id, made, v.is_at_cut});
    bytes_aside_ += made->size();
    read(made);
  });
  versions.replace(region, {position, is_root(position)});
}

void lineage::unknown_on_host(data_id data, const box& region) {
  const auto versions = on_host_.find(data);
  if (versions != on_host_.end() && !region.empty()) versions->second.replace(region, {});
}

lineage::host_versions& lineage::versions_of(const tracked_buffer& buffer) {
  return on_host_.try_emplace(buffer.id, buffer.all, host_version{}).first->second;
}

void lineage::forget(data_id data) {
  on_host_.erase(data);
  if (aside_.empty()) return;
  std::erase_if(aside_, [&](const part_aside& each) {
    if (each.data != data) return false;
    bytes_aside_ -= each.bytes->size();
    return true;
  });
}

void lineage::dropped(const tracked_buffer& buffer) {
  // Content that no task reads any more, but tasks that are run again may.
  logged_task& end = log_.emplace_back();
  end.ended = end.failed = true;
  end.accesses.push_back(
      {part_of_array(buffer.type, buffer.all.end, buffer.all), buffer.id, access_mode::write});
  ++uses_[buffer.id.value];
}

void lineage::begin_cut() {
  cut_ = next() - 1;
  is_cut_invalid_ = false;
  awaits_copies_ = true;
}

void lineage::has_at_cut(const tracked_buffer& buffer, const box& part) {
  versions_of(buffer).change(part, [](host_version& v) { v.is_at_cut = true; });
}

void lineage::comes_for_cut(const tracked_buffer& buffer, const box& part) {
  versions_of(buffer).change(part, [](host_version& v) { v.is_on_the_way = true; });
}

bool lineage::ended_until(std::uint64_t position) const {
  return std::ranges::all_of(positions_, [&](const auto& each) {
    const logged_task& t = at(each.second);
    const auto reads = [](const logged_task::access& a) { return !writes_content(a.mode); };
    return each.second > position || (t.is_view && std::ranges::all_of(t.accesses, reads));
  });
}

bool lineage::end_cut() {
  const std::uint64_t position = std::exchange(cut_, 0);
  awaits_copies_ = false;
  for (auto& [data, versions] : on_host_) {
    versions.change_all([&](host_version& v) {
      if (!v.is_on_the_way && !v.is_at_cut) return;
      const bool is_known = v.position > 0 || v.is_on_the_way;
      if (!is_cut_invalid_ || !is_known) v.position = position;
      v = {v.position, v.is_root || !is_cut_invalid_};
    });
  }
  for (part_aside& each : aside_) {
    if (std::exchange(each.is_at_cut, false) && !is_cut_invalid_) each.position = position;
  }
  if (is_cut_invalid_) return false;
  for (; first_ <= position; ++first_, log_.pop_front()) {
    for (const logged_task::access& a : log_.front().accesses) {
      const auto uses = uses_.find(a.data.value);
      if (--uses->second == 0) uses_.erase(uses);
    }
    // A view that is open.
    const task_id id = log_.front().id;
    if (positions_.erase(id.value) > 0) readers_.emplace(id, std::move(log_.front()));
  }
  const auto is_old = [&](const part_aside& each) { return each.position < position; };
  for (const part_aside& each : aside_) {
    if (is_old(each)) bytes_aside_ -= each.bytes->size();
  }
  std::erase_if(aside_, is_old);
  for (auto& [data, versions] : on_host_) {
    versions.change_all([&](host_version& v) {
      if (v.position < position) v = {};
    });
  }
  return true;
}

void lineage::forgets_poisoned(data_id data, const box& part) {
  const auto versions = on_host_.find(data);
  if (versions == on_host_.end()) return;
  // A task of the log that failed has poisoned content that older tasks of the log may have read.
  std::vector<box> left{part};
  for (const logged_task& t : log_) {
    for (const logged_task::access& a : t.accesses) {
      if (a.data != data || !writes_content(a.mode) || t.undone) continue;
      for (const box& each : std::exchange(left, {})) {
        const auto rest = difference(each, a.region());
        left.insert(left.end(), rest.begin(), rest.end());
      }
    }
  }
  for (const box& each : left) {
    versions->second.change(each, [&](host_version& v) {
      if (v.position < first_) v = {};
    });
  }
}

/// One walk from the end of the log to its begin, which finds what has to be run again.
class lineage::walk {
 public:
  walk(const lineage& of, function_ref<const box&(data_id)> all_of, poisoned_parts poisoned)
      : of_(of), all_of_(all_of), poisoned_(poisoned) {
    for (const part_aside& each : of_.aside_) {
      // The position of a version that a copy has brought is not known, but it is that of the cut.
      const std::uint64_t position =
          each.position == 0 && each.is_at_cut ? of_.cut_ : each.position;
      stored_[position].push_back({each.data, each.bytes->part->region(), each.bytes});
    }
    for (const auto& [data, versions] : of_.on_host_) {
      versions.visit(all_of_(data), [&, data = data](const box& part, const host_version& v) {
        if (v.position == 0 && v.is_at_cut) stored_[of_.cut_].push_back({data, part, nullptr});
        if (of_.is_complete(v.position)) stored_[v.position].push_back({data, part, nullptr});
      });
    }
  }

  [[nodiscard]] recovery_plan run() {
    for (const auto& [data, versions] : of_.on_host_) (void)of(data);
    for (const part_aside& each : of_.aside_) (void)of(each.data);
    // Making content again may overwrite other content that was not lost, because older content has
    // to be in its place for a while. That has to be made again too.
    do {
      go_through();
    } while (has_grown_ && made_.hopeless.empty());
    std::ranges::reverse(made_.steps);
    return std::move(made_);
  }

 private:
  /// Whether the content of a part is needed as it was at the place of the walk.
  struct need {
    bool is_wanted = false;
    bool is_read = false;          ///< by a task that is run again
    const void* stored = nullptr;  ///< the bytes that it is restored from; null: none
    friend bool operator==(const need&, const need&) = default;
  };
  struct stored_part {
    data_id data;
    box region;
    kept_ref from;
  };
  struct buffer_walk {
    region_map<bool> lost;  ///< what is to be made again
    region_map<need> needed;
    region_map<bool> later;  ///< written by a task behind the place of the walk
  };

  void go_through();
  static void want_lost(buffer_walk& b, const box& all);
  void find_stored(std::uint64_t position);
  void go_past(std::uint64_t position);
  void run_again(std::uint64_t position, const logged_task& t);
  void note_failed(const logged_task& t, const logged_task::access& a);
  void restore(std::uint64_t position, data_id data, const box& region);
  void want(data_id data, const box& region);
  void lose(buffer_walk& b, const box& part) {
    if (b.lost.all(part, [](bool is_lost) { return is_lost; })) return;
    b.lost.replace(part, true);
    has_grown_ = true;
  }
  [[nodiscard]] bool is_wanted(const logged_task& t) const;
  [[nodiscard]] buffer_walk& of(data_id data);
  void look_for_user(const logged_task& t, data_id data, const box& part);
  void give_up(const logged_task& t, const char* why, const logged_task* other = nullptr);
  void end_at_begin();

  const lineage& of_;
  function_ref<const box&(data_id)> all_of_;
  poisoned_parts poisoned_;
  std::map<std::uint64_t, std::vector<stored_part>> stored_;
  std::map<data_id, buffer_walk> buffers_;
  bool has_grown_ = false;
  logged_task before_log_;  ///< stands for what wrote the content that is restored from there
  recovery_plan made_;
};

lineage::walk::buffer_walk& lineage::walk::of(data_id data) {
  const auto found = buffers_.find(data);
  if (found != buffers_.end()) return found->second;
  const box& all = all_of_(data);
  buffer_walk made{region_map<bool>(all, false), region_map<need>(all, {}),
                   region_map<bool>(all, false)};
  poisoned_(data, [&](const box& part) { made.lost.replace(part, true); });
  want_lost(made, all);
  return buffers_.emplace(data, std::move(made)).first->second;
}

void lineage::walk::want_lost(buffer_walk& b, const box& all) {
  b.needed.replace(all, {});
  b.lost.visit(all, [&](const box& part, bool is_lost) {
    if (is_lost) b.needed.replace(part, {.is_wanted = true});
  });
}

void lineage::walk::go_through() {
  has_grown_ = false;
  made_.steps.clear();
  made_.failed.clear();
  for (auto& [data, b] : buffers_) {
    b.later.replace(all_of_(data), false);
    want_lost(b, all_of_(data));
  }
  for (std::uint64_t position = of_.next() - 1; position >= of_.first_; --position) {
    find_stored(position);
    go_past(position);
    if (!made_.hopeless.empty()) return;
  }
  end_at_begin();
}

void lineage::walk::find_stored(std::uint64_t position) {
  const auto found = stored_.find(position);
  if (found == stored_.end()) return;
  for (const stored_part& each : found->second) {
    if (each.from != nullptr && !each.from->is_there) continue;
    of(each.data).needed.change(each.region, [&](need& n) {
      if (n.is_wanted && n.stored == nullptr) n.stored = &each;
    });
  }
}

bool lineage::walk::is_wanted(const logged_task& t) const {
  return std::ranges::any_of(t.accesses, [&](const logged_task::access& a) {
    if (!writes_content(a.mode)) return false;
    const auto found = buffers_.find(a.data);
    if (found == buffers_.end()) return false;
    return !found->second.needed.all(
        a.region(), [](const need& n) { return !n.is_wanted || n.stored != nullptr; });
  });
}

void lineage::walk::go_past(std::uint64_t position) {
  const logged_task& t = of_.at(position);
  if (t.undone) return;
  for (const logged_task::access& a : t.accesses) (void)of(a.data);
  if (t.torn || (is_wanted(t) && !t.failed)) return run_again(position, t);
  for (const logged_task::access& a : t.accesses) {
    if (!writes_content(a.mode) || a.region().empty()) continue;
    if (!t.failed) restore(position, a.data, a.region());
    buffer_walk& b = of(a.data);
    if (t.why) note_failed(t, a);
    // A task that failed left nothing to be made again.
    b.needed.replace(a.region(), {});
    b.later.replace(a.region(), true);
  }
}

void lineage::walk::note_failed(const logged_task& t, const logged_task::access& a) {
  of(a.data).later.visit(a.region(), [&](const box& part, bool is_later) {
    if (!is_later) made_.failed.push_back({a.data, part, t.why});
  });
}

/// The parts of the region that are restored from bytes.
void lineage::walk::restore(std::uint64_t position, data_id data, const box& region) {
  of(data).needed.visit(region, [&](const box& part, const need& n) {
    if (!n.is_wanted || n.stored == nullptr) return;
    look_for_user(position < of_.first_ ? before_log_ : of_.at(position), data, part);
    const auto& from = *static_cast<const stored_part*>(n.stored);
    made_.steps.push_back({position, nullptr, data, part, from.from});
  });
}

void lineage::walk::run_again(std::uint64_t position, const logged_task& t) {
  if (t.kernel == nullptr && !t.torn) return give_up(t, "is called once");
  made_.steps.push_back({position, &t});
  for (const logged_task::access& a : t.accesses) {
    if (!writes_content(a.mode) || a.region().empty()) continue;
    look_for_user(t, a.data, a.region());
    buffer_walk& b = of(a.data);
    std::vector<box> overwritten;
    b.later.visit(a.region(), [&](const box& part, bool is_later) {
      if (is_later) overwritten.push_back(part);
    });
    for (const box& part : overwritten) lose(b, part);
    b.needed.replace(a.region(), {});
    b.later.replace(a.region(), true);
  }
  for (const logged_task::access& a : t.accesses) {
    if (reads_content(a.mode) && !a.region().empty()) want(a.data, a.region());
  }
}

/// The task reads the region as it was before it.
void lineage::walk::want(data_id data, const box& region) {
  buffer_walk& b = of(data);
  std::vector<box> older;
  b.later.visit(region, [&](const box& part, bool is_later) {
    if (is_later) older.push_back(part);
  });
  for (const box& part : older) {
    b.needed.change(part, [](need& n) { n.is_wanted = n.is_read = true; });
    lose(b, part);
  }
}

void lineage::walk::end_at_begin() {
  find_stored(of_.first_ - 1);
  for (auto& [data, b] : buffers_) {
    const box& all = all_of_(data);
    restore(of_.first_ - 1, data, all);
    // Content that no step reads, and that is poisoned, was so before the log began.
    if (b.needed.all(all, [](const need& n) { return !n.is_read || n.stored != nullptr; })) {
      continue;
    }
    made_.hopeless = "there is no earlier content of buffer";
    made_.lacks = data;
  }
}

/// A view that is open, or a function that runs, may use the part, which is about to change.
void lineage::walk::look_for_user(const logged_task& t, data_id data, const box& part) {
  const auto uses_it = [&](const logged_task& user) {
    return std::ranges::any_of(user.accesses, [&](const logged_task::access& a) {
      return a.data == data && overlap(a.region(), part);
    });
  };
  for (const auto& [task, position] : of_.positions_) {
    const logged_task& user = of_.at(position);
    if (!user.torn && uses_it(user)) give_up(t, "would change what is in use by", &user);
  }
  for (const auto& [task, user] : of_.readers_) {
    if (uses_it(user)) give_up(t, "would change what is in use by", &user);
  }
}

void lineage::walk::give_up(const logged_task& t, const char* why, const logged_task* other) {
  const auto named = [](const logged_task& each) {
    const bool has_label = !each.label.empty() || each.kernel == nullptr;
    return "\"" + std::string(has_label ? each.label.text() : each.kernel->name) + "\"";
  };
  made_.hopeless = "task " + named(t) + " " + why;
  if (other != nullptr) made_.hopeless += " " + named(*other);
}

recovery_plan lineage::plan(function_ref<const box&(data_id)> all_of, poisoned_parts poisoned) {
  // Torn tasks may have run in an earlier recovery, which was not the last. They do so again, and
  // may write something else.
  const auto is_torn = [&](const part_aside& each) {
    return each.position >= first_ && at(each.position).torn;
  };
  for (const part_aside& each : aside_) {
    if (is_torn(each)) bytes_aside_ -= each.bytes->size();
  }
  std::erase_if(aside_, is_torn);
  for (const logged_task& t : log_) {
    if (t.torn) forget_on_host(t);
  }
  return walk(*this, all_of, poisoned).run();
}

}  // namespace hocket::placement

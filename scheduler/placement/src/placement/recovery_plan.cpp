// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/recovery_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include <hocket/core/region_map.hpp>

namespace hocket::placement {

namespace {

/// One walk from the end of the log to its begin, which finds what has to be run again.
class recovery_walk {
 public:
  recovery_walk(const task_log& log, const host_versions& versions, std::uint64_t cut,
                function_ref<const box&(data_id)> all_of, poisoned_parts poisoned)
      : log_(log), all_of_(all_of), poisoned_(poisoned) {
    versions.for_known(
        cut, all_of,
        [&](std::uint64_t position, data_id data, const box& part, const kept_ref& aside) {
          stored_[position].push_back({data, part, aside});
        });
    versions.for_buffers([&](data_id data) { (void)of(data); });
  }

  [[nodiscard]] recovery_plan run() {
    // Making content again may overwrite other content that was not lost, because older content has
    // to be in its place for a while. That has to be made again too.
    do {
      go_through();
    } while (has_grown_ && made_.hopeless.empty());
    std::ranges::reverse(made_.steps);
    return std::move(made_);
  }

 private:
  /// Says of a part if its content is needed as it was at the place of the walk.
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
  void lack(std::uint64_t position, data_id data, const box& part);
  void lack_outputs(std::uint64_t position, const logged_task& t);
  void end_at_begin();

  const task_log& log_;
  function_ref<const box&(data_id)> all_of_;
  poisoned_parts poisoned_;
  std::map<std::uint64_t, std::vector<stored_part>> stored_;
  std::map<data_id, buffer_walk> buffers_;
  bool has_grown_ = false;
  logged_task before_log_;  ///< stands for what wrote the content that is restored from there
  recovery_plan made_;
};

recovery_walk::buffer_walk& recovery_walk::of(data_id data) {
  const auto found = buffers_.find(data);
  if (found != buffers_.end()) return found->second;
  const box& all = all_of_(data);
  buffer_walk made{region_map<bool>(all, false), region_map<need>(all, {}),
                   region_map<bool>(all, false)};
  poisoned_(data, [&](const box& part) { made.lost.replace(part, true); });
  want_lost(made, all);
  return buffers_.emplace(data, std::move(made)).first->second;
}

void recovery_walk::want_lost(buffer_walk& b, const box& all) {
  b.needed.replace(all, {});
  b.lost.visit(all, [&](const box& part, bool is_lost) {
    if (is_lost) b.needed.replace(part, {.is_wanted = true});
  });
}

void recovery_walk::go_through() {
  has_grown_ = false;
  made_.steps.clear();
  made_.failed.clear();
  for (auto& [data, b] : buffers_) {
    b.later.replace(all_of_(data), false);
    want_lost(b, all_of_(data));
  }
  for (std::uint64_t position = log_.next() - 1; position >= log_.first(); --position) {
    find_stored(position);
    go_past(position);
    if (!made_.hopeless.empty()) return;
  }
  end_at_begin();
}

void recovery_walk::find_stored(std::uint64_t position) {
  const auto found = stored_.find(position);
  if (found == stored_.end()) return;
  for (const stored_part& each : found->second) {
    if (each.from != nullptr && each.from->lacks_memory) continue;
    of(each.data).needed.change(each.region, [&](need& n) {
      if (n.is_wanted && n.stored == nullptr) n.stored = &each;
    });
  }
}

bool recovery_walk::is_wanted(const logged_task& t) const {
  return std::ranges::any_of(t.accesses, [&](const logged_task::access& a) {
    if (!writes_content(a.mode)) return false;
    const auto found = buffers_.find(a.data);
    if (found == buffers_.end()) return false;
    return !found->second.needed.all(
        a.region(), [](const need& n) { return !n.is_wanted || n.stored != nullptr; });
  });
}

void recovery_walk::go_past(std::uint64_t position) {
  const logged_task& t = log_.at(position);
  if (t.undone) return;
  for (const logged_task::access& a : t.accesses) (void)of(a.data);
  if (t.torn || (is_wanted(t) && !t.failed)) return run_again(position, t);
  for (const logged_task::access& a : t.accesses) {
    if (!writes_content(a.mode) || a.region().empty()) continue;
    if (!t.failed) restore(position, a.data, a.region());
    buffer_walk& b = of(a.data);
    if (t.why) note_failed(t, a);
    if (t.failed && !b.needed.all(a.region(), [](const need& n) { return !n.is_read; })) {
      made_.missing.why = t.why;
      lack(position, a.data, a.region());
      return give_up(t, "has not written what others read");
    }
    // A task that failed left nothing to be made again.
    b.needed.replace(a.region(), {});
    b.later.replace(a.region(), true);
  }
}

void recovery_walk::note_failed(const logged_task& t, const logged_task::access& a) {
  buffer_walk& b = of(a.data);
  b.later.visit(a.region(), [&](const box& part, bool is_later) {
    if (is_later) return;
    b.lost.visit(part, [&](const box& each, bool is_lost) {
      if (is_lost || !t.lacks) made_.failed.push_back({a.data, each, t.why});
    });
  });
}

/// The parts of the region that are restored from bytes.
void recovery_walk::restore(std::uint64_t position, data_id data, const box& region) {
  of(data).needed.visit(region, [&](const box& part, const need& n) {
    if (!n.is_wanted || n.stored == nullptr || !made_.hopeless.empty()) return;
    look_for_user(position < log_.first() ? before_log_ : log_.at(position), data, part);
    if (!made_.hopeless.empty()) return lack(position, data, part);
    const auto& from = *static_cast<const stored_part*>(n.stored);
    made_.steps.push_back({position, nullptr, data, part, from.from});
  });
}

void recovery_walk::run_again(std::uint64_t position, const logged_task& t) {
  if (t.kernel == nullptr && !t.torn) {
    lack_outputs(position, t);
    return give_up(t, "is called once");
  }
  made_.steps.push_back({position, &t});
  for (const logged_task::access& a : t.accesses) {
    if (!writes_content(a.mode) || a.region().empty()) continue;
    look_for_user(t, a.data, a.region());
    if (!made_.hopeless.empty()) return lack_outputs(position, t);
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
void recovery_walk::want(data_id data, const box& region) {
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

void recovery_walk::end_at_begin() {
  find_stored(log_.first() - 1);
  for (auto& [data, b] : buffers_) {
    const box& all = all_of_(data);
    restore(log_.first() - 1, data, all);
    // Content that no step reads, and that is poisoned, was so before the log began.
    if (b.needed.all(all, [](const need& n) { return !n.is_read || n.stored != nullptr; })) {
      continue;
    }
    made_.hopeless = "there is no earlier content of buffer";
    made_.lacks = data;
    made_.missing = {};
    b.needed.visit(all, [&, of = data](const box& part, const need& n) {
      if (n.is_read && n.stored == nullptr) lack(log_.first() - 1, of, part);
    });
    return;
  }
}

void recovery_walk::lack(std::uint64_t position, data_id data, const box& part) {
  made_.missing.position = position;
  made_.missing.parts.push_back({data, part});
}

void recovery_walk::lack_outputs(std::uint64_t position, const logged_task& t) {
  for (const logged_task::access& a : t.accesses) {
    if (writes_content(a.mode) && !a.region().empty()) lack(position, a.data, a.region());
  }
}

/// A view that is open, or a function that runs, may use the part, which is about to change.
void recovery_walk::look_for_user(const logged_task& t, data_id data, const box& part) {
  const auto uses_it = [&](const logged_task& user) {
    return std::ranges::any_of(user.accesses, [&](const logged_task::access& a) {
      return a.data == data && overlap(a.region(), part);
    });
  };
  log_.for_running([&](const logged_task& user) {
    if (!user.torn && uses_it(user)) give_up(t, "would change what is in use by", &user);
  });
}

void recovery_walk::give_up(const logged_task& t, const char* why, const logged_task* other) {
  const auto named = [](const logged_task& each) {
    const bool has_label = !each.label.empty() || each.kernel == nullptr;
    return "\"" + std::string(has_label ? each.label.text() : each.kernel->name) + "\"";
  };
  made_.hopeless = &t == &before_log_ ? "content that was kept" : "task " + named(t);
  made_.hopeless += std::string(" ") + why;
  if (other == nullptr) return;
  made_.hopeless += " " + named(*other);
  made_.user = other->id;
}

}  // namespace

recovery_plan plan_recovery(const task_log& log, const host_versions& versions, std::uint64_t cut,
                            function_ref<const box&(data_id)> all_of, poisoned_parts poisoned) {
  return recovery_walk(log, versions, cut, all_of, poisoned).run();
}

}  // namespace hocket::placement

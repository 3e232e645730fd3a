// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "shrink.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace hocket::seeded {

namespace {

constexpr std::size_t gone = static_cast<std::size_t>(-1);

/// Steps that cannot be without one another: the two ends of a scope, a cancellation and its task.
void drop_what_lacks_another(const std::vector<step>& steps, std::vector<bool>& kept) {
  std::optional<std::size_t> opened;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].what == kind::open_scope) opened = i;
    if (steps[i].what == kind::cancel && !kept[steps[i].target]) kept[i] = false;
    if (steps[i].what != kind::end_scope || !opened) continue;
    const bool both = kept[*opened] && kept[i];
    kept[*opened] = kept[i] = both;
  }
}

int moved(int position, const std::vector<std::size_t>& places) {
  if (position < 0) return position;
  const std::size_t to = places[static_cast<std::size_t>(position)];
  return to == gone ? -1 : static_cast<int>(to);
}

/// Makes the step name others by the places that they have now.
void rename(step& s, const std::vector<std::size_t>& places) {
  std::vector<std::size_t> after;
  for (const std::size_t each : s.after) {
    if (places[each] != gone) after.push_back(places[each]);
  }
  s.after = std::move(after);
  s.number_from = moved(s.number_from, places);
  s.returns = moved(s.returns, places);
  if (s.what == kind::cancel) s.target = places[s.target];
}

/// Units that nothing returns would be waited for without end.
void take_only_what_returns(std::vector<step>& steps) {
  std::vector<bool> returned(steps.size(), false);
  for (const step& each : steps) {
    if (each.returns >= 0) returned[static_cast<std::size_t>(each.returns)] = true;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!returned[i]) steps[i].takes = 0;
  }
}

/// A list without the steps from begin to end, and without those that cannot be without them.
std::vector<step> without(const std::vector<step>& steps, std::size_t begin, std::size_t end) {
  std::vector<bool> kept(steps.size(), true);
  std::fill(kept.begin() + static_cast<std::ptrdiff_t>(begin),
            kept.begin() + static_cast<std::ptrdiff_t>(end), false);
  drop_what_lacks_another(steps, kept);
  std::vector<step> left;
  std::vector<std::size_t> places(steps.size(), gone);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!kept[i]) continue;
    places[i] = left.size();
    left.push_back(steps[i]);
    rename(left.back(), places);
  }
  take_only_what_returns(left);
  return left;
}

void add_lists(std::vector<step>& list, std::vector<std::vector<step>*>& to) {
  to.push_back(&list);
  for (step& each : list) {
    if (!each.recorded.empty()) add_lists(each.recorded, to);
    for (std::vector<step>& body : each.bodies) add_lists(body, to);
  }
}

/// All lists of steps: that of the program first, then those of graphs and choices.
std::vector<std::vector<step>*> lists_of(program& made) {
  std::vector<std::vector<step>*> all;
  add_lists(made.steps, all);
  return all;
}

/// Changes that make a step simpler.
constexpr std::array simpler_steps{
    +[](step& s) { s.count = s.what == kind::pass_time ? s.count : 1; },
    +[](step& s) { s.throws = false; },
    +[](step& s) { s.takes_token = false; },
    +[](step& s) { s.stays_open = false; },
    +[](step& s) { s.priority = 0; },
    +[](step& s) { s.device = -1; },
    +[](step& s) { s.after.clear(); },
    +[](step& s) { s.number_from = -1; },
    +[](step& s) { s.asks = 0; },
    +[](step& s) { s.batched = false; },
    +[](step& s) { s.one_by_one = false; },
    +[](step& s) { s.in_order = false; },
    +[](step& s) { s.timeout = 0; },
};

/// Changes that make a program simpler.
constexpr std::array simpler_programs{
    +[](program& p) { p.alone = true; },          +[](program& p) { p.private_memory = false; },
    +[](program& p) { p.delay_probability = 0; }, +[](program& p) { p.max_pending = 0; },
    +[](program& p) { p.policy.clear(); },
};

class shrinker {
 public:
  shrinker(program failing, const std::function<bool(const program&)>& fails)
      : best_(std::move(failing)), fails_(fails) {}

  program run() {
    for (const auto change : simpler_programs) (void)attempt(change);
    do {
      changed_ = false;
      drop_steps();
      drop_faults();
      simplify_steps();
    } while (changed_);
    return std::move(best_);
  }

 private:
  template <class Change>
  bool attempt(Change&& change) {
    program candidate = best_;
    change(candidate);
    if (!fails_(candidate)) return false;
    best_ = std::move(candidate);
    return changed_ = true;
  }

  /// From halves of a list to single steps.
  void drop_steps() {
    for (std::size_t list = 0; list < lists_of(best_).size(); ++list) {
      for (std::size_t size = (size_of(list) + 1) / 2; size > 0; size /= 2) {
        drop_steps(list, size);
      }
    }
  }
  void drop_steps(std::size_t list, std::size_t size) {
    // From the end: what a step is named by goes before it.
    for (std::size_t end = size_of(list); end > 0;) {
      const std::size_t begin = end > size ? end - size : 0;
      (void)attempt([&](program& p) {
        std::vector<step>& steps = *lists_of(p)[list];
        steps = without(steps, begin, end);
      });
      end = std::min(begin, size_of(list));
    }
  }
  std::size_t size_of(std::size_t list) { return lists_of(best_)[list]->size(); }

  void drop_faults() {
    for (std::size_t i = best_.faults.size(); i-- > 0;) {
      (void)attempt(
          [i](program& p) { p.faults.erase(p.faults.begin() + static_cast<std::ptrdiff_t>(i)); });
    }
  }

  void simplify_steps() {
    for (std::size_t list = 0; list < lists_of(best_).size(); ++list) {
      for (std::size_t i = 0; i < size_of(list); ++i) {
        for (const auto change : simpler_steps) simplify(list, i, change);
      }
    }
  }
  void simplify(std::size_t list, std::size_t at, void (*change)(step&)) {
    const auto changes = [&](program& p) { change((*lists_of(p)[list])[at]); };
    program candidate = best_;
    changes(candidate);
    if (to_string(candidate) != to_string(best_)) (void)attempt(changes);
  }

  program best_;
  const std::function<bool(const program&)>& fails_;
  bool changed_ = false;
};

}  // namespace

program shrink(program failing, const std::function<bool(const program&)>& fails) {
  return shrinker(std::move(failing), fails).run();
}

}  // namespace hocket::seeded

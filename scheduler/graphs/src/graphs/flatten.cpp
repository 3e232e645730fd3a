// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <vector>

#include "graphs/graph_content.hpp"

namespace hocket::detail {

namespace {

/// Makes one plan of a recording and of all graphs within it.
class flattening {
 public:
  explicit flattening(const graph_content& all)
      : plan_(std::make_shared<host_plan>(all.all_functions())),
        // A graph is never called: what stands for it does nothing either.
        nothing_(all.plan->function(all.uses.front().node)) {
    (void)add(all, {});
  }

  [[nodiscard]] std::shared_ptr<host_plan> seal() && {
    plan_->seal();
    return std::move(plan_);
  }

 private:
  using nodes = std::vector<std::uint32_t>;

  /// Adds everything that a recording holds, after these. Returns what it ends with.
  nodes add(const graph_content& content, const nodes& after) {
    const host_plan& recorded = *content.plan;
    const nodes lists = recorded.after();
    nodes moved(recorded.size());
    std::vector<bool> ends(recorded.size(), true);
    const nodes kept = numbers_for(content);
    auto use = content.uses.begin();
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < recorded.size(); ++i) {
      nodes before;
      for (const std::size_t last = at + recorded.before(i); at < last; ++at) {
        before.push_back(moved[lists[at]]);
        ends[lists[at]] = false;
      }
      if (before.empty()) before = after;
      if (use != content.uses.end() && use->node == i) {
        const task_state_ptr& asked = use->use.ask.future;
        moved[i] = add(use->use, before,
                       asked != nullptr ? kept[asked->recorded().index] : plan_choice::none);
        ++use;
      } else {
        moved[i] = plan_->add(recorded.function(i), before, recorded.label(i));
        if (kept[i] != plan_choice::none) plan_->choose({.kept = kept[i]});
      }
    }
    nodes last;
    for (std::uint32_t i = 0; i < recorded.size(); ++i) {
      if (ends[i]) last.push_back(moved[i]);
    }
    return last;
  }

  /// Of each function whose result chooses among graphs, the place of the number that it is.
  nodes numbers_for(const graph_content& content) {
    nodes kept(content.plan->size(), plan_choice::none);
    for (const auto& [node, use] : content.uses) {
      if (use.ask.future == nullptr) continue;
      std::uint32_t& place = kept[use.ask.future->recorded().index];
      if (place == plan_choice::none) place = plan_->new_number();
    }
    return kept;
  }

  /// Adds a graph, or a choice among graphs, and returns the one function that it ends with.
  std::uint32_t add(const graph_use& use, const nodes& before, std::uint32_t known) {
    if (use.is_choice()) return add_choice(use, before, known);
    const graph_content& body = *use.bodies.front();
    // Not every one of many after every one of many others.
    const bool gathers = before.size() > 1 && body.plan->size() > 1;
    const nodes ends = add(body, gathers ? nodes{plan_->add(nothing_, before)} : before);
    if (ends.size() == 1) return ends.front();
    return plan_->add(nothing_, ends.empty() ? before : ends, use.label);
  }

  std::uint32_t add_choice(const graph_use& use, const nodes& before, std::uint32_t known) {
    plan_choice made;
    made.rule = use.rule;
    made.at_most = use.at_most;
    made.asks_first = use.asks_first;
    made.is_unsigned = use.ask.is_unsigned;
    made.rounds = plan_->new_number();
    made.known = known;
    const std::uint32_t node =
        plan_->add(use.ask.function != nullptr ? *use.ask.function : nothing_, before, use.label);
    plan_->choose(std::move(made));
    for (const auto& body : use.bodies) {
      const host_plan::body_mark begin = plan_->open_body();
      plan_->close_body(node, begin, add(*body, {node}));
    }
    return node;
  }

  std::shared_ptr<host_plan> plan_;
  plan_function& nothing_;
};

}  // namespace

std::shared_ptr<host_plan> flattened(const graph_content& content) {
  return flattening(content).seal();
}

}  // namespace hocket::detail

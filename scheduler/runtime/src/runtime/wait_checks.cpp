// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/wait_checks.hpp"

#include <cstdio>
#include <optional>
#include <vector>

#include <hocket/execution/stack_number.hpp>

#include "data/in_place_view.hpp"
#include "runtime/wait_listing.hpp"

namespace hocket::detail {

void wait_checks::closed(const held_view& view) {
  if (!graph_->closed(view)) return;  // the end of the runtime has closed it
  if (view.node != nullptr) {
    static_cast<view_node&>(*view.node).close();
  } else {
    events_.post(placement::view_released{view.id});
  }
}

void wait_checks::close_forgotten_views() noexcept {
  for (const held_view& v : graph_->views()) {
    if (v.holder != stack_number()) continue;
    std::fprintf(stderr, "hocket: a view of buffer \"%s\" outlives its runtime.\n",
                 v.label.c_str());
    closed(v);
  }
}

void wait_checks::check(task_state& task, parked_wait& by) {
  events_.stop_polling();
  if (const host_context* all = task.ends_with()) by.stands_for(*all);
  if (graph_->add(by)) check_again(by);
}

void wait_checks::check_again(parked_wait& by) {
  using finding = wait_graph::finding;
  std::string sentence;
  finding found = graph_->look(by, nullptr, sentence);
  if (found == finding::needs_engine) {
    events_.inspect([&](const placement::engine& e) { found = graph_->look(by, &e, sentence); });
  }
  if (found == finding::circle) throw usage_error(sentence);
}

pending_report wait_checks::list(task_registry* registry) {
  // What the listing keeps goes after all locks.
  std::optional<wait_listing> listing;
  pending_report made;
  const auto list = [&](const placement::engine* placement) {
    listing.emplace(*graph_, placement, [this](device_id device) {
      return events_.devices().infos()[device.value].name;
    });
    made.tasks.clear();
    made.awaited_outside.clear();
    const auto look = [&](const task_registry::tasks& all) {
      std::vector<const task_state*> known;
      for (const auto& [task, since] : all) known.push_back(task);
      graph_->list(*listing, known, made, [&](const task_state& task) {
        const auto at = all.find(&task);
        return at == all.end() ? std::nullopt : std::optional(at->second);
      });
    };
    if (registry != nullptr) {
      registry->look(look);
    } else {
      look({});
    }
  };
  if (events_.has_engine()) {
    events_.inspect([&](const placement::engine& e) { list(&e); });
  } else {
    list(nullptr);
  }
  made.is_complete = registry != nullptr;
  return made;
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <optional>

#include <hocket/execution/stack_number.hpp>

#include "data/in_place_view.hpp"
#include "runtime/device_set.hpp"
#include "runtime/runtime_core.hpp"
#include "runtime/wait_listing.hpp"

namespace hocket::detail {

void runtime_core::closed(const held_view& view) {
  if (!waits_->closed(view)) return;  // the end of the runtime has closed it
  if (view.node != nullptr) {
    static_cast<view_node&>(*view.node).close();
  } else {
    post(placement::view_released{view.id});
  }
}

void runtime_core::view_opened(task_id id, const std::string& label) {
  waits_->opened({id, nullptr, stack_number(), label});
}

void runtime_core::view_opened(const boost::intrusive_ptr<view_node>& node,
                               const std::string& label) {
  waits_->opened({task_id{}, node, stack_number(), label});
}

void runtime_core::view_closed(task_id id) { closed({.id = id}); }

void runtime_core::view_closed(const boost::intrusive_ptr<view_node>& node) {
  closed({.node = node});
}

void runtime_core::check_wait(task_state& task, parked_wait& by) {
  if (has_engine_) machine_->stop_polling();
  if (const host_context* all = task.ends_with()) by.stands_for(*all);
  if (waits_->add(by)) check_wait_again(by);
}

void runtime_core::check_wait_again(parked_wait& by) {
  using finding = wait_graph::finding;
  std::string sentence;
  finding found = waits_->look(by, nullptr, sentence);
  if (found == finding::needs_engine) {
    inspect([&](const placement::engine& h) { found = waits_->look(by, &h, sentence); });
  }
  if (found == finding::circle) throw usage_error(sentence);
}

void runtime_core::wait_for_all() {
  parked_wait by(*this);
  (void)waits_->add(by);
  const auto check = [&] { check_wait_again(by); };
  const auto ended = [this] { return unfinished_ == 0; };
  if (!by.is_to_be_checked_again()) return wait_until(ended);
  if (has_engine_) machine_->stop_polling();
  check();
  wait_until(ended, check);
}

pending_report runtime_core::pending() {
  // What the listing keeps goes after all locks.
  std::optional<wait_listing> listing;
  pending_report made;
  const auto list = [&](const placement::engine* placement) {
    listing.emplace(*waits_, placement,
                    [this](device_id device) { return machine_->infos()[device.value].name; });
    made.tasks.clear();
    made.awaited_outside.clear();
    task_registry::tasks none;
    const auto look = [&](const task_registry::tasks& all) {
      std::vector<const task_state*> known;
      for (const auto& [task, since] : all) known.push_back(task);
      waits_->list(*listing, known, made, [&](const task_state& task) {
        const auto at = all.find(&task);
        return at == all.end() ? std::nullopt : std::optional(at->second);
      });
    };
    if (registry_ != nullptr) {
      registry_->look(look);
    } else {
      look(none);
    }
  };
  if (has_engine_) {
    inspect([&](const placement::engine& h) { list(&h); });
  } else {
    list(nullptr);
  }
  made.unfinished = static_cast<std::size_t>(std::max<std::int64_t>(unfinished_, 0));
  made.is_complete = registry_ != nullptr;
  return made;
}

}  // namespace hocket::detail

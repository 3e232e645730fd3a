// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "node_arena.hpp"

#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

#include <new>
#include <utility>

namespace hocket {

// A worker that is in an item came here for a piece of for_ranges and belongs elsewhere.
void node_binder::on_scheduler_entry(bool is_worker) {
  if (is_worker && current_item() == nullptr) topology_.bind_current_thread(node_);
}

// oneTBB may send the worker to an arena of the user's next.
void node_binder::on_scheduler_exit(bool is_worker) {
  if (is_worker && current_item() == nullptr) topology_.unbind_current_thread();
}

node_arena::node_arena(const void* owner, std::size_t node, const host_topology& topology)
    : owner_(owner),
      node_(node),
      arena_(static_cast<int>(topology.nodes()[node].cores), 0),
      places_(topology.nodes()[node].cores + 1) {
  spare_.reserve(most_spare);
  arena_.initialize();
  // With one node there is nothing to choose.
  if (topology.nodes().size() > 1) binder_.emplace(arena_, topology, node);
}

node_arena::~node_arena() = default;

void node_arena::post(int priority, work_item item) {
  items_[priority > 0 ? 0 : priority == 0 ? 1 : 2].push(std::move(item));
  // The item, and its turn. Relaxed: nobody posts while the executor ends, so idle() need not see
  // it early.
  unfinished_.fetch_add(2, std::memory_order_relaxed);
  enqueue_turn();
}

void node_arena::post_resumed(suspendable_item* item) noexcept {
  // The turn, and this call: the item may have ended before this returns. Relaxed: the item keeps
  // the count above zero until here.
  unfinished_.fetch_add(2, std::memory_order_relaxed);
  resumed_.push(item);
  enqueue_turn();
  leave(1);
}

// Should oneTBB have no memory for a turn, its item could neither be run nor taken back.
void node_arena::enqueue_turn() noexcept {
  arena_.enqueue([this] { turn(); });
}

/// Once for each item that was posted or resumed: runs the most urgent one there is at that time.
void node_arena::turn() noexcept {
  work next = take();
  const bool ended = next.resumed != nullptr
                         ? run(std::unique_ptr<suspendable_item>(next.resumed))
                         : begin(std::move(next.item));
  leave(ended ? 2 : 1);
}

void node_arena::leave(std::size_t count) noexcept {
  // The last access to the node. Pairs with the acquire in idle().
  unfinished_.fetch_sub(count, std::memory_order_release);
}

node_arena::work node_arena::take() {
  work taken;
  // There are at least as many items as turns that look for one. If this one finds none, then they
  // have come to queues that it had looked at before: it looks again.
  for (;;) {
    if (resumed_.try_pop(taken.resumed)) return taken;
    for (auto& queue : items_) {
      if (queue.try_pop(taken.item)) return taken;
    }
  }
}

/// Returns true if the item has ended.
bool node_arena::begin(work_item item) noexcept {
  std::unique_ptr<suspendable_item> own = stack_for_item();
  if (own == nullptr) {
    run_without_stack(std::move(item));
    return true;
  }
  own->stack->set_body(std::move(item));
  return run(std::move(own));
}

bool node_arena::run(std::unique_ptr<suspendable_item> item) noexcept {
  item->context = {owner_, node_, item.get(), tbb::task::current_context()};
  for (;;) {
    set_current_item(&item->context);
    const bool ended = item->stack->run();
    set_current_item(nullptr);
    if (ended) {
      keep(std::move(item));
      return true;
    }
    // Who goes on with the item owns it, even before left() has returned.
    suspendable_item* const given = item.release();
    if (given->waits_at->left()) return false;
    item.reset(given);
  }
}

void node_arena::run_without_stack(work_item item) noexcept {
  const item_context context{owner_, node_, nullptr, nullptr};
  set_current_item(&context);
  item();
  item = nullptr;
  set_current_item(nullptr);
}

node_arena::place* node_arena::own_place() noexcept {
  const auto index = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
  return index < places_.size() ? &places_[index] : nullptr;
}

std::unique_ptr<suspendable_item> node_arena::stack_for_item() noexcept {
  place* const own = own_place();
  if (own != nullptr && own->spare != nullptr) return std::move(own->spare);
  {
    const std::lock_guard lock(spare_mutex_);
    if (!spare_.empty()) {
      std::unique_ptr<suspendable_item> last = std::move(spare_.back());
      spare_.pop_back();
      return last;
    }
  }
  std::unique_ptr<fiber> stack = fiber::create();
  if (stack == nullptr) return nullptr;
  return std::unique_ptr<suspendable_item>(new (std::nothrow) suspendable_item(std::move(stack)));
}

void node_arena::keep(std::unique_ptr<suspendable_item> item) noexcept {
  place* const own = own_place();
  if (own != nullptr && own->spare == nullptr) {
    own->spare = std::move(item);
    return;
  }
  const std::lock_guard lock(spare_mutex_);
  if (spare_.size() < most_spare) spare_.push_back(std::move(item));
}

}  // namespace hocket

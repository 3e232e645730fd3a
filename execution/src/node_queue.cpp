// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "node_queue.hpp"

#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

#include <new>
#include <thread>
#include <utility>

#include <hocket/execution/item_note.hpp>

#include "carried_state.hpp"

namespace hocket {
namespace {

constexpr std::size_t max_spare_stacks = 256;
constexpr std::size_t max_in_ring = 1024;
constexpr std::size_t max_urgent_in_ring = 64;
/// How many items go from behind a ring to it at a time.
constexpr std::size_t max_moved = 256;

void run_with_memory(void* what) {
  const std::unique_ptr<executor::work_item> own(static_cast<executor::work_item*>(what));
  (*own)();
}

/// An item with memory of its own.
executor::bare_item with_memory(executor::work_item&& item) {
  return {run_with_memory, new executor::work_item(std::move(item))};
}

}  // namespace

void* bare_item_at_hand() noexcept {
  const item_context* const context = current_item();
  if (context == nullptr || context->bare == nullptr) return nullptr;
  return context->bare->run == run_with_memory ? nullptr : context->bare->what;
}

bool work_turn::is_young() noexcept {
  if (clock::now() - begin_ >= shortest) return false;
  left_ = items_at_a_time;
  return true;
}

node_queue::node_queue(const void* owner, std::size_t node, const host_topology& topology,
                       tbb::task_arena& arena, std::size_t slots)
    : owner_(owner),
      node_(node),
      topology_(topology),
      arena_(arena),
      items_{line(max_urgent_in_ring), line(max_urgent_in_ring), line(max_in_ring),
             line(max_urgent_in_ring)},
      places_(slots),
      workers_(topology.nodes()[node].cores) {
  spare_.reserve(max_spare_stacks);
}

void node_queue::line::push_behind(executor::bare_item item) {
  const std::lock_guard lock(guard);
  rest.push_back(item);
  // Relaxed, here and below: see push().
  behind.store(rest.size(), std::memory_order_relaxed);
}

bool node_queue::line::pop_behind(executor::bare_item& item) {
  if (behind.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard lock(guard);
  if (rest.empty()) return false;
  item = rest.front();
  rest.pop_front();
  for (std::size_t i = 0; i < max_moved && !rest.empty(); ++i) {
    if (!ring.try_push(rest.front())) break;
    rest.pop_front();
  }
  behind.store(rest.size(), std::memory_order_relaxed);
  return true;
}

void node_queue::post(level urgency, work_item item) {
  post(urgency, with_memory(std::move(item)));
}

void node_queue::post_resumed(suspendable_item* item) noexcept {
  // Before the item is counted: see post().
  beside_.fetch_add(1, std::memory_order_relaxed);
  resumed_.push(item);
  if (workers_.add()) enqueue_turn();
  // Last: until here the item counts as suspended too, so that this cannot be gone.
  workers_.go_on();
}

// Should oneTBB have no memory for a turn, an item could neither be run nor taken back.
void node_queue::enqueue_turn() noexcept {
  arena_.enqueue([this] { turn(); });
}

void node_queue::turn() noexcept {
  bind_worker(topology_, node_);
  work_turn own;
  while (own.goes_on()) {
    if (!workers_.take()) return;
    run_one(own);
  }
  enqueue_turn();
}

/// One that the worker count has given to this worker, and perhaps others.
void node_queue::run_one(work_turn& turn) noexcept {
  turn.count();
  const work next = take();
  suspendable_item* resumed = next.resumed;
  if (resumed == nullptr) resumed = begin(next.item, turn);
  while (resumed != nullptr) resumed = run(std::unique_ptr<suspendable_item>(resumed), turn);
}

node_queue::help node_queue::work_for_a_turn() noexcept {
  if (!workers_.join()) return help::not_needed;
  const carried_state outer = carried_state::take();
  work_turn own(work_turn::by::guest);
  run_one(own);
  while (own.goes_on() && workers_.take_another()) run_one(own);
  const bool is_over = !own.goes_on();
  outer.put_back();
  if (workers_.leave()) enqueue_turn();
  return is_over ? help::ended_its_turn : help::found_no_more;
}

node_queue::work node_queue::take() {
  work taken;
  // There are at least as many items as workers that look for one. If this one finds none, then
  // they have come to queues that it had looked at before: it looks again.
  // Unless it is just being put there, by a thread that may have to be let run for it.
  for (;;) {
    // Relaxed: the worker count has ordered the count before the item that this worker has to take.
    const bool has_others = beside_.load(std::memory_order_relaxed) != 0;
    if (has_others && take_urgent(taken)) return taken;
    if (queue(level::normal).try_pop(taken.item)) return taken;
    if (has_others && take_low(taken)) return taken;
    std::this_thread::yield();
  }
}

bool node_queue::take_urgent(work& taken) {
  if (!resumed_.try_pop(taken.resumed) && !queue(level::helper).try_pop(taken.item) &&
      !queue(level::high).try_pop(taken.item)) {
    return false;
  }
  beside_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

bool node_queue::take_low(work& taken) {
  if (!queue(level::low).try_pop(taken.item)) return false;
  beside_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

suspendable_item* node_queue::begin(executor::bare_item item, work_turn& turn) noexcept {
  std::unique_ptr<suspendable_item> own = stack_for_item(turn);
  if (own == nullptr) {
    run_without_stack(item);
    return nullptr;
  }
  own->item = item;
  own->stack->set_body([this, on = own.get()] { serve(*on); });
  return run(std::move(own), turn);
}

/// Returns an item that was taken meanwhile, and that the caller has to go on with.
suspendable_item* node_queue::run(std::unique_ptr<suspendable_item> item,
                                  work_turn& turn) noexcept {
  item->context = {owner_, node_,      this, item.get(), tbb::task::current_context(),
                   false,  &item->item};
  item->turn = &turn;
  for (;;) {
    set_current_item(&item->context);
    const bool ended = item->stack->run();
    set_current_item(nullptr);
    if (ended) {
      suspendable_item* const next = std::exchange(item->next, nullptr);
      keep(std::move(item), turn);
      return next;
    }
    workers_.suspend();
    // Who goes on with the item owns it, even before left() has returned.
    suspendable_item* const given = item.release();
    if (given->waits_at->left()) return nullptr;
    item.reset(given);
    workers_.go_on();
  }
}

/// On a stack: runs items one after the other, so that it is not left and entered for each. One of
/// them may be suspended, and what follows it here is then done by the worker that goes on with it.
void node_queue::serve(suspendable_item& own) noexcept {
  own.item.run(own.item.what);
  while (own.turn->goes_on() && workers_.take_another()) {
    own.turn->count();
    if (!take_normal(own.item)) {
      const work found = take();
      if (found.resumed != nullptr) {
        own.next = found.resumed;
        return;
      }
      own.item = found.item;
    }
    own.item.run(own.item.what);
  }
}

void node_queue::run_without_stack(executor::bare_item item) noexcept {
  const item_context context{owner_, node_, this, nullptr, nullptr, true, &item};
  set_current_item(&context);
  item.run(item.what);
  set_current_item(nullptr);
}

bool node_queue::park() noexcept {
  if (parked_.fetch_add(1) + 1 < topology_.nodes()[node_].cores) return true;
  parked_.fetch_sub(1);
  return false;
}

node_queue::place* node_queue::own_place(const work_turn& turn) noexcept {
  // A guest has a number in an arena of its own, if any.
  if (turn.is_of_guest()) return nullptr;
  const auto index = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
  return index < places_.size() ? &places_[index] : nullptr;
}

std::unique_ptr<suspendable_item> node_queue::stack_for_item(const work_turn& turn) noexcept {
  place* const own = own_place(turn);
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

void node_queue::keep(std::unique_ptr<suspendable_item> item, const work_turn& turn) noexcept {
  place* const own = own_place(turn);
  if (own != nullptr && own->spare == nullptr) {
    own->spare = std::move(item);
    return;
  }
  const std::lock_guard lock(spare_mutex_);
  if (spare_.size() < max_spare_stacks) spare_.push_back(std::move(item));
}

}  // namespace hocket

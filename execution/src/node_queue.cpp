// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "node_queue.hpp"

#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include <hocket/execution/item_note.hpp>
#include <hocket/execution/own_items.hpp>
#include <hocket/execution/pause_processor.hpp>

#include "carried_state.hpp"
#include "intrusive_item.hpp"

namespace hocket {
namespace {

constexpr std::size_t max_spare_stacks = 256;
constexpr std::size_t max_in_ring = 1024;
constexpr std::size_t max_urgent_in_ring = 64;
/// How many items go from behind a ring to it at a time.
constexpr std::size_t max_moved = 256;
/// How long a worker that has found no item looks for one before it leaves. To send for it again
/// takes longer.
constexpr std::chrono::microseconds patience{5};
constexpr std::chrono::microseconds patience_after_items{20};
/// For the first part of that time the worker does not yield its core.
constexpr std::chrono::microseconds patience_without_yielding{5};
/// For half a microsecond or so, in which threads that post have their memory for themselves.
constexpr int pauses_between_looks = 16;
/// As long as other threads take all items before they have waited: some four microseconds.
constexpr int most_pauses_between_looks = 128;

void run_with_memory(void* what) {
  make_owed_call();
  const std::unique_ptr<executor::work_item> own(static_cast<executor::work_item*>(what));
  (*own)();
}

/// An item with memory of its own.
executor::bare_item with_memory(executor::work_item&& item) {
  return {run_with_memory, new executor::work_item(std::move(item))};
}

/// True if the poster made it a bare item.
bool is_bare(const executor::bare_item& item) {
  return item.run != run_with_memory && item.run != run_intrusive;
}

}  // namespace

void* bare_item_at_hand() noexcept {
  const item_context* const context = current_item();
  if (context == nullptr || context->bare == nullptr) return nullptr;
  return is_bare(*context->bare) ? context->bare->what : nullptr;
}

bool work_turn::is_young() noexcept {
  const clock::time_point now = clock::now();
  if (now - begin_ >= shortest) return false;
  left_ = items_at_a_time;
  begin_lap(now);
  return true;
}

void work_turn::begin_lap(clock::time_point now) noexcept {
  if (place_ == nullptr) return of_guest_.begin_lap();
  place_->oldest.begin_lap(now, place_->items, place_->queue->items_of_others_wait());
}

node_queue::node_queue(const void* owner, std::size_t node, const host_topology& topology,
                       tbb::task_arena& arena, std::size_t slots,
                       const std::function<void()>& out_of_items)
    : owner_(owner),
      node_(node),
      topology_(topology),
      arena_(arena),
      out_of_items_(out_of_items),
      items_{line(max_urgent_in_ring), line(max_urgent_in_ring), line(max_in_ring),
             line(max_urgent_in_ring)},
      places_(slots),
      workers_(topology.nodes()[node].cores) {
  spare_.reserve(max_spare_stacks);
  for (worker_place& each : places_) each.queue = this;
}

node_queue::~node_queue() { delete spare_of_guests_.load(); }

void node_queue::line::push_behind(executor::bare_item item) {
  const std::lock_guard lock(guard);
  rest.push_back(item);
  behind = rest.size();
}

bool node_queue::line::pop_behind(executor::bare_item& item) {
  // Relaxed: a worker that takes this for empty looks again before it leaves.
  if (behind.load(std::memory_order_relaxed) == 0) return false;
  const std::lock_guard lock(guard);
  if (rest.empty()) return false;
  item = rest.front();
  rest.pop_front();
  for (std::size_t i = 0; i < max_moved && !rest.empty(); ++i) {
    if (!ring.try_push(rest.front())) break;
    rest.pop_front();
  }
  // After what was moved: occupied() looks at this first.
  behind = rest.size();
  return true;
}

void node_queue::post(level urgency, work_item item) {
  post(urgency, with_memory(std::move(item)));
}

void node_queue::post_resumed(suspendable_item* item) noexcept {
  // Before the item is there: see post().
  beside_.fetch_add(1);
  resumed_.push(item);
  if (workers_.wants_worker()) enqueue_turn(true);
  // Last: until here the item counts as suspended too, so that this cannot be gone.
  workers_.go_on();
}

void* node_queue::take_newest_if(worker_place& own, bool (*accepts)(void*, const void*),
                                 const void* by) noexcept {
  executor::bare_item newest;
  if (!own.items.take(newest)) {
    own.passed_over = 0;
    return nullptr;
  }
  if (is_bare(newest) && accepts(newest.what, by)) return newest.what;
  // There is room. A worker may have looked for the item, and have left, while it was away.
  own.items.push(newest, std::memory_order_seq_cst);
  send_if_wanted();
  return nullptr;
}

bool node_queue::items_wait() const noexcept {
  return beside_.load() != 0 || items_of_others_wait() || places_hold_items();
}

bool node_queue::places_hold_items() const noexcept {
  return std::ranges::any_of(places_, [](const worker_place& each) {
    return each.items.occupied(std::memory_order_seq_cst);
  });
}

// Should oneTBB have no memory for a turn, an item could neither be run nor taken back.
void node_queue::enqueue_turn(bool searches) noexcept {
  arena_.enqueue([this, searches] { turn(searches); });
}

/// searches: whether the worker count has the worker as one that searches.
void node_queue::turn(bool searches) noexcept {
  bind_worker(topology_, node_);
  work_turn own(own_place());
  work found;
  while (own.goes_on()) {
    if (!await(found, own, std::exchange(searches, false))) return;
    run(found, own);
  }
  // The next turn may begin late.
  if (own.place() != nullptr && own.place()->owes_call) call_without_items(*own.place());
  enqueue_turn(false);
}

/// Takes an item, and waits for one for a moment. Returns false if there is none: the thread is no
/// worker any more then, and must not touch this.
bool node_queue::await(work& found, work_turn& turn, bool searches) noexcept {
  for (;;) {
    if (!searches) {
      if (!turn.take_found_none() && take(found, turn)) return true;
      turn.oldest().drop();
      if (turn.place() != nullptr) call_without_items(*turn.place());
      workers_.search();
    }
    searches = true;
    if (!look_for_items(turn)) {
      if (workers_.leave([this] { return items_wait(); })) return false;
      continue;
    }
    const bool was_last = workers_.found();
    searches = false;
    const bool took = take(found, turn);
    if (was_last && items_wait()) send_if_wanted();
    if (took) return true;
    // Another worker was faster, or a thread that posts the item has to be let run for it.
    std::this_thread::yield();
  }
}

/// Returns false if there has been none for a while. An item that another thread has posted must
/// have waited from one look to the next: a thread that posts items and waits for each runs them
/// itself, much sooner than they come here. While it does, the worker stays, or each of them would
/// send for it.
bool node_queue::look_for_items(const work_turn& turn) const noexcept {
  using clock = std::chrono::steady_clock;
  const clock::time_point begin = clock::now();
  const clock::duration least = turn.has_run() ? patience_after_items : patience;
  const line& posted = queue(level::normal);
  std::size_t popped = posted.ring.popped();
  std::size_t pushed = popped;  // at the last look
  clock::time_point last_pop = begin;
  int pauses = pauses_between_looks;
  for (clock::time_point now = begin;; now = clock::now()) {
    const std::size_t before = std::exchange(popped, posted.ring.popped());
    const bool one_waited = popped < pushed;
    if (one_waited || posted.behind.load() != 0 || beside_.load() != 0 || places_hold_items()) {
      return true;
    }
    if (popped != before) last_pop = now;
    if (now - last_pop >= least) return false;
    pauses =
        popped == before ? pauses_between_looks : std::min(2 * pauses, most_pauses_between_looks);
    pushed = posted.ring.pushed();
    for (int i = 0; i < pauses; ++i) pause_processor();
    if (now - begin >= patience_without_yielding) std::this_thread::yield();
  }
}

void node_queue::run(const work& found, work_turn& turn) noexcept {
  turn.count();
  suspendable_item* resumed = found.resumed;
  if (resumed == nullptr) resumed = begin(found.item, turn);
  while (resumed != nullptr) resumed = go_on(std::unique_ptr<suspendable_item>(resumed), turn);
}

node_queue::help node_queue::work_for_a_turn() noexcept {
  if (!items_wait() || !workers_.join()) return help::not_needed;
  const carried_state outer = carried_state::take();
  work_turn own(nullptr);
  work found;
  while (own.goes_on() && !own.take_found_none() && take(found, own)) run(found, own);
  const bool is_over = !own.goes_on();
  outer.put_back();
  if (!workers_.leave_as_guest([this] { return items_wait(); })) enqueue_turn(true);
  return is_over ? help::ended_its_turn : help::found_no_more;
}

/// One look at all that the worker may take from.
bool node_queue::take(work& found, work_turn& turn) noexcept {
  found.resumed = nullptr;
  // Relaxed: a worker that sees an older count looks again before it leaves.
  const bool has_others = beside_.load(std::memory_order_relaxed) != 0;
  const bool is_overdue = turn.oldest().is_overdue();
  if (is_overdue && has_others && take_urgent(found)) return true;
  if (is_overdue && take_oldest(found.item, turn)) return true;
  if (has_others && take_resumed(found)) {
    turn.oldest().pass_over();
    return true;
  }
  if (has_others && take_urgent(found)) return true;
  if (turn.oldest().is_due() && take_oldest(found.item, turn)) return true;
  if (take_normal(found.item, turn.place()) || steal(found.item, turn.place())) return true;
  return has_others && take_low(found);
}

/// In turn from the queue of the node, the worker's own items and those of other places, of which
/// some may have no worker at this time.
bool node_queue::take_oldest(executor::bare_item& item, work_turn& turn) noexcept {
  worker_place* const own = turn.place();
  const auto take_own = [&] { return own != nullptr && own->items.steal(item); };
  const auto take_of_others = [&] { return queue(level::normal).try_pop(item); };
  const std::uint32_t time = turn.oldest().count();
  if (time % 3 == 0 && take_of_others()) return true;
  if (time % 3 == 1 && steal(item, own)) return true;
  if (take_own() || take_of_others()) return true;
  turn.oldest().drop();
  return false;
}

bool node_queue::take_resumed(work& found) {
  if (!resumed_.try_pop(found.resumed)) return false;
  beside_.fetch_sub(1);
  return true;
}

bool node_queue::take_urgent(work& found) {
  if (!queue(level::helper).try_pop(found.item) && !queue(level::high).try_pop(found.item)) {
    return false;
  }
  beside_.fetch_sub(1);
  return true;
}

bool node_queue::take_low(work& found) {
  if (!queue(level::low).try_pop(found.item)) return false;
  beside_.fetch_sub(1);
  return true;
}

/// From the worker in the next slot first, so that thieves do not all go to the same.
bool node_queue::steal(executor::bare_item& item, const worker_place* own) noexcept {
  const std::size_t first = own == nullptr ? 0 : static_cast<std::size_t>(own - places_.data()) + 1;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    worker_place& victim = places_[(first + i) % places_.size()];
    if (&victim != own && victim.items.occupied() && victim.items.steal(item)) return true;
  }
  return false;
}

suspendable_item* node_queue::begin(executor::bare_item item, work_turn& turn) noexcept {
  std::unique_ptr<suspendable_item> own = stack_for_item(turn);
  if (own == nullptr) {
    run_without_stack(item, turn);
    return nullptr;
  }
  own->item = item;
  own->stack->set_body([this, on = own.get()] { serve(*on); });
  return go_on(std::move(own), turn);
}

/// Returns an item that was taken meanwhile, and that the caller has to go on with.
suspendable_item* node_queue::go_on(std::unique_ptr<suspendable_item> item,
                                    work_turn& turn) noexcept {
  item->context = {owner_, node_,       this,        item.get(), tbb::task::current_context(),
                   false,  &item->item, turn.place()};
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
  while (own.turn->goes_on()) {
    if (!take_plainly(own.item, *own.turn)) {
      work found;
      if (!take(found, *own.turn)) return own.turn->note_found_none();
      own.item = found.item;
      own.next = found.resumed;
    }
    own.turn->count();
    if (own.next != nullptr) return;
    own.item.run(own.item.what);
  }
}

void node_queue::run_without_stack(executor::bare_item item, const work_turn& turn) noexcept {
  const item_context context{owner_, node_, this, nullptr, nullptr, true, &item, turn.place()};
  set_current_item(&context);
  item.run(item.what);
  set_current_item(nullptr);
}

bool node_queue::park() noexcept {
  if (parked_.fetch_add(1) + 1 < topology_.nodes()[node_].cores) return true;
  parked_.fetch_sub(1);
  return false;
}

/// Only for a worker, in its turn.
worker_place* node_queue::own_place() noexcept {
  const auto index = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
  return index < places_.size() ? &places_[index] : nullptr;
}

std::unique_ptr<suspendable_item> node_queue::stack_for_item(const work_turn& turn) noexcept {
  worker_place* const own = turn.place();
  if (own != nullptr && own->spare != nullptr) return std::move(own->spare);
  if (own == nullptr) {
    std::unique_ptr<suspendable_item> last(spare_of_guests_.exchange(nullptr));
    if (last != nullptr) return last;
  }
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
  worker_place* const own = turn.place();
  if (own != nullptr && own->spare == nullptr) {
    own->spare = std::move(item);
    return;
  }
  if (own == nullptr) {
    item.reset(spare_of_guests_.exchange(item.release()));
    if (item == nullptr) return;
  }
  const std::lock_guard lock(spare_mutex_);
  if (spare_.size() < max_spare_stacks) spare_.push_back(std::move(item));
}

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/in_place_node.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>

#include "data/domain_node.hpp"
#include "data/history_locks.hpp"
#include "data/in_place_history.hpp"

namespace hocket::detail {

namespace {

constexpr auto is_in_place = [](const in_place_node_ptr& node) { return !node->has_left(); };

}  // namespace

/// The edges of a node as they are found: in the memory that it has for them while they fit.
class in_place_node::edge_list {
 public:
  explicit edge_list(std::span<host_edge> near) : first_(near.data()), room_(near.size()) {}
  edge_list(const edge_list&) = delete;
  edge_list& operator=(const edge_list&) = delete;

  template <class Source>
  void add(Source&& source, host_edge::kind kind) {
    if (count_ == room_) [[unlikely]]
      grow();
    host_edge& made = *::new (first_ + count_++) host_edge();
    made.waits_for = kind;
    made.source = std::forward<Source>(source);
  }

  /// Adds what a place is waited for, or makes an edge that there is to it the stronger of the two.
  template <class Source>
  void add_place(Source&& source, host_edge::kind kind) {
    if (count_ == 0) [[likely]] {
      add(std::forward<Source>(source), kind);
    } else {
      add_other_place(std::forward<Source>(source), kind);
    }
  }
  [[nodiscard]] std::span<host_edge> all() const noexcept { return {first_, count_}; }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  /// The edge that there is, if there is no other, and where it was to be.
  [[nodiscard]] host_edge* sole() const noexcept {
    return count_ == 1 && !are_far_ ? first_ : nullptr;
  }
  /// They did not fit: their memory has to be given back by operator delete.
  [[nodiscard]] bool are_far() const noexcept { return are_far_; }

 private:
  [[gnu::noinline]] void add_other_place(in_place_node_ptr source, host_edge::kind kind) {
    // Of many, looking for one of them costs more than to wait for it twice.
    constexpr std::size_t many = 32;
    for (host_edge& known : std::span(first_, std::min(count_, many))) {
      if (known.source != source || known.waits_for == host_edge::kind::end) continue;
      if (kind != host_edge::kind::order) known.waits_for = kind;
      return;
    }
    add(std::move(source), kind);
  }

  [[gnu::noinline]] void grow() {
    const std::size_t wanted = std::max(std::size_t{8}, 2 * room_);
    auto* const bigger = static_cast<host_edge*>(::operator new(wanted * sizeof(host_edge)));
    for (std::size_t i = 0; i < count_; ++i) {
      ::new (bigger + i) host_edge(std::move(first_[i]));
      std::destroy_at(first_ + i);
    }
    if (are_far_) ::operator delete(first_);
    first_ = bigger;
    are_far_ = true;
    room_ = wanted;
  }

  host_edge* first_;
  std::size_t count_ = 0;
  std::size_t room_;
  bool are_far_ = false;
};

in_place_node::~in_place_node() {
  if (has_far_edges_) drop_far_edges();
}

void in_place_node::drop_far_edges() noexcept {
  drop_edges();
  ::operator delete(edges().data());
  has_far_edges_ = false;
}

void in_place_node::take_place(std::span<const in_place_use> uses, std::span<host_edge> near,
                               const registration& with) {
  edge_list found(near);
  for (const task_state_ptr& before : with.after) found.add(before, host_edge::kind::end);
  for (std::size_t i = 0; i < uses.size(); ++i) intrusive_ptr_add_ref(this);
  const order_locks locks(uses);
  if (with.in_order) (*with.in_order)();
  find_edges(uses, found, with.within);
  // Others find this in the order of its buffers as soon as they are unlocked: by then it has to
  // know that it waits.
  be_known_early();
  has_far_edges_ = found.are_far();
  expect(found.all(), with.more);
  if (asks_when_poisoned()) poison();
}

void in_place_node::take_place_and_start(std::span<const in_place_use> uses,
                                         std::span<host_edge> near) {
  if (uses.size() == 1) {
    take_places_and_start(uses.first<1>(), near);
  } else {
    take_places_and_start(uses, near);
  }
}

template <std::size_t Count>
void in_place_node::take_places_and_start(std::span<const in_place_use, Count> uses,
                                          std::span<host_edge> near) {
  edge_list found(near);
  host_edge* sole = nullptr;
  bool is_ready = false;
  {
    const std::conditional_t<Count == 1, order_lock, order_locks> locks(uses);
    find_edges(uses, found, nullptr);
    // Others may run it as soon as the buffers are unlocked, if it is ready.
    context()->started(*this);
    sole = found.sole();
    is_ready = found.empty() && !asks_when_poisoned();
    if (sole != nullptr && !asks_when_poisoned()) [[likely]] {
      expect_only(*sole);
    } else if (!is_ready) {
      sole = nullptr;
      expect_all(found);
    }
  }
  if (sole != nullptr) {
    attach_only(*sole);
  } else if (is_ready) {
    post_at_once();
  } else {
    attach_edges();
  }
}

void in_place_node::expect_all(edge_list& found) {
  // No thread can run it before its last edge is attached; if it has none, before it is started.
  if (found.empty()) be_known_early();
  has_far_edges_ = found.are_far();
  expect(found.all(), 0);
  if (asks_when_poisoned()) poison();
}

/// Of what takes a place there is no edge to an end.
inline void in_place_node::attach_only(host_edge& to_place) noexcept {
  auto& source = static_cast<in_place_node&>(*to_place.source);
  // Attached to it, this may be running, and may be gone.
  if (source.place_.push(to_place)) [[likely]]
    return;
  ready_list next;
  to_place.run(source, next);
}

template <std::size_t Count>
inline void in_place_node::find_edges(std::span<const in_place_use, Count> uses, edge_list& found,
                                      domain_node* within) {
  for (const in_place_use& use : uses) find_edges_of(use, found, within);
}

inline void in_place_node::find_edges_of(const in_place_use& use, edge_list& found,
                                         domain_node* within) {
  if (!use.empty()) [[likely]] {
    add_edges(use, found, within);
  } else {
    intrusive_ptr_release(this);
  }
}

bool in_place_node::take_place_in_run(std::span<const in_place_use> uses, std::span<host_edge> near,
                                      domain_node* within, lock_each locks) {
  edge_list found(near);
  for (const in_place_use& use : uses) {
    tbb::spin_mutex::scoped_lock lock;
    if (locks == lock_each::yes) lock.acquire(use.data->order()->guard());
    find_edges_of(use, found, within);
  }
  if (found.empty()) return !claim_untouched();
  // Others may find this before all of its edges are attached, and must not run it then.
  be_known_early();
  has_far_edges_ = found.are_far();
  expect(found.all(), 0);
  return true;
}

/// True if the edge is to content.
inline bool in_place_node::depend_on(in_place_node& earlier, edge_kind by) {
  if (by == edge_kind::order) return false;
  // A domain that ended well may leave poisoned content: only the content state knows.
  if (earlier.is_domain_) ask_when_poisoned();
  return true;
}

/// Adds an edge unless the earlier node has left its place: then it returns false. Sets `decides`
/// if that node alone decides on what is read.
template <class Earlier>
[[gnu::always_inline]] inline bool in_place_node::add_edge(Earlier&& earlier, edge_kind by,
                                                           edge_list& found, bool& decides) {
  if (earlier.get() == this) {
    // It has replaced what it reads itself: what was before is known by its content alone.
    if (by == edge_kind::content) ask_when_poisoned();
    return true;
  }
  if (earlier->has_left()) return false;
  if (asks_itself_) [[unlikely]] {
    // Within a nested domain and within a run each task looks for poison itself.
    if (!is_ordered_with(*earlier)) {
      found.add_place(std::forward<Earlier>(earlier), host_edge::kind::order);
    }
    return true;
  }
  const bool binds = depend_on(*earlier, by);
  decides = decides || binds;
  found.add_place(std::forward<Earlier>(earlier),
                  binds ? host_edge::kind::content : host_edge::kind::order);
  return true;
}

inline void in_place_node::add_edges(const in_place_use& use, edge_list& found,
                                     domain_node* within) {
  in_place_history& data = *use.data->order();
  node_accesses* history = &data.history();
  if (within != nullptr) [[unlikely]] {
    if (node_accesses* const inside = within->accesses_to(data)) history = inside;
  }
  if (use.part != nullptr || history->is_divided()) [[unlikely]] {
    return add_edges_of_part(use, found, *history);
  }
  bool decides = false;
  const auto depend = [&](auto&& earlier, edge_kind by, const box*) __attribute__((always_inline)) {
    return add_edge(std::forward<decltype(earlier)>(earlier), by, found, decides);
  };
  history->append_to_all(in_place_node_ptr(this, false), use.mode, is_in_place, depend);
  if (!data.is_sound() && !decides && reads_content(use.mode)) [[unlikely]]
    ask_about(use);
}

void in_place_node::add_edges_of_part(const in_place_use& use, edge_list& found,
                                      node_accesses& history) {
  bool is_covered = false;
  const auto depend = [&](auto&& earlier, edge_kind by, const box* there) {
    bool decides = false;
    const bool is_there = add_edge(std::forward<decltype(earlier)>(earlier), by, found, decides);
    if (decides && (there == nullptr || contains(*there, use.where()))) is_covered = true;
    return is_there;
  };
  history.append(in_place_node_ptr(this, false), use.part, use.data->whole(), use.mode, is_in_place,
                 depend);
  if (!is_covered) ask_about(use);
}

/// No task that is under way decides on what the use reads.
void in_place_node::ask_about(const in_place_use& use) {
  if (asks_itself_ || !reads_content(use.mode)) return;
  if (!use.data->order()->is_sound()) ask_when_poisoned();
}

void in_place_node::poison_outputs() noexcept {
  for (const in_place_use& use : accesses()) {
    if (use.data == nullptr || !writes_content(use.mode) || use.empty()) continue;
    use.data->order()->poison(use.where(), error());
  }
}

void in_place_node::leave_place(ready_list& next) noexcept {
  if (error() && !seeded_bug(bug::keep_failed_outputs)) {
    poison_outputs();
  } else if (!is_domain_) {  // what one of those leaves, the tasks within it have committed
    for (const in_place_use& use : accesses()) {
      if (use.data != nullptr) use.data->order()->commit(use);
    }
  }
  leave_committed(next);
}

void in_place_node::leave_for_all(continuation* newest, ready_list& next) noexcept {
  continuation* node = decltype(place_)::oldest_first(newest);
  while (node != nullptr) {
    continuation* const newer = node->link;
    static_cast<host_edge*>(node)->run(*this, next);
    node = newer;
  }
}

void in_place_node::ended_early(ready_list& next) noexcept {
  if (early_end_.come(meeting::party::one)) leave_place(next);
}

void in_place_node::rest_is_over(ready_list& next) noexcept {
  if (early_end_.come(meeting::party::other)) leave_place(next);
}

void in_place_node::given_up(bool waited, ready_list& next) noexcept {
  if (waited) {
    ended_early(next);
  } else {
    leave_place(next);
  }
}

void in_place_node::end(failure why, ready_list& next) noexcept {
  discard();
  settle(std::move(why));
  leave_place(next);
  // Before the runtime may believe that nothing is left.
  next.let_leave();
  announce(next);
}

failure in_place_node::failure_of_predecessors() {
  for (const host_edge& e : edges()) {
    if (e.waits_for != host_edge::kind::end || !e.source->error()) continue;
    return may_name_cause() ? downfall(*e.source) : told_downfall(*e.source);
  }
  return unusable_input();
}

failure in_place_node::unusable_input() const {
  for (const in_place_use& use : accesses()) {
    if (!reads_content(use.mode) || use.empty()) continue;
    in_place_history& data = *use.data->order();
    if (data.is_sound()) continue;
    if (failure why = data.unusable_input(use, label_text())) return why;
  }
  return {};
}

}  // namespace hocket::detail

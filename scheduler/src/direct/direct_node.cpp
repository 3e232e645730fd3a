// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "direct/direct_node.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "direct/data_order.hpp"
#include "direct/hold_node.hpp"

namespace hocket::detail {

namespace {

/// The locks of all buffers of a node. Where one of them is taken, they are taken in the order of
/// their addresses, so that those who submit at the same time cannot wait for one another in a
/// circle.
class order_locks {
 public:
  explicit order_locks(std::span<const direct_use> uses) : uses_(uses) {
    for (const direct_use& use : uses) {
      if (use.data->order()->guard().try_lock()) [[likely]]
        continue;
      unlock({uses.data(), &use});
      lock_in_order();
      return;
    }
  }
  order_locks(const order_locks&) = delete;
  order_locks& operator=(const order_locks&) = delete;
  ~order_locks() {
    if (in_order_ == nullptr) [[likely]] {
      unlock(uses_);
    } else {
      for (data_order* const order : *in_order_) order->guard().unlock();
    }
  }

 private:
  static void unlock(std::span<const direct_use> uses) noexcept {
    for (const direct_use& use : uses) use.data->order()->guard().unlock();
  }

  /// One of them is taken: by somebody else, or because a buffer is used twice.
  [[gnu::noinline]] void lock_in_order() {
    in_order_ = std::make_unique<std::vector<data_order*>>();
    for (const direct_use& use : uses_) in_order_->push_back(use.data->order());
    std::sort(in_order_->begin(), in_order_->end(), std::less<>());
    in_order_->erase(std::unique(in_order_->begin(), in_order_->end()), in_order_->end());
    for (data_order* const order : *in_order_) order->guard().lock();
  }

  std::span<const direct_use> uses_;
  std::unique_ptr<std::vector<data_order*>> in_order_;
};

/// The lock of a single one.
class order_lock {
 public:
  explicit order_lock(std::span<const direct_use, 1> use)
      : held_(use.front().data->order()->guard()) {}

 private:
  std::scoped_lock<tbb::spin_mutex> held_;
};

}  // namespace

failure not_written(const direct_node& reader, const direct_use& use) {
  return {failure_code::task_failed, reader.name() + " " + std::string(to_string(use.mode)) + " " +
                                         to_string(use.where()) + " of buffer \"" +
                                         use.data->label() + "\", which no earlier task writes."};
}

/// The edges of a node as they are found: in the memory that it has for them while they fit.
class direct_node::edge_list {
 public:
  explicit edge_list(std::span<host_edge> near) : first_(near.data()), room_(near.size()) {}
  edge_list(const edge_list&) = delete;
  edge_list& operator=(const edge_list&) = delete;

  /// There is room for so many more.
  void reserve(std::size_t more) {
    if (room_ - count_ < more) grow(count_ + more);
  }

  void add(completion_ptr source, host_edge::kind kind) {
    reserve(1);
    host_edge& made = *::new (first_ + count_++) host_edge();
    made.waits_for = kind;
    made.source = std::move(source);
  }

  /// Adds what a place is waited for, or makes an edge that there is to it the stronger of the two.
  void add_place(direct_node_ptr source, host_edge::kind kind) {
    if (count_ == 0) return add(std::move(source), kind);
    // Of many, looking for one of them costs more than to wait for it twice.
    constexpr std::size_t many = 32;
    for (host_edge& known : std::span(first_, std::min(count_, many))) {
      if (known.source != source || known.waits_for == host_edge::kind::end) continue;
      if (kind != host_edge::kind::order) known.waits_for = kind;
      return;
    }
    add(std::move(source), kind);
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
  [[gnu::noinline]] void grow(std::size_t least) {
    const std::size_t wanted = std::max({std::size_t{8}, 2 * room_, least});
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

void direct_node::drop_held::operator()(std::vector<held_part>* held) const noexcept {
  delete held;
}

direct_node::~direct_node() {
  if (!has_far_edges_) return;
  drop_edges();
  ::operator delete(edges().data());
}

void direct_node::take_place(std::span<const direct_use> uses, std::span<host_edge> near,
                             const circumstances& with) {
  edge_list found(near);
  for (const completion_ptr& before : with.after) found.add(before, host_edge::kind::end);
  for (std::size_t i = 0; i < uses.size(); ++i) intrusive_ptr_add_ref(this);
  const order_locks locks(uses);
  if (with.in_order) (*with.in_order)();
  find_edges(uses, found, with.within);
  // Others find this in the order of its buffers as soon as they are unlocked: by then it has to
  // know that it waits.
  be_known_early();
  has_far_edges_ = found.are_far();
  expect(found.all(), with.more);
  if (why()) doom();
  if (held_ != nullptr) ask_when_doomed();
}

void direct_node::take_place_and_start(std::span<const direct_use> uses,
                                       std::span<host_edge> near) {
  if (uses.size() == 1) {
    take_places_and_start(uses.first<1>(), near);
  } else {
    take_places_and_start(uses, near);
  }
}

template <std::size_t Count>
inline void direct_node::take_places_and_start(std::span<const direct_use, Count> uses,
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
    is_ready = found.empty() && !why();
    if (sole != nullptr && held_ == nullptr && !why()) [[likely]] {
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

void direct_node::expect_all(edge_list& found) {
  // Nobody can run it before its last edge is attached; if it has none, before it is started.
  if (found.empty()) be_known_early();
  has_far_edges_ = found.are_far();
  expect(found.all(), 0);
  if (why()) doom();
  if (held_ != nullptr) ask_when_doomed();
}

/// Of what takes a place there is no edge to an end.
inline void direct_node::attach_only(host_edge& to_place) noexcept {
  auto& source = static_cast<direct_node&>(*to_place.source);
  // Attached to it, this may be running, and may be gone.
  if (source.place_.push(to_place)) [[likely]]
    return;
  follow_ups next;
  to_place.run(source, next);
}

template <std::size_t Count>
inline void direct_node::find_edges(std::span<const direct_use, Count> uses, edge_list& found,
                                    hold_node* within) {
  for (const direct_use& use : uses) {
    if (!use.empty()) [[likely]] {
      add_edges(use, found, within);
    } else {
      intrusive_ptr_release(this);
    }
  }
}

inline host_edge::kind direct_node::kind_of(heart::edge_kind kind,
                                            const direct_node& earlier) const {
  // Within a hold everybody finds out for himself what is not there.
  if (kind == heart::edge_kind::order || is_hold_) return host_edge::kind::order;
  return earlier.is_hold_ ? host_edge::kind::held : host_edge::kind::content;
}

void direct_node::note_held(const direct_node_ptr& hold, const direct_use& use, const box& there) {
  if (held_ == nullptr) held_.reset(new std::vector<held_part>());
  held_->push_back({hold, &use, intersection(there, use.where())});
}

inline void direct_node::wait_for_writer(const direct_use& use, whole_uses& known,
                                         edge_list& found) {
  direct_node* const writer = known.writer.get();
  if (writer == nullptr || writer == this || writer->has_left() || writer->is_hold_ ||
      !found.empty() || !writes_content(use.mode)) {
    return wait_for_other_writer(use, known, found);
  }
  // As below. It takes its place.
  found.add(std::move(known.writer),
            reads_content(use.mode) ? host_edge::kind::content : host_edge::kind::order);
}

inline void direct_node::add_edges(const direct_use& use, edge_list& found, hold_node* within) {
  data_order& order = *use.data->order();
  whole_uses* const whole = order.whole();
  if (whole != nullptr && use.part == nullptr && within == nullptr && !is_hold_) {
    add_edges_of_whole(use, *whole, found);
  } else {
    add_edges_of_part(use, order, found, within);
  }
}

inline void direct_node::add_edges_of_whole(const direct_use& use, whole_uses& known,
                                            edge_list& found) {
  if (writes_content(use.mode)) {
    if (!known.readers.empty()) wait_for_readers(known, found);
    if (known.writer != nullptr || !known.is_written) wait_for_writer(use, known, found);
    known.writer = direct_node_ptr(this, false);
    known.is_written = true;
  } else {
    if (known.readers.size() >= known.tidy_at) known.tidy();
    known.readers.emplace_back(this, false);
    if (known.writer != nullptr || !known.is_written) wait_for_writer(use, known, found);
  }
}

void direct_node::wait_for_readers(whole_uses& known, edge_list& found) {
  known.forget_readers();
  found.reserve(known.readers.size());
  for (direct_node_ptr& reader : known.readers) {
    if (reader != this) found.add_place(std::move(reader), host_edge::kind::order);
  }
  known.readers.clear();
}

void direct_node::wait_for_other_writer(const direct_use& use, whole_uses& known,
                                        edge_list& found) {
  const bool needs_it = reads_content(use.mode);
  direct_node* const writer = known.writer.get();
  if (writer == nullptr) {
    if (needs_it && !why()) settle(not_written(*this, use));
  } else if (writer->left_well()) {
    known.writer = nullptr;
  } else if (writer != this && (needs_it || !writer->has_left())) {
    const host_edge::kind kind =
        kind_of(needs_it ? heart::edge_kind::content : heart::edge_kind::order, *writer);
    if (kind == host_edge::kind::held) note_held(known.writer, use, use.data->whole());
    found.reserve(1);
    // Who writes takes its place.
    found.add_place(writes_content(use.mode) ? std::move(known.writer) : known.writer, kind);
  }
}

void direct_node::add_edges_of_part(const direct_use& use, data_order& order, edge_list& found,
                                    hold_node* within) {
  const auto live = [](const direct_node_ptr& node) {
    return node == nullptr || !node->left_well();
  };
  // How a reader ended concerns nobody.
  const auto reads_still = [](const direct_node_ptr& node) { return !node->has_left(); };
  const auto depend = [&](const direct_node_ptr& earlier, heart::edge_kind by, const box& there) {
    if (earlier == nullptr) {
      const bool needs_it = by == heart::edge_kind::content && !is_hold_;
      if (needs_it && !why()) settle(not_written(*this, use));
    } else if (earlier != this &&
               !(by == heart::edge_kind::order ? earlier->has_left() : earlier->left_well())) {
      const host_edge::kind kind = kind_of(by, *earlier);
      if (kind == host_edge::kind::held) note_held(earlier, use, there);
      found.add_place(earlier, kind);
    }
  };
  const direct_node_ptr self(this, false);
  data_order::chain* const held = within != nullptr ? within->chain_of(order) : nullptr;
  data_order::chain& nodes = held != nullptr ? *held : order.nodes();
  if (is_hold_) static_cast<hold_node&>(*this).keep_as_it_is(order, nodes);
  nodes.append(self, use.where(), use.mode, live, reads_still, depend);
  if (held == nullptr && use.part == nullptr && writes_content(use.mode)) {
    order.begin_anew(self);
  }
}

void direct_node::leave_place(follow_ups& next) noexcept {
  if (held_ != nullptr) held_.reset();
  leave_for(place_.close_as_pushed(), next);
}

void direct_node::leave_for_all(continuation* newest, follow_ups& next) noexcept {
  continuation* node = decltype(place_)::oldest_first(newest);
  while (node != nullptr) {
    continuation* const newer = node->link;
    static_cast<host_edge*>(node)->run(*this, next);
    node = newer;
  }
}

void direct_node::ended_early(follow_ups& next) noexcept {
  if (early_end_.come(meeting::party::one)) leave_place(next);
}

void direct_node::rest_is_over(follow_ups& next) noexcept {
  if (early_end_.come(meeting::party::other)) leave_place(next);
}

void direct_node::given_up(bool waited, follow_ups& next) noexcept {
  if (waited) {
    ended_early(next);
  } else {
    leave_place(next);
  }
}

void direct_node::end(failure why, follow_ups& next) noexcept {
  discard();
  settle(std::move(why));
  leave_place(next);
  // Before the runtime may believe that nothing is left.
  next.let_leave();
  announce(next);
}

failure direct_node::failure_of_predecessors() {
  for (const host_edge& e : edges()) {
    if (!e.fails_with(*e.source)) continue;
    if (e.waits_for == host_edge::kind::end) return downfall(*e.source);
    if (e.waits_for == host_edge::kind::content) {
      return e.source->why().downstream(std::string(called()));
    }
  }
  for (std::size_t i = 0; held_ != nullptr && i < held_->size(); ++i) {
    const auto& [hold, use, where] = (*held_)[i];
    if (failure bad = hold->spoilt(*this, *use, where)) return bad;
  }
  return why();
}

failure direct_node::spoilt(const direct_node& reader, const direct_use& /*use*/,
                            const box& /*part*/) const {
  return why().downstream(std::string(reader.called()));
}

}  // namespace hocket::detail

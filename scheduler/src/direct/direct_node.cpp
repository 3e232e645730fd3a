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

/// The locks of all buffers of a node, taken in the order of their addresses, so that those who
/// submit at the same time cannot wait for one another in a circle.
class order_locks {
 public:
  explicit order_locks(std::span<const direct_use> uses) {
    for (const direct_use& use : uses) {
      if (!use.where->empty()) insert(use.data->order());
    }
    for (data_order* const order : orders_) order->guard().lock();
  }
  order_locks(const order_locks&) = delete;
  order_locks& operator=(const order_locks&) = delete;
  ~order_locks() {
    for (data_order* const order : orders_) order->guard().unlock();
  }

 private:
  // There are few: no need for a search by halves.
  void insert(data_order* order) {
    auto at = orders_.end();
    while (at != orders_.begin() && *(at - 1) >= order) --at;
    if (at == orders_.end() || *at != order) orders_.insert(at, order);
  }

  boost::container::small_vector<data_order*, 8> orders_;
};

}  // namespace

failure not_written(const direct_node& reader, const direct_use& use) {
  return {failure_code::task_failed, reader.name() + " " + std::string(to_string(use.mode)) + " " +
                                         to_string(*use.where) + " of buffer \"" +
                                         use.data->label() + "\", which no earlier task writes."};
}

/// The edges of a node as they are found: in the memory that it has for them while they fit.
class direct_node::edge_list {
 public:
  explicit edge_list(std::span<host_edge> near) : first_(near.data()), room_(near.size()) {}
  edge_list(const edge_list&) = delete;
  edge_list& operator=(const edge_list&) = delete;

  void add(completion_ptr source, host_edge::kind kind) {
    if (count_ == room_) move();
    host_edge& made = *::new (first_ + count_++) host_edge();
    made.waits_for = kind;
    made.source = std::move(source);
  }

  /// Adds what a place is waited for, or makes an edge that there is to it the stronger of the two.
  void add_place(const direct_node_ptr& source, host_edge::kind kind) {
    // Of many, looking for one of them costs more than to wait for it twice.
    constexpr std::size_t many = 32;
    for (host_edge& known : std::span(first_, std::min(count_, many))) {
      if (known.source != source || known.waits_for == host_edge::kind::end) continue;
      if (kind != host_edge::kind::order) known.waits_for = kind;
      return;
    }
    add(source, kind);
  }

  [[nodiscard]] std::span<host_edge> all() const noexcept { return {first_, count_}; }
  /// Not null if they did not fit; it has to be deallocated.
  [[nodiscard]] host_edge* far() const noexcept { return far_; }
  [[nodiscard]] std::size_t room() const noexcept { return room_; }

 private:
  void move() {
    const std::size_t wanted = std::max<std::size_t>(8, 2 * room_);
    host_edge* const bigger = std::allocator<host_edge>().allocate(wanted);
    for (std::size_t i = 0; i < count_; ++i) {
      ::new (bigger + i) host_edge(std::move(first_[i]));
      std::destroy_at(first_ + i);
    }
    if (far_ != nullptr) std::allocator<host_edge>().deallocate(far_, room_);
    first_ = far_ = bigger;
    room_ = wanted;
  }

  host_edge* first_;
  std::size_t count_ = 0;
  std::size_t room_;
  host_edge* far_ = nullptr;
};

direct_node::~direct_node() {
  drop_edges();
  if (far_edges_ != nullptr) std::allocator<host_edge>().deallocate(far_edges_, far_room_);
}

void direct_node::take_place(std::span<const direct_use> uses,
                             std::span<const completion_ptr> after, std::span<host_edge> near,
                             std::uint32_t more, hold_node* within) {
  edge_list found(near);
  for (const completion_ptr& before : after) found.add(before, host_edge::kind::end);
  const order_locks locks(uses);
  for (const direct_use& use : uses) {
    if (!use.where->empty()) add_edges(use, found, within);
  }
  far_edges_ = found.far();
  far_room_ = static_cast<std::uint32_t>(found.room());
  // Others find this in the chains as soon as they are unlocked: by then it has to know that it
  // waits.
  be_known_early();
  expect(found.all(), more);
  if (why()) doom();
  if (held_ != nullptr) ask_when_doomed();
}

host_edge::kind direct_node::kind_of(heart::edge_kind kind, const direct_node& earlier) const {
  // Within a hold everybody finds out for himself what is not there.
  if (kind == heart::edge_kind::order || is_hold_) return host_edge::kind::order;
  return earlier.is_hold_ ? host_edge::kind::held : host_edge::kind::content;
}

void direct_node::note_held(const direct_node_ptr& hold, const direct_use& use, const box& there) {
  if (held_ == nullptr) held_ = std::make_unique<std::vector<held_part>>();
  held_->push_back({hold, &use, intersection(there, *use.where)});
}

void direct_node::add_edges(const direct_use& use, edge_list& found, hold_node* within) {
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
  data_order& order = *use.data->order();
  data_order::chain* const held = within != nullptr ? within->chain_of(order) : nullptr;
  data_order::chain& nodes = held != nullptr ? *held : order.nodes();
  if (is_hold_) static_cast<hold_node&>(*this).keep_as_it_is(order, nodes);
  nodes.append(direct_node_ptr(this), *use.where, use.mode, live, reads_still, depend);
}

void direct_node::leave_place(follow_ups& next) noexcept {
  held_.reset();
  continuation* node = place_.close();
  while (node != nullptr) {
    continuation* const newer = node->link;
    node->run(*this, next);
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

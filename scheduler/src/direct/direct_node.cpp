// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "direct/direct_node.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "direct/data_order.hpp"

namespace hocket::detail {

namespace {

/// The locks of all buffers of a node, taken in the order of their addresses, so that those who
/// submit at the same time cannot wait for one another in a circle.
class order_locks {
 public:
  explicit order_locks(std::span<const direct_use> uses) {
    for (const direct_use& use : uses) {
      if (!use.where->empty()) orders_.push_back(use.data->order());
    }
    if (orders_.size() > 1) {
      std::sort(orders_.begin(), orders_.end());
      orders_.erase(std::unique(orders_.begin(), orders_.end()), orders_.end());
    }
    for (data_order* const order : orders_) order->guard().lock();
  }
  order_locks(const order_locks&) = delete;
  order_locks& operator=(const order_locks&) = delete;
  ~order_locks() {
    for (data_order* const order : orders_) order->guard().unlock();
  }

 private:
  boost::container::small_vector<data_order*, 8> orders_;
};

failure not_written(const direct_node& reader, const direct_use& use) {
  return {failure_code::task_failed, reader.name() + " " + std::string(to_string(use.mode)) + " " +
                                         to_string(*use.where) + " of buffer \"" +
                                         use.data->label() + "\", which no earlier task writes."};
}

host_edge::kind kind_of(heart::edge_kind kind) {
  return kind == heart::edge_kind::content ? host_edge::kind::content : host_edge::kind::order;
}

}  // namespace

direct_node::~direct_node() {
  const std::size_t count = edges().size();
  drop_edges();
  if (far_edges_ != nullptr) std::allocator<host_edge>().deallocate(far_edges_, count);
}

void direct_node::take_place(std::span<const direct_use> uses,
                             std::span<const completion_ptr> after, std::span<host_edge> near,
                             std::uint32_t more) {
  found_edges found;
  for (const completion_ptr& before : after) found.push_back({before, host_edge::kind::end});
  const order_locks locks(uses);
  for (const direct_use& use : uses) {
    if (!use.where->empty()) add_edges(use, found);
  }
  // Others find this in the chains as soon as they are unlocked: by then it has to know that it
  // waits.
  keep_edges(found, near, more);
}

void direct_node::add_edges(const direct_use& use, found_edges& found) {
  const auto live = [](const direct_node_ptr& node) {
    return node == nullptr || !node->left_well();
  };
  const auto depend = [&](const direct_node_ptr& earlier, heart::edge_kind kind) {
    if (earlier == nullptr) {
      if (kind == heart::edge_kind::content && !why()) settle(not_written(*this, use));
      return;
    }
    if (earlier == this || earlier->left_well()) return;
    const auto known = std::find_if(found.begin(), found.end(), [&](const found_edge& e) {
      return e.source == earlier && e.kind != host_edge::kind::end;
    });
    if (known == found.end()) {
      found.push_back({earlier, kind_of(kind)});
    } else if (kind == heart::edge_kind::content) {
      known->kind = host_edge::kind::content;
    }
  };
  use.data->order()->nodes().append(direct_node_ptr(this), *use.where, use.mode, live, depend);
}

void direct_node::keep_edges(found_edges& found, std::span<host_edge> near, std::uint32_t more) {
  host_edge* first = near.data();
  if (found.size() > near.size()) {
    first = far_edges_ = std::allocator<host_edge>().allocate(found.size());
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    host_edge& made = *::new (first + i) host_edge();
    made.waits_for = found[i].kind;
    made.source = std::move(found[i].source);
  }
  expect({first, found.size()}, more);
  if (why()) doom();
}

void direct_node::leave_place(follow_ups& next) noexcept {
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
  announce(next);
}

failure direct_node::failure_of_predecessors() {
  for (const host_edge& e : edges()) {
    if (!e.fails_with(*e.source)) continue;
    if (e.waits_for == host_edge::kind::end) return downfall(*e.source);
    return e.source->why().downstream(std::string(called()));
  }
  return why();
}

}  // namespace hocket::detail

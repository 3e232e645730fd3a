// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/in_place_node.hpp"

#include <algorithm>
#include <memory>
#include <mutex>

#include "data/domain_node.hpp"
#include "data/in_place_history.hpp"

namespace hocket::detail {

namespace {

/// The locks of all buffers of a node. Where one of them is taken, they are taken in the order of
/// their addresses, so that threads that submit at the same time cannot wait for one another in a
/// circle.
class order_locks {
 public:
  explicit order_locks(std::span<const in_place_use> uses) : uses_(uses) {
    for (const in_place_use& use : uses) {
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
      for (in_place_history* const order : *in_order_) order->guard().unlock();
    }
  }

 private:
  static void unlock(std::span<const in_place_use> uses) noexcept {
    for (const in_place_use& use : uses) use.data->order()->guard().unlock();
  }

  /// One of them is taken: by another thread, or because a buffer is used twice.
  [[gnu::noinline]] void lock_in_order() {
    in_order_ = std::make_unique<std::vector<in_place_history*>>();
    for (const in_place_use& use : uses_) in_order_->push_back(use.data->order());
    std::sort(in_order_->begin(), in_order_->end(), std::less<>());
    in_order_->erase(std::unique(in_order_->begin(), in_order_->end()), in_order_->end());
    for (in_place_history* const order : *in_order_) order->guard().lock();
  }

  std::span<const in_place_use> uses_;
  std::unique_ptr<std::vector<in_place_history*>> in_order_;
};

/// The lock of a single one.
class order_lock {
 public:
  explicit order_lock(std::span<const in_place_use, 1> use)
      : held_(use.front().data->order()->guard()) {}

 private:
  std::scoped_lock<tbb::spin_mutex> held_;
};

}  // namespace

failure not_written(const in_place_node& reader, const in_place_use& use) {
  return {failure_code::task_failed, reader.name() + " " + std::string(to_string(use.mode)) + " " +
                                         to_string(use.where()) + " of buffer \"" +
                                         use.data->label() + "\", which no earlier task writes."};
}

/// The edges of a node as they are found: in the memory that it has for them while they fit.
class in_place_node::edge_list {
 public:
  explicit edge_list(std::span<host_edge> near) : first_(near.data()), room_(near.size()) {}
  edge_list(const edge_list&) = delete;
  edge_list& operator=(const edge_list&) = delete;

  /// There is room for so many more.
  void reserve(std::size_t more) {
    if (room_ - count_ < more) grow(count_ + more);
  }

  void add(task_state_ptr source, host_edge::kind kind) {
    reserve(1);
    host_edge& made = *::new (first_ + count_++) host_edge();
    made.waits_for = kind;
    made.source = std::move(source);
  }

  /// Adds what a place is waited for, or makes an edge that there is to it the stronger of the two.
  void add_place(in_place_node_ptr source, host_edge::kind kind) {
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

void in_place_node::drop_held::operator()(std::vector<held_part>* held) const noexcept {
  delete held;
}

in_place_node::~in_place_node() {
  if (!has_far_edges_) return;
  drop_edges();
  ::operator delete(edges().data());
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
  if (error()) poison();
  if (held_ != nullptr) ask_when_poisoned();
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
inline void in_place_node::take_places_and_start(std::span<const in_place_use, Count> uses,
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
    is_ready = found.empty() && !error();
    if (sole != nullptr && held_ == nullptr && !error()) [[likely]] {
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
  if (error()) poison();
  if (held_ != nullptr) ask_when_poisoned();
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
  for (const in_place_use& use : uses) {
    if (!use.empty()) [[likely]] {
      add_edges(use, found, within);
    } else {
      intrusive_ptr_release(this);
    }
  }
}

inline host_edge::kind in_place_node::kind_of(edge_kind kind, const in_place_node& earlier) const {
  // Within a nested domain each task looks for poison itself.
  if (kind == edge_kind::order || is_domain_) return host_edge::kind::order;
  return earlier.is_domain_ ? host_edge::kind::held : host_edge::kind::content;
}

void in_place_node::note_held(const in_place_node_ptr& domain, const in_place_use& use,
                              const box& there) {
  if (held_ == nullptr) held_.reset(new std::vector<held_part>());
  held_->push_back({domain, &use, intersection(there, use.where())});
}

inline void in_place_node::wait_for_writer(const in_place_use& use, whole_uses& known,
                                           edge_list& found) {
  in_place_node* const writer = known.writer.get();
  if (writer == nullptr || writer == this || writer->has_left() || writer->is_domain_ ||
      !found.empty() || !writes_content(use.mode)) {
    return wait_for_other_writer(use, known, found);
  }
  // As below. It takes its place.
  found.add(std::move(known.writer),
            reads_content(use.mode) ? host_edge::kind::content : host_edge::kind::order);
}

inline void in_place_node::add_edges(const in_place_use& use, edge_list& found,
                                     domain_node* within) {
  in_place_history& order = *use.data->order();
  whole_uses* const whole = order.whole();
  if (whole != nullptr && use.part == nullptr && within == nullptr && !is_domain_) {
    add_edges_of_whole(use, *whole, found);
  } else {
    add_edges_of_part(use, order, found, within);
  }
}

inline void in_place_node::add_edges_of_whole(const in_place_use& use, whole_uses& known,
                                              edge_list& found) {
  if (writes_content(use.mode)) {
    if (!known.readers.empty()) wait_for_readers(known, found);
    if (known.writer != nullptr || !known.is_written) wait_for_writer(use, known, found);
    known.writer = in_place_node_ptr(this, false);
    known.is_written = true;
  } else {
    if (known.readers.size() >= known.tidy_at) known.tidy();
    known.readers.emplace_back(this, false);
    if (known.writer != nullptr || !known.is_written) wait_for_writer(use, known, found);
  }
}

void in_place_node::wait_for_readers(whole_uses& known, edge_list& found) {
  known.forget_readers();
  found.reserve(known.readers.size());
  for (in_place_node_ptr& reader : known.readers) {
    if (reader != this) found.add_place(std::move(reader), host_edge::kind::order);
  }
  known.readers.clear();
}

void in_place_node::wait_for_other_writer(const in_place_use& use, whole_uses& known,
                                          edge_list& found) {
  const bool needs_it = reads_content(use.mode);
  in_place_node* const writer = known.writer.get();
  if (writer == nullptr) {
    if (needs_it && !error()) settle(not_written(*this, use));
  } else if (writer->left_well()) {
    known.writer = nullptr;
  } else if (writer != this && (needs_it || !writer->has_left())) {
    const host_edge::kind kind = kind_of(needs_it ? edge_kind::content : edge_kind::order, *writer);
    if (kind == host_edge::kind::held) note_held(known.writer, use, use.data->whole());
    found.reserve(1);
    // A writer takes its place.
    found.add_place(writes_content(use.mode) ? std::move(known.writer) : known.writer, kind);
  }
}

void in_place_node::add_edges_of_part(const in_place_use& use, in_place_history& order,
                                      edge_list& found, domain_node* within) {
  const auto live = [](const in_place_node_ptr& node) {
    return node == nullptr || !node->left_well();
  };
  // How a reader ended concerns no other task.
  const auto reads_still = [](const in_place_node_ptr& node) { return !node->has_left(); };
  const auto depend = [&](const in_place_node_ptr& earlier, edge_kind by, const box& there) {
    if (earlier == nullptr) {
      const bool needs_it = by == edge_kind::content && !is_domain_;
      if (needs_it && !error()) settle(not_written(*this, use));
    } else if (earlier != this &&
               !(by == edge_kind::order ? earlier->has_left() : earlier->left_well())) {
      const host_edge::kind kind = kind_of(by, *earlier);
      if (kind == host_edge::kind::held) note_held(earlier, use, there);
      found.add_place(earlier, kind);
    }
  };
  const in_place_node_ptr self(this, false);
  in_place_history::chain* const held = within != nullptr ? within->chain_of(order) : nullptr;
  in_place_history::chain& nodes = held != nullptr ? *held : order.nodes();
  if (is_domain_) static_cast<domain_node&>(*this).keep_as_it_is(order, nodes);
  nodes.append(self, use.where(), use.mode, live, reads_still, depend);
  if (held == nullptr && use.part == nullptr && writes_content(use.mode)) {
    order.begin_anew(self);
  }
}

void in_place_node::leave_place(ready_list& next) noexcept {
  if (held_ != nullptr) held_.reset();
  leave_for(place_.close_as_pushed(), next);
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
    if (!e.fails_with(*e.source)) continue;
    if (e.waits_for == host_edge::kind::end) return downfall(*e.source);
    if (e.waits_for == host_edge::kind::content) {
      return e.source->error().downstream(std::string(label_text()));
    }
  }
  for (std::size_t i = 0; held_ != nullptr && i < held_->size(); ++i) {
    const auto& [domain, use, where] = (*held_)[i];
    if (failure bad = domain->poison_for(*this, *use, where)) return bad;
  }
  return error();
}

failure in_place_node::poison_for(const in_place_node& reader, const in_place_use& /*use*/,
                                  const box& /*part*/) const {
  return error().downstream(std::string(reader.label_text()));
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "direct/hold_node.hpp"

#include <utility>

namespace hocket::detail {

hold_node::hold_node(host_context& context, host_options&& options, hold_owner&& owner,
                     std::vector<direct_use>&& uses, hold_node* around)
    : direct_node(&context, std::move(options)),
      owner_(std::move(owner)),
      uses_(std::move(uses)),
      around_(around) {
  is_hold_ = true;
  if (around_) around_->task_came();
}

void hold_node::begin() {
  take_place(uses_, {}, {.within = around_.get()});
  start();
}

data_order::chain* hold_node::chain_of(const data_order& order) noexcept {
  const auto found = inside_.find(&order);
  return found == inside_.end() ? nullptr : &found->second;
}

void hold_node::keep_as_it_is(const data_order& order, const data_order::chain& nodes) {
  // This waits for those that have read, so that no task within it has to.
  inside_.emplace(&order, nodes.writers());
}

void hold_node::end(failure why, follow_ups& next) noexcept {
  if (!why) return owner_.given();
  settle(std::move(why));
  look();
  leave_place(next);
  announce(next);
  be_over();
}

void hold_node::given_up(bool waited, follow_ups& next) noexcept {
  look();
  direct_node::given_up(waited, next);
  be_over();
}

void hold_node::release(failure why) noexcept {
  released_with_ = std::move(why);
  follow_ups next;
  task_left(next);
}

void hold_node::task_left(follow_ups& next) noexcept {
  if (tasks_.fetch_sub(1) != 1) return;
  const direct_node_ptr self(this);
  settle(std::move(released_with_));
  if (why()) look();
  leave_place(next);
  announce(next);
  be_over();
}

void hold_node::leave_place(follow_ups& next) noexcept {
  const auto well = [](const direct_node_ptr& node) {
    return node != nullptr && node->left_well();
  };
  const auto over = [](const direct_node_ptr& node) { return node->has_left(); };
  // What was only read is answered for by those who have written it.
  for (const direct_use& use : uses_) {
    const auto each = inside_.find(use.data->order());
    if (each == inside_.end()) continue;  // it is empty
    each->second.expand_writers([&](const direct_node_ptr& node, const box& part, const auto& add) {
      const auto* const earlier = node != nullptr ? node->as_hold() : nullptr;
      return earlier != nullptr && earlier->answers_for(use.data->order(), part, add);
    });
    each->second.forget(well, over);
    if (why() || each->second.empty() || !writes_content(use.mode)) inside_.erase(each);
  }
  leaves_doubt_ = !inside_.empty();
  direct_node::leave_place(next);
  // The order of a buffer, which the buffer has, keeps this.
  uses_.clear();
  if (around_) std::exchange(around_, nullptr)->task_left(next);
}

/// Instead of a hold that has left with doubts, those that it doubts: or one hold would keep the
/// one before it, and that the one before.
bool hold_node::answers_for(
    const data_order* order, const box& part,
    const std::function<void(const direct_node_ptr&, const box&)>& add) const {
  if (!has_left() || why()) return false;
  const auto found = inside_.find(order);
  if (found != inside_.end()) found->second.each_writer(part, add);
  return true;
}

void hold_node::be_over() noexcept {
  const hold_owner told = std::exchange(owner_, {});
  told.over(why());
}

failure hold_node::spoilt(const direct_node& reader, const direct_use& use, const box& part) const {
  if (why()) return why().downstream(std::string(reader.called()));
  const auto found = inside_.find(use.data->order());
  if (found == inside_.end()) return {};
  failure first;
  found->second.each_writer(part, [&](const direct_node_ptr& writer, const box& of_it) {
    if (first) return;
    if (writer == nullptr) {
      first = not_written(reader, use);
    } else if (!writer->left_well()) {
      first = writer->spoilt(reader, use, of_it);
    }
  });
  return first;
}

}  // namespace hocket::detail

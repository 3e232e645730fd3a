// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/domain_node.hpp"

#include <utility>

namespace hocket::detail {

domain_node::domain_node(host_context& context, host_options&& options, domain_owner&& owner,
                         std::vector<in_place_use>&& uses, domain_node* around)
    : in_place_node(&context, std::move(options)),
      owner_(std::move(owner)),
      uses_(std::move(uses)),
      around_(around) {
  is_domain_ = true;
  if (around_) around_->task_came();
}

void domain_node::begin() {
  take_place(uses_, {}, {.within = around_.get()});
  start();
}

in_place_history::chain* domain_node::chain_of(const in_place_history& order) noexcept {
  const auto found = inside_.find(&order);
  return found == inside_.end() ? nullptr : &found->second;
}

void domain_node::keep_as_it_is(const in_place_history& order,
                                const in_place_history::chain& nodes) {
  // This waits for those that have read, so that no task within it has to.
  inside_.emplace(&order, nodes.writers());
}

void domain_node::end(failure why, ready_list& next) noexcept {
  if (!why) return owner_.given();
  settle(std::move(why));
  look();
  leave_place(next);
  announce(next);
  be_over();
}

void domain_node::given_up(bool waited, ready_list& next) noexcept {
  look();
  in_place_node::given_up(waited, next);
  be_over();
}

void domain_node::release(failure why) noexcept {
  released_with_ = std::move(why);
  ready_list next;
  task_left(next);
}

void domain_node::task_left(ready_list& next) noexcept {
  if (tasks_.fetch_sub(1) != 1) return;
  const in_place_node_ptr self(this);
  settle(std::move(released_with_));
  if (error()) look();
  leave_place(next);
  announce(next);
  be_over();
}

void domain_node::leave_place(ready_list& next) noexcept {
  const auto well = [](const in_place_node_ptr& node) {
    return node != nullptr && node->left_well();
  };
  const auto over = [](const in_place_node_ptr& node) { return node->has_left(); };
  // Regions that the domain has only read keep their earlier writers.
  for (const in_place_use& use : uses_) {
    const auto each = inside_.find(use.data->order());
    if (each == inside_.end()) continue;  // it is empty
    each->second.expand_writers(
        [&](const in_place_node_ptr& node, const box& part, const auto& add) {
          const auto* const earlier = node != nullptr ? node->as_domain() : nullptr;
          return earlier != nullptr && earlier->answers_for(use.data->order(), part, add);
        });
    each->second.forget(well, over);
    if (error() || each->second.empty() || !writes_content(use.mode)) inside_.erase(each);
  }
  leaves_doubt_ = !inside_.empty();
  in_place_node::leave_place(next);
  // The order of a buffer, which the buffer has, keeps this.
  uses_.clear();
  if (around_) std::exchange(around_, nullptr)->task_left(next);
}

/// Instead of a domain that has retired with doubts, those that it doubts: or one domain would keep
/// the one before it, and that the one before.
bool domain_node::answers_for(
    const in_place_history* order, const box& part,
    const std::function<void(const in_place_node_ptr&, const box&)>& add) const {
  if (!has_left() || error()) return false;
  const auto found = inside_.find(order);
  if (found != inside_.end()) found->second.each_writer(part, add);
  return true;
}

void domain_node::be_over() noexcept {
  const domain_owner told = std::exchange(owner_, {});
  told.over(error());
}

failure domain_node::poison_for(const in_place_node& reader, const in_place_use& use,
                                const box& part) const {
  if (error()) return error().downstream(std::string(reader.label_text()));
  const auto found = inside_.find(use.data->order());
  if (found == inside_.end()) return {};
  failure first;
  found->second.each_writer(part, [&](const in_place_node_ptr& writer, const box& of_it) {
    if (first) return;
    if (writer == nullptr) {
      first = not_written(reader, use);
    } else if (!writer->left_well()) {
      first = writer->poison_for(reader, use, of_it);
    }
  });
  return first;
}

}  // namespace hocket::detail

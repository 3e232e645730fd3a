// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/domain_node.hpp"

#include <utility>

namespace hocket::detail {

domain_node::domain_node(host_context& context, host_options&& options, domain_owner&& owner,
                         std::vector<in_place_use>&& uses, domain_node* around)
    : in_place_node({.is_domain = true, .asks_itself = true, .may_leave_content = true}, &context,
                    std::move(options)),
      owner_(std::move(owner)),
      uses_(std::move(uses)),
      around_(around) {
  for (const in_place_use& use : uses_) inside_.cover(use.data->order());
  if (around_) around_->task_came();
}

void domain_node::begin() {
  take_place(uses_, {}, {.within = around_.get()});
  task_starter::start(*this);
}

void domain_node::end(failure why, ready_list& next) noexcept {
  if (!why) return owner_.given();
  outcome().settle(std::move(why));
  outcome().leave_report();
  leave_place(next);
  announce(next);
  be_over();
}

void domain_node::given_up(bool waited, ready_list& next) noexcept {
  outcome().leave_report();
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
  outcome().settle(std::move(released_with_));
  if (error()) outcome().leave_report();
  leave_place(next);
  announce(next);
  be_over();
}

void domain_node::leave_place(ready_list& next) noexcept {
  in_place_node::leave_place(next);
  // The order of a buffer, which the buffer has, keeps this. No task has a place within any more.
  uses_.clear();
  inside_ = {};
  if (around_) std::exchange(around_, nullptr)->task_left(next);
}

void domain_node::be_over() noexcept {
  const domain_owner told = std::exchange(owner_, {});
  told.over(error());
}

}  // namespace hocket::detail

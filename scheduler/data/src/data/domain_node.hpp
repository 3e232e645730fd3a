// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "data/domain_histories.hpp"
#include "data/in_place_node.hpp"

namespace hocket::detail {

/// Callbacks of a nested domain. given is called first, then over. If the domain is cancelled
/// before it is opened, only over is called.
struct domain_owner {
  std::function<void()> given;
  std::function<void(const failure&)> over;
};

/// Keeps a place in the order of some buffers, whole, for the tasks of graphs that are not known as
/// yet: within it these have an order of their own. It leaves when it was released and the last of
/// them has.
class domain_node final : public in_place_node {
 public:
  domain_node(host_context& context, host_options&& options, domain_owner&& owner,
              std::vector<in_place_use>&& uses, domain_node* around);

  /// Takes its place, and waits for it.
  void begin();

  /// With a failure, what was to be written is not there.
  void release(failure why) noexcept;

  /// A task has its place within this, or has left it.
  void task_came() noexcept { tasks_.fetch_add(1); }
  void task_left(ready_list& next) noexcept;

  /// The order within, while the buffer is locked; null for a buffer that this does not hold.
  [[nodiscard]] node_accesses* accesses_to(const in_place_history& data) noexcept {
    return inside_.find(&data);
  }

 private:
  void execute() override {}
  void discard() noexcept override {}
  void end(failure why, ready_list& next) noexcept override;
  void given_up(bool waited, ready_list& next) noexcept override;
  void leave_place(ready_list& next) noexcept override;
  [[nodiscard]] std::span<const in_place_use> accesses() const noexcept override { return uses_; }
  void be_over() noexcept;

  domain_owner owner_;
  std::vector<in_place_use> uses_;
  domain_histories<const in_place_history*, in_place_node_ptr> inside_;
  boost::intrusive_ptr<domain_node> around_;
  std::atomic<std::size_t> tasks_{1};  ///< within it, and its release
  failure released_with_;
};

}  // namespace hocket::detail

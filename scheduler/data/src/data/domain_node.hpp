// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <functional>
#include <unordered_map>
#include <vector>

#include "data/in_place_history.hpp"
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
/// them has. It answers then for what they have left: content that was poisoned before and that
/// none of them has written anew stays so.
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

  // While the buffer is locked.
  /// The order within; null for a buffer that this does not hold.
  [[nodiscard]] in_place_history::chain* chain_of(const in_place_history& order) noexcept;
  void keep_as_it_is(const in_place_history& order, const in_place_history::chain& nodes);

  [[nodiscard]] const domain_node* as_domain() const noexcept override { return this; }
  [[nodiscard]] bool may_poison() const noexcept override { return error() || leaves_doubt_; }
  [[nodiscard]] failure poison_for(const in_place_node& reader, const in_place_use& use,
                                   const box& part) const override;

 private:
  void execute() override {}
  void discard() noexcept override {}
  void end(failure why, ready_list& next) noexcept override;
  void given_up(bool waited, ready_list& next) noexcept override;
  void leave_place(ready_list& next) noexcept override;
  [[nodiscard]] bool answers_for(
      const in_place_history* order, const box& part,
      const std::function<void(const in_place_node_ptr&, const box&)>& add) const;
  void be_over() noexcept;

  domain_owner owner_;
  std::vector<in_place_use> uses_;
  std::unordered_map<const in_place_history*, in_place_history::chain> inside_;
  boost::intrusive_ptr<domain_node> around_;
  std::atomic<std::size_t> tasks_{1};  ///< within it, and its release
  failure released_with_;
};

}  // namespace hocket::detail

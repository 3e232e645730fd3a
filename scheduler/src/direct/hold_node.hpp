// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <functional>
#include <unordered_map>
#include <vector>

#include "direct/data_order.hpp"
#include "direct/direct_node.hpp"

namespace hocket::detail {

/// What is told of a hold: that it was given, and that it is over, which comes without the other if
/// it was given up before.
struct hold_owner {
  std::function<void()> given;
  std::function<void(const failure&)> over;
};

/// Keeps a place in the order of some buffers, whole, for the tasks of graphs that are not known as
/// yet: within it these have an order of their own. It leaves when it was released and the last of
/// them has. It answers then for what they have left: content that was spoilt before and that none
/// of them has written anew stays so.
class hold_node final : public direct_node {
 public:
  hold_node(host_context& context, host_options&& options, hold_owner&& owner,
            std::vector<direct_use>&& uses, hold_node* around);

  /// Takes its place, and waits for it.
  void begin();

  /// With a failure, what was to be written is not there.
  void release(failure why) noexcept;

  /// A task has its place within this, or has left it.
  void task_came() noexcept { tasks_.fetch_add(1); }
  void task_left(follow_ups& next) noexcept;

  // While the buffer is locked.
  /// The order within; null for a buffer that this does not hold.
  [[nodiscard]] data_order::chain* chain_of(const data_order& order) noexcept;
  void keep_as_it_is(const data_order& order, const data_order::chain& nodes);

  [[nodiscard]] const hold_node* as_hold() const noexcept override { return this; }
  [[nodiscard]] bool may_spoil() const noexcept override { return why() || leaves_doubt_; }
  [[nodiscard]] failure spoilt(const direct_node& reader, const direct_use& use,
                               const box& part) const override;

 private:
  void execute() override {}
  void discard() noexcept override {}
  void end(failure why, follow_ups& next) noexcept override;
  void given_up(bool waited, follow_ups& next) noexcept override;
  void leave_place(follow_ups& next) noexcept override;
  [[nodiscard]] bool answers_for(
      const data_order* order, const box& part,
      const std::function<void(const direct_node_ptr&, const box&)>& add) const;
  void be_over() noexcept;

  hold_owner owner_;
  std::vector<direct_use> uses_;
  std::unordered_map<const data_order*, data_order::chain> inside_;
  boost::intrusive_ptr<hold_node> around_;
  std::atomic<std::size_t> tasks_{1};  ///< within it, and its release
  failure released_with_;
};

}  // namespace hocket::detail

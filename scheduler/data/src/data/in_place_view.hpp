// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <optional>

#include <hocket/scheduler/host_view.hpp>

#include "data/in_place_node.hpp"

namespace hocket::detail {

class data_runtime;

/// A view stands in the order of its buffer until it is closed, though it has ended, for those who
/// wait for it, when its content was there.
class view_node final : public in_place_node {
 public:
  view_node(data_runtime& home, const region_ref& what, access_mode mode);

  void take_place();
  void close() noexcept;
  /// Instead of close(), once: the call that was to open the view throws. The view ends at once,
  /// is never open, and leaves the order of its buffer, when its turn comes, without a change of
  /// the content.
  void refuse() noexcept;
  void tell_awaited(wait_visitor& to) override;

 private:
  void execute() override {}
  void discard() noexcept override {}
  void end(failure why, ready_list& next) noexcept override;
  void given_up(bool waited, ready_list& next) noexcept override;
  void leave_place(ready_list& next) noexcept override;
  [[nodiscard]] std::span<const in_place_use> accesses() const noexcept override {
    return {&use_, 1};
  }

  data_runtime& home_;
  std::optional<box> part_;
  in_place_use use_;
  meeting refusal_meets_end_;
  bool is_refused_ = false;  ///< set before the view leaves the order
};

/// Opens a view of a buffer of a runtime that has no memory but the host's; see open_view.
[[nodiscard]] std::unique_ptr<open_host_view> open_in_place_view(
    const std::shared_ptr<data_runtime>& home, const region_ref& what, access_mode mode);

}  // namespace hocket::detail

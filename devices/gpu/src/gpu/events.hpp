// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "gpu/api.hpp"

namespace hocket::gpu {

/// Refers to an event, which goes back to its pool after the last reference.
using event_ref = std::shared_ptr<event_object>;

/// The events of a context: one that is not used any more is used again. Any thread, in which the
/// context is current where an event is taken. Outlives the references.
class event_pool {
 public:
  explicit event_pool(const api& driver) noexcept : driver_(driver) {}
  event_pool(const event_pool&) = delete;
  event_pool& operator=(const event_pool&) = delete;

  /// Null, and the code, where the driver has none.
  [[nodiscard]] event_ref take(code& answer);
  /// Destroys the events that are not used, before the context goes.
  void clear() noexcept;

 private:
  void give_back(event_handle event);

  const api& driver_;
  std::mutex guard_;  // for what follows
  std::vector<event_handle> unused_;
};

}  // namespace hocket::gpu

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <hocket/core/timepoint.hpp>
#include <hocket/streams/host_epoch.hpp>

#include "waiter_count.hpp"

namespace hocket {

/// Something that is continued when a timeline comes to a value, or never will.
class timeline_waiter {
 public:
  virtual ~timeline_waiter() = default;
  virtual void resume() = 0;
};

/// The timeline of a host_stream: other streams can be registered on it.
class host_timeline final : public timeline {
 public:
  host_timeline(stream_id stream, std::shared_ptr<const host_epoch> epoch)
      : timeline(stream), epoch_(std::move(epoch)) {}

  enum class state { reached, lost, pending };

  /// Where it is `pending`, resume() of the waiter is called once that has changed.
  state when(std::uint64_t value, std::shared_ptr<timeline_waiter> waiter) const;

  /// Advances to the value and resumes who waited for it.
  void reach(std::uint64_t value);

  /// Resumes all; called once the epoch has ended.
  void wake_all();

  /// Forgets all; called when the stream goes away.
  void drop_all();

 private:
  struct entry {
    std::uint64_t value;
    std::shared_ptr<timeline_waiter> who;
  };
  [[nodiscard]] std::vector<entry> take_until(std::uint64_t value);  // under the mutex
  [[nodiscard]] std::vector<entry> take_all();

  std::shared_ptr<const host_epoch> epoch_;
  mutable waiter_count<> waiters_;
  mutable std::mutex mutex_;  // guards what follows
  mutable std::vector<entry> waiting_;
};

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vector>

#include <boost/container/flat_set.hpp>

#include "placement/memory_reclaimer.hpp"

namespace hocket::placement {

/// The buffers that no task uses any more. Where losses are survived, some stay for a while without
/// content, because tasks that use them may be run again.
class dropped_buffers {
 public:
  dropped_buffers(engine_state& state, memory_reclaimer& memory) : s_(state), memory_(memory) {}

  /// The buffer is used by no task any more, unless one is run again.
  void drop(data_id data);
  /// Drops the buffers that had to wait for the end of a recovery or of copies for a cut.
  void drop_waiting();
  /// Tasks of a recovery have filled dropped buffers again, which lose their content.
  void release_refilled();
  /// The log has become shorter.
  void log_was_cut();
  /// The buffers that there are, in the order of their ids, without those that only the log uses.
  [[nodiscard]] std::vector<tracked_buffer*> others() const;

 private:
  void release_content(tracked_buffer& buffer);

  engine_state& s_;
  memory_reclaimer& memory_;
  std::vector<data_id> waiting_;                ///< to be dropped
  boost::container::flat_set<data_id> shells_;  ///< dropped, but the log has tasks of them
};

}  // namespace hocket::placement

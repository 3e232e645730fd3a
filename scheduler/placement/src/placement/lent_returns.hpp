// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <vector>

#include <boost/container/flat_map.hpp>

#include "placement/dropped_buffers.hpp"
#include "placement/event.hpp"

namespace hocket::placement {

/// Brings content back to the memory of the program that buffers lie over: before such a buffer is
/// dropped, and when the runtime ends.
class lent_returns {
 public:
  lent_returns(engine_state& state, dropped_buffers& dropped) : s_(state), dropped_(dropped) {}

  /// The buffer is used by no task any more. It is dropped, at once if it is not lent.
  void drop(data_id data);
  /// All content is to come back.
  void return_all(return_asked& e);

  /// True if look() has to be called at the end of the step.
  [[nodiscard]] bool is_active() const noexcept { return !leaving_.empty() || is_asked_; }
  /// Copies what is missing, and drops buffers whose content is there. Returns whether it did
  /// anything.
  [[nodiscard]] bool look();

 private:
  enum class progress : std::uint8_t {
    there,
    on_the_way,
    copied  ///< copies were issued just now
  };
  [[nodiscard]] progress bring(tracked_buffer& buffer);
  /// True once the content of all lent buffers is there.
  [[nodiscard]] bool are_all_there(bool& goes_on);
  void warn_of_lost(const tracked_buffer& buffer);

  engine_state& s_;
  dropped_buffers& dropped_;
  std::vector<data_id> leaving_;                          ///< to be dropped
  boost::container::flat_map<data_id, unsigned> rounds_;  ///< of copies to the host
  answer_call tell_;
  bool is_asked_ = false;  ///< tell_ is to be called
};

}  // namespace hocket::placement

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>

namespace hocket::placement {

/// A part of the engine that asks to be called after some time.
enum class timed_part : std::uint8_t {
  schedule,   ///< tasks that are held for their device
  retry,      ///< an attempt after a failure
  loss,       ///< a device that ought to be told to be lost
  hang,       ///< commands that may never end
  straggler,  ///< commands that may take too long
  view,       ///< a view that is in the way of a recovery
};

}  // namespace hocket::placement

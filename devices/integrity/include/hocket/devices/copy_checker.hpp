// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/devices/copy_check_counts.hpp>
#include <hocket/devices/registry.hpp>

namespace hocket {

namespace integrity {
class tally;
}

/// Compares each copy of devices of any backend with its source after it has arrived, before its
/// end is reported: it stands between a runtime and each of them. A copy that differs is made
/// again; one that differs three times in a row fails with data_corrupted. Outlives the devices.
/// Any thread, but for decorate().
class copy_checker {
 public:
  copy_checker();
  copy_checker(const copy_checker&) = delete;
  copy_checker& operator=(const copy_checker&) = delete;
  ~copy_checker();

  /// Devices whose copies are compared once they are connected, in the order of those given. Each
  /// has copies_on_host, so that nothing on a device waits for a copy that was not compared yet,
  /// and none has peer_copies. Devices that execute nothing are returned as they are.
  [[nodiscard]] candidate_list decorate(candidate_list devices);

  [[nodiscard]] copy_check_counts counts() const;

 private:
  std::shared_ptr<integrity::tally> tally_;
};

}  // namespace hocket

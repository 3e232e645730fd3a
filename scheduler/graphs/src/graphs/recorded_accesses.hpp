// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <span>

#include <boost/unordered/unordered_flat_map.hpp>

#include <hocket/memory/content_state.hpp>

#include "data/access_history.hpp"
#include "data/in_place_use.hpp"

namespace hocket::detail {

/// The order of the tasks of a recording by their data, and which of their uses of buffers tasks
/// outside of a run can come before or after.
class recorded_accesses {
 public:
  /// The next task. Calls entry(use) for each use that tasks before a run can concern, because no
  /// earlier task of the recording has written all of its part, and then depend(earlier, kind) for
  /// each earlier task that this one comes after, some of them more than once.
  template <class Entry, class Depend>
  void add(std::uint32_t task, std::span<const in_place_use> uses, const Entry& entry,
           const Depend& depend) {
    for (const in_place_use& use : uses) {
      if (use.empty()) continue;
      if (!buffers_[use.data.get()].written.is_written(use.where())) entry(use);
    }
    // Tasks are named by their numbers plus one.
    const auto found = [&](std::uint32_t earlier, edge_kind kind, const box*) {
      if (earlier != task + 1) depend(earlier - 1, kind);
      return true;
    };
    const auto live = [](std::uint32_t) { return true; };
    for (const in_place_use& use : uses) {
      if (use.empty()) continue;
      known_uses& known = buffers_[use.data.get()];
      const box& all = use.data->whole();
      known.history.append(task + 1, use.part, all, use.mode, live, found);
      if (writes_content(use.mode)) known.written.write(all, use.where(), {});
    }
  }

  /// Once all tasks are there: calls exit(use) for each use that tasks after a run depend on, some
  /// of them more than once. uses_of(task): as it was added.
  template <class UsesOf, class Exit>
  void each_exit(const UsesOf& uses_of, const Exit& exit) const {
    for (const auto& [data, known] : buffers_) {
      known.history.each([&, of = data](std::uint32_t task) {
        for (const in_place_use& use : uses_of(task - 1)) {
          if (use.data.get() == of && !use.empty()) exit(use);
        }
      });
    }
  }

 private:
  struct known_uses {
    access_history<std::uint32_t> history;
    content_state written;  ///< by tasks of the recording
  };

  boost::unordered_flat_map<const buffer_state*, known_uses> buffers_;
};

}  // namespace hocket::detail

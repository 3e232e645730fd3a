// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <hocket/core/access.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/core/shape.hpp>

namespace hocket::heart {

/// How a task depends on an earlier one.
enum class edge_kind : std::uint8_t {
  content,  ///< it reads what the earlier one writes: fails with it
  order,    ///< it replaces what the earlier one reads or writes: only has to be issued after it
};

/// The accesses to one buffer that a later task could depend on, in the order of submission. What a
/// later access replaces is cut out of an earlier one; an access is forgotten when nothing is left
/// of it, or when its task has ended.
class version_chain {
 public:
  using is_live = std::function<bool(task_id)>;
  using add_edge = std::function<void(task_id earlier, edge_kind)>;

  /// Appends an access and reports what it depends on. The same earlier task may be reported twice.
  void append(task_id task, const box& region, access_mode mode, const is_live& live,
              const add_edge& depend);

  /// The first task, in order of submission, that still has to use the buffer; none if there is
  /// none.
  [[nodiscard]] task_id next_user(const std::function<bool(task_id)>& unissued) const;

 private:
  struct entry {
    task_id task;
    box region;
  };

  static void cut_out(std::vector<entry>& entries, const box& region);
  static void forget_ended(std::vector<entry>& entries, const is_live& live);

  std::vector<entry> writers_;
  std::vector<entry> readers_;
  std::size_t tidy_at_ = 16;
};

}  // namespace hocket::heart

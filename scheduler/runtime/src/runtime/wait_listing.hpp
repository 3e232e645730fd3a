// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <hocket/scheduler/pending.hpp>

#include "runtime/wait_search.hpp"

namespace hocket::detail {

/// Lists what has not ended and what it waits for: what can be reached from stacks that wait, from
/// open views, from the placement engine, and from tasks that the caller knows.
class wait_listing final : private wait_search {
 public:
  using device_name = std::function<std::string(device_id)>;

  wait_listing(wait_graph& graph, const placement::engine* placement, device_name name_of_device)
      : wait_search(graph, placement), name_of_device_(std::move(name_of_device)) {}

  /// With the graph locked. Of the tasks that are known none ends meanwhile.
  void run(std::span<const task_state* const> known);
  /// Likewise, after run().
  void write_to(pending_report& report,
                const std::function<std::optional<time_stamp>(const task_state&)>& since) const;

 private:
  [[nodiscard]] const task_state* task_of(std::size_t at) const;
  [[nodiscard]] bool is_listed(std::size_t at) const;
  [[nodiscard]] bool is_same(std::size_t a, std::size_t b) const;
  [[nodiscard]] std::vector<std::string> waits_of(std::size_t at) const;
  void add_waits(std::size_t of, std::size_t at, std::vector<std::size_t>& seen,
                 std::vector<std::string>& names) const;
  [[nodiscard]] pending_task described(std::size_t at) const;

  device_name name_of_device_;
  std::vector<std::vector<std::size_t>> next_;  // of each node
};

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <mutex>
#include <vector>

#include <hocket/scheduler/detail/body_task.hpp>

namespace hocket::detail {

/// The run of a graph whose tasks were submitted one by one: ends when all of them have, and fails
/// as the first of them that failed. To cancel it is to cancel each.
class graph_run final : public host_task {
 public:
  [[nodiscard]] static task_state_ptr start(host_context& context, task_label label,
                                            std::vector<task_state_ptr> tasks);

  graph_run(host_context& context, host_options&& options, std::vector<task_state_ptr>&& tasks);

  void request_cancel() noexcept override;

 protected:
  void execute() override {}
  void discard() noexcept override;

 private:
  std::mutex guard_;
  std::vector<task_state_ptr> tasks_;  // until it ends
};

}  // namespace hocket::detail

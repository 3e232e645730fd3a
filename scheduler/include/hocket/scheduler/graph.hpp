// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <hocket/scheduler/submitter.hpp>

namespace hocket {

namespace detail {
struct graph_content;
}

/// Recorded tasks that can be run many times. A handle; immutable. It keeps its buffers alive.
class graph {
 public:
  explicit graph(std::shared_ptr<const detail::graph_content> content)
      : content_(std::move(content)) {}

  /// The number of tasks.
  [[nodiscard]] std::size_t size() const noexcept;

  [[nodiscard]] const detail::graph_content& content() const noexcept { return *content_; }

 private:
  std::shared_ptr<const detail::graph_content> content_;
};

/// Keeps what is submitted to it. The futures it returns stand for tasks of later runs: they can be
/// given to other tasks of the same recording, and waiting for one throws usage_error. Functions
/// that are recorded are called once for each run, and must allow that. One thread at a time.
class recorder final : public submitter {
 public:
  explicit recorder(runtime& home);
  ~recorder() override;

  [[nodiscard]] graph finish() &&;
  [[nodiscard]] runtime& home() noexcept override { return home_; }

 private:
  [[nodiscard]] detail::host_context* immediate() noexcept override { return nullptr; }
  [[nodiscard]] detail::completion_ptr enqueue(detail::task_description&& task) override;
  [[nodiscard]] detail::completion_ptr keep(
      detail::host_recipe&& recipe, const std::string& label,
      const std::vector<detail::completion_ptr>& after) override;
  [[nodiscard]] detail::completion_ptr next_task(const std::string& label);

  runtime& home_;
  std::shared_ptr<detail::graph_content> content_;
};

}  // namespace hocket

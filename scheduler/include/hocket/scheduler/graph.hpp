// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <string>

#include <hocket/scheduler/submitter.hpp>

namespace hocket {

namespace detail {
struct graph_content;
}

/// How tasks are recorded. Nothing has to be set.
struct record_options {
  /// Chains of tasks of elementwise kernels over the same regions become one task each, which gives
  /// the same bits: a value that one leaves and the next one takes stays in a register, or in the
  /// cache of a processor. A buffer that nobody else can use any more, made within the recording
  /// for example, has no memory then. Tasks become one if they agree in `on`, `priority` and
  /// `stop`, and have no other option than these, `label` and `after`. They end and fail as one,
  /// called by their labels: "a+b".
  bool fuse = false;

  /// Neighbouring tasks of one device, given by `on`, become one submission, so that a run costs
  /// little more than the device needs: on a device that runs one command after another (most but
  /// processors), unless another task in between has to wait for the earlier or comes before the
  /// later. The tasks agree in `on`, `priority` and `stop`, have no other option than these,
  /// `label` and `after`, and kernels without a value. They end and fail as one, called by their
  /// labels, and all of them wait for what any of them waits for. After fuse.
  bool batch = false;
};

/// Recorded tasks that can be run many times. A handle; immutable. It keeps its buffers alive.
class graph {
 public:
  explicit graph(std::shared_ptr<const detail::graph_content> content)
      : content_(std::move(content)) {}

  /// The number of tasks that a run submits.
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
  explicit recorder(runtime& home, const record_options& options = {});
  ~recorder() override;

  [[nodiscard]] graph finish() &&;
  [[nodiscard]] runtime& home() noexcept override { return home_; }

 private:
  [[nodiscard]] host_target for_functions() noexcept override;
  [[nodiscard]] detail::completion_ptr enqueue(detail::task_description&& task) override;

  runtime& home_;
  record_options options_;
  std::shared_ptr<detail::graph_content> content_;
};

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace hocket {

namespace detail {
struct graph_content;
}

/// How tasks are recorded. Nothing has to be set.
struct record_options {
  /// Chains of tasks of elementwise kernels over the same regions become one task each, which gives
  /// the same bits: a value that one leaves and the next one takes stays in a register, or in the
  /// cache of a processor. A buffer that nothing else can use any more, made within the recording
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
  ///
  /// Tasks become one submission as well, with or without `on`, once runs repeat a schedule, after
  /// eight that came alone: those that the schedule has one behind the other in a lane of any
  /// device, for at most a millisecond, if no task of the graph waits for longer then. A body in
  /// C++ must not wait for what comes after a task of the graph, a view for example; one that
  /// yielded its lane in an earlier run stays alone. graph::size does not count these batches;
  /// runtime_report::batched_runs counts the runs that submit them.
  bool batch = false;

  /// About so many tasks are going to be recorded: if they are host functions, there is room for
  /// all of them from the beginning, and recording need not make some again and again.
  std::size_t tasks = 0;
};

/// Recorded tasks that can be run many times, also by several threads at once, and as a part of
/// other graphs: runs that threads begin at once are ordered by their data task by task, so that
/// one may come between the tasks of another. A handle; immutable. It keeps its buffers alive, and
/// belongs to one runtime.
///
/// ```cpp
/// runtime rt;
/// const buffer<float> x{rt, 100, 1.0f}, y{rt, 100, 0.0f};
/// const graph step = rt.record({.tasks = 2}, [&](submitter& s) {
///   s.submit(ops::axpy, 1.0f, reads(x), updates(y));
///   s.submit(ops::copy, reads(y), writes(x));
/// });
/// for (int i = 0; i < 10; ++i) rt.run(step);  // ordered by their data
/// rt.wait();
/// ```
class graph {
 public:
  /// An empty handle, to which another one is assigned later; everything but valid() throws
  /// usage_error.
  graph() = default;
  explicit graph(std::shared_ptr<const detail::graph_content> content)
      : content_(std::move(content)) {}

  [[nodiscard]] bool valid() const noexcept { return content_ != nullptr; }

  /// The number of tasks that it is made of, those of graphs within it too, whether or not a run
  /// chooses them. A condition or a loop is one.
  [[nodiscard]] std::size_t size() const;

  [[nodiscard]] const std::shared_ptr<const detail::graph_content>& content() const noexcept {
    return content_;
  }

 private:
  std::shared_ptr<const detail::graph_content> content_;
};

}  // namespace hocket

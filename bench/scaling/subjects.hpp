// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include <graphs/subject.hpp>
#include <harness/command.hpp>

namespace hocket::bench {

/// Strong and weak scaling on the virtual clock, and what simulating costs.
[[nodiscard]] std::vector<comparison> modelled_comparisons(const settings& wanted);

/// One launch over many rows, shared out among unequal devices on the virtual clock.
[[nodiscard]] std::vector<comparison> split_comparisons(const settings& wanted);

/// Graphs of tasks that each keep a device, or a worker of a peer, waiting for that time.
inline constexpr std::chrono::milliseconds waiting_time{2};
[[nodiscard]] std::vector<comparison> timed_comparisons(const settings& wanted);

/// Strong and weak scaling, and timed waits beside the peers: a picture each, if it was measured.
[[nodiscard]] std::vector<picture> pictures_of(const std::vector<row>& rows);

/// The body of a peer's task.
struct waiting_work {
  struct function {
    void operator()() const { std::this_thread::sleep_for(waiting_time); }
  };
  [[nodiscard]] function task(std::size_t) const noexcept { return {}; }
};

namespace onetbb {
/// A task_group in an arena of so many threads, with a counter for each task.
[[nodiscard]] graph_subject waiting_graphs();
}  // namespace onetbb

namespace starpu {
/// So many workers, and how many it can have at most.
[[nodiscard]] graph_subject waiting_graphs();
[[nodiscard]] std::size_t most_workers();
}  // namespace starpu

}  // namespace hocket::bench

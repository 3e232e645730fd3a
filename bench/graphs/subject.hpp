// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hocket::bench {

/// Which task follows which. A task comes after all tasks that it follows; their numbers are less
/// than its own.
struct shape {
  std::string name;
  std::vector<std::uint32_t> first;    ///< of each task, and one more: where its list begins
  std::vector<std::uint32_t> follows;  ///< the lists, one after the other

  [[nodiscard]] std::size_t size() const noexcept { return first.size() - 1; }
  /// What a task follows.
  [[nodiscard]] std::span<const std::uint32_t> before(std::size_t task) const noexcept {
    return std::span(follows).subspan(first[task], first[task + 1] - first[task]);
  }
};

/// Somebody's graph of one shape.
class built_graph {
 public:
  built_graph() = default;
  built_graph(const built_graph&) = delete;
  built_graph& operator=(const built_graph&) = delete;
  virtual ~built_graph() = default;

  /// Runs every task, each after those that it follows, and waits.
  virtual void run() = 0;
};

/// Somebody who makes graphs; has its workers.
class graph_maker {
 public:
  graph_maker() = default;
  graph_maker(const graph_maker&) = delete;
  graph_maker& operator=(const graph_maker&) = delete;
  virtual ~graph_maker() = default;

  /// The shape must live as long as the graph does.
  [[nodiscard]] virtual std::unique_ptr<built_graph> build(const shape& what) = 0;
};

/// A name and, for so many threads, the maker.
struct graph_subject {
  const char* name;
  std::function<std::unique_ptr<graph_maker>(std::size_t threads)> start;
  bool keeps_graphs = true;  ///< else every run submits all tasks anew, and build does nothing
};

// The headers beside this one have the subjects, for any Work: work.task(i) is the function that
// task i calls.

/// Work that is nothing. Compilers take away tasks that they can see to be empty.
struct no_work {
  struct function {
    void operator()() const noexcept { asm volatile(""); }
  };
  [[nodiscard]] function task(std::size_t) const noexcept { return {}; }
};

}  // namespace hocket::bench

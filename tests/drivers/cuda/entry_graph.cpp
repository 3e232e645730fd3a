// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Graphs: what was enqueued in a stream while it was captured.

#include <memory>
#include <utility>

#include "calls.hpp"
#include "driver.hpp"
#include "exports.hpp"

using namespace standin;

int cuStreamBeginCapture_v2(void* handle, int mode) {
  return entry("cuStreamBeginCapture_v2", [&] {
    require(handle != nullptr && mode >= 0 && mode <= 2, "no stream is captured like this");
    if (!stream_of(handle)->begin_capture()) {
      throw failure(illegal_state, "the stream is captured already");
    }
  });
}

int cuStreamEndCapture(void* handle, void** graph) {
  return entry("cuStreamEndCapture", [&] {
    require(graph != nullptr, "there is no place for the graph");
    const auto s = stream_of(handle);
    auto commands = s->end_capture();
    if (!commands) throw failure(illegal_state, "the stream is not captured");
    *graph = driver::get().graphs.add(
        std::make_shared<graph_object>(graph_object{s->owner(), std::move(*commands)}));
  });
}

int cuGraphInstantiateWithFlags(void** made, void* graph, unsigned long long flags) {
  return entry("cuGraphInstantiateWithFlags", [&] {
    require(made != nullptr && flags == 0, "there is no place for the graph, or a wrong flag");
    *made = driver::get().runnable_graphs.add(
        std::make_shared<graph_object>(*driver::get().graphs.get(graph, "graph")));
  });
}

int cuGraphLaunch(void* graph, void* handle) {
  return entry("cuGraphLaunch", [&] {
    const auto what = driver::get().runnable_graphs.get(graph, "graph that can be launched");
    const auto s = stream_of(handle);
    if (what->owner != s->owner()) throw failure(invalid_handle, "the graph is of another context");
    push(s, [what] {
      for (const auto& run : what->commands) run();
    });
  });
}

int cuGraphDestroy(void* graph) {
  return entry("cuGraphDestroy", [&] { driver::get().graphs.remove(graph, "graph"); });
}

int cuGraphExecDestroy(void* graph) {
  return entry("cuGraphExecDestroy",
               [&] { driver::get().runnable_graphs.remove(graph, "graph that can be launched"); });
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <graphs/tbb.hpp>

#include "subjects.hpp"

namespace hocket::bench {

graph_subject onetbb::working_flow_graphs(const work_of_tasks& work) { return flow_graphs(work); }

graph_subject onetbb::working_counted_graphs(const work_of_tasks& work) {
  return counted_graphs(work);
}

}  // namespace hocket::bench

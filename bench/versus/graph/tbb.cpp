// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <graphs/tbb.hpp>

#include "subjects.hpp"

namespace hocket::bench {

graph_subject onetbb::empty_flow_graphs() { return flow_graphs(no_work{}); }

graph_subject onetbb::empty_counted_graphs() { return counted_graphs(no_work{}); }

}  // namespace hocket::bench

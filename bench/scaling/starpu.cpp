// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <graphs/starpu.hpp>

#include "subjects.hpp"

namespace hocket::bench {

graph_subject starpu::waiting_graphs() { return declared_graphs(waiting_work{}); }

std::size_t starpu::most_workers() { return STARPU_MAXCPUS; }

}  // namespace hocket::bench

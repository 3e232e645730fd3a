// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <graphs/starpu.hpp>

#include "subjects.hpp"

namespace hocket::bench {

graph_subject starpu::empty_declared_graphs() { return declared_graphs(no_work{}); }

}  // namespace hocket::bench

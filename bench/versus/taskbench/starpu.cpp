// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <graphs/starpu.hpp>

#include "subjects.hpp"

namespace hocket::bench {

graph_subject starpu::working_declared_graphs(const work_of_tasks& work) {
  return declared_graphs(work);
}

}  // namespace hocket::bench

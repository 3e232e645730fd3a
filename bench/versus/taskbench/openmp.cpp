// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <graphs/openmp.hpp>

#include "subjects.hpp"

namespace hocket::bench {

graph_subject openmp::working_task_graphs(const work_of_tasks& work) { return task_graphs(work); }

}  // namespace hocket::bench

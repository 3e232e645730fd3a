// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <graphs/openmp.hpp>

#include "subjects.hpp"

namespace hocket::bench {

graph_subject openmp::empty_task_graphs() { return task_graphs(no_work{}); }

}  // namespace hocket::bench

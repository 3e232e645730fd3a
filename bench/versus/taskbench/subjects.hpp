// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <graphs/subject.hpp>

#include "work.hpp"

namespace hocket::bench {

// Each where its peer is. The tasks do the work that is given.
namespace ours {
[[nodiscard]] graph_subject working_graphs(const work_of_tasks& work);
}
namespace onetbb {
[[nodiscard]] graph_subject working_flow_graphs(const work_of_tasks& work);
[[nodiscard]] graph_subject working_counted_graphs(const work_of_tasks& work);
}  // namespace onetbb
namespace openmp {
[[nodiscard]] graph_subject working_task_graphs(const work_of_tasks& work);
}
namespace starpu {
[[nodiscard]] graph_subject working_declared_graphs(const work_of_tasks& work);
}

}  // namespace hocket::bench

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <graphs/subject.hpp>

namespace hocket::bench {

// Each where its peer is. Tasks are empty functions.
namespace ours {
[[nodiscard]] graph_subject empty_graphs();
[[nodiscard]] graph_subject empty_tasks_after_futures();
}  // namespace ours
namespace onetbb {
[[nodiscard]] graph_subject empty_flow_graphs();
[[nodiscard]] graph_subject empty_counted_graphs();
}  // namespace onetbb
namespace openmp {
[[nodiscard]] graph_subject empty_task_graphs();
}
namespace starpu {
[[nodiscard]] graph_subject empty_declared_graphs();
}

}  // namespace hocket::bench

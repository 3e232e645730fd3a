// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <graphs/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

graph_subject ours::empty_graphs() { return recorded_graphs(no_work{}); }

graph_subject ours::empty_tasks_after_futures() { return tasks_after_futures(no_work{}); }

}  // namespace hocket::bench

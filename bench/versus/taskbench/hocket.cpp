// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <graphs/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

graph_subject ours::working_graphs(const work_of_tasks& work) { return recorded_graphs(work); }

}  // namespace hocket::bench

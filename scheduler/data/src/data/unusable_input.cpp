// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/unusable_input.hpp"

#include "tasks/caught.hpp"

namespace hocket::detail {

failure unusable_input(const content_state& content, const box& region, access_mode mode,
                       std::string_view task, const std::string& buffer) {
  return explained([&]() -> failure {
    if (const failure why = content.poison_of(region)) return why.downstream(std::string(task));
    if (content.is_written(region)) return {};
    return {failure_code::task_failed, task_name(task) + " " + std::string(to_string(mode)) + " " +
                                           to_string(region) + " of buffer \"" + buffer +
                                           "\", which no earlier task writes."};
  });
}

}  // namespace hocket::detail

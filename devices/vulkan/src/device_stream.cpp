// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "device_stream.hpp"

#include <algorithm>

namespace hocket::vulkan {

void device_stream::conclude(std::uint64_t value, command_result how, VkResult code) {
  if (code != VK_SUCCESS) {
    how.end = std::max(how.begin, where().now());
    how.why =
        failure(failure_code::device_lost, of_.failed("does not end a command", code).message());
    lose(how.why);
  }
  conclude(value, {&how, 1});
}

}  // namespace hocket::vulkan

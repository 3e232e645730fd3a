// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/streams/command.hpp>

namespace hocket {

std::vector<launch_command> parts_of(const launch_command& what) {
  std::vector<launch_command> parts;
  parts.reserve(what.kernel->sequence.size());
  for (const kernel_part& part : what.kernel->sequence) {
    launch_command& made = parts.emplace_back();
    made.kernel = part.kernel;
    made.width = what.width;
    made.buffers.reserve(part.buffers.size());
    for (const std::size_t b : part.buffers) made.buffers.push_back(what.buffers[b]);
    made.scalars.reserve(part.scalars.size());
    for (const std::size_t s : part.scalars) made.scalars.push_back(what.scalars[s]);
  }
  return parts;
}

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "copy.hpp"

#include <hocket/streams/perform.hpp>

namespace hocket::vulkan {

host_copy_stream::host_copy_stream(const parts& given, stream_id id, direction way,
                                   launch_stream& kernels, bool uses_host_memory)
    : copy_stream(given, id, way, kernels),
      uses_host_memory_(uses_host_memory),
      pump_(thread_name()) {}

host_copy_stream::~host_copy_stream() { close(); }

bool host_copy_stream::prepared(const command&) { return true; }

failure host_copy_stream::prepare(const command&) { return {}; }

failure host_copy_stream::enqueue(const command& what, std::span<const device_wait> waits) {
  pump_.post([this, value = what.value, copy = std::get<copy_command>(what.what),
              points = points_of(waits)] { perform(value, copy, points); });
  return {};
}

void host_copy_stream::perform(std::uint64_t value, const copy_command& what,
                               const std::vector<wait_point>& points) {
  await(points);
  command_result how;
  how.begin = where().now();
  if (!what.region.empty()) {
    copy_command on_host = what;
    allocation& theirs = way() == direction::inbound ? on_host.to : on_host.from;
    if (!uses_host_memory_) theirs.chunk = device_memory::chunk(theirs).mapped;
    copy_box(on_host);
  }
  how.end = where().now();
  conclude(value, how, VK_SUCCESS);
}

}  // namespace hocket::vulkan

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "copy.hpp"

#include <hocket/streams/perform.hpp>

namespace hocket::vulkan {

host_copy_stream::host_copy_stream(const parts& given, stream_id id, direction way,
                                   bool uses_host_memory)
    : timeline_stream(given, id),
      way_(way),
      uses_host_memory_(uses_host_memory),
      pump_(given.of.name() + (way == direction::inbound ? " in" : " out")) {}

result<std::unique_ptr<timeline_stream>> host_copy_stream::make(const parts& given, stream_id id,
                                                                direction way,
                                                                bool uses_host_memory) {
  std::unique_ptr<host_copy_stream> made(new host_copy_stream(given, id, way, uses_host_memory));
  if (failure why = made->make_timeline()) {
    made->close();
    return why;
  }
  return std::unique_ptr<timeline_stream>(std::move(made));
}

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
  const VkResult code = await(points);
  command_result how;
  how.begin = where().now();
  if (code == VK_SUCCESS) {
    copy_command on_host = what;
    allocation& theirs = way_ == direction::inbound ? on_host.to : on_host.from;
    if (!uses_host_memory_ && !what.region.empty())
      theirs.chunk = device_memory::chunk(theirs).mapped;
    copy_box(on_host);
  }
  how.end = where().now();
  of().signal(timeline(), value);
  conclude(value, how, code);
}

}  // namespace hocket::vulkan

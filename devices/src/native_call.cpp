// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/native_call.hpp>

#include <cassert>

#include <boost/container/small_vector.hpp>

#include <hocket/kernels/native.hpp>
#include <hocket/streams/perform.hpp>

namespace hocket {

failure call_native(const kernel_source& source, const launch_command& what, const void* place,
                    std::span<const native_object> objects) {
  assert(objects.size() == what.buffers.size());
  boost::container::small_vector<native_buffer, 4> buffers;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const array_part& part = *what.buffers[i].part;
    native_buffer& made =
        buffers.emplace_back(native_buffer{nullptr, 0, part.type(), part.sizes(), part.strides()});
    if (part.region().empty()) continue;
    made.object = objects[i].object;
    made.first_byte = objects[i].first_byte + part.first_byte();
  }
  try {
    source.native({place, {buffers.data(), buffers.size()}, what.scalars});
    return {};
  } catch (...) {
    return failure_of_launch(what.kernel->name);
  }
}

}  // namespace hocket

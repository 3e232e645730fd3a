// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/native_call.hpp>

#include <boost/container/small_vector.hpp>

#include <hocket/kernels/native.hpp>
#include <hocket/streams/perform.hpp>

namespace hocket {

failure call_native(const kernel_source& source, const launch_command& what, const void* place,
                    function_ref<native_object(std::size_t)> object) {
  try {
    boost::container::small_vector<native_buffer, 4> buffers;
    for (std::size_t i = 0; i < what.buffers.size(); ++i) {
      const array_part& part = *what.buffers[i].part;
      const bool is_empty = part.region().empty() || what.buffers[i].where.chunk == nullptr;
      const native_object in = is_empty ? native_object() : object(i);
      const std::size_t first = is_empty ? 0 : in.first_byte + part.first_byte();
      buffers.push_back(
          {in.object, in.is_address, first, part.type(), part.sizes(), part.strides()});
    }
    source.native({place, {buffers.data(), buffers.size()}, what.scalars});
    return {};
  } catch (...) {
    return failure_of_launch(what.kernel->name);
  }
}

}  // namespace hocket

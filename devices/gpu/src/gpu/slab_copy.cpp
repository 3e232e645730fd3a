// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "gpu/errors.hpp"
#include "gpu/staging.hpp"

namespace hocket::gpu {

namespace {

code copy_run(const api& driver, stream_handle stream, const copy_slab& what, const slab_end& from,
              const slab_end& to) {
  const std::size_t bytes = what.region[0];
  const auto offset = [&](const slab_end& end) { return end.packed ? 0 : what.offset(); };
  if (from.context == nullptr) {
    return driver.copy_to_device(to.device + offset(to), from.host + offset(from), bytes, stream);
  }
  if (to.context == nullptr) {
    return driver.copy_to_host(to.host + offset(to), from.device + offset(from), bytes, stream);
  }
  if (from.context == to.context) {
    return driver.copy_within(to.device + offset(to), from.device + offset(from), bytes, stream);
  }
  return driver.copy_between(to.device + offset(to), to.context, from.device + offset(from),
                             from.context, bytes, stream);
}

box_end box_end_of(const copy_slab& what, const slab_end& end) {
  box_end made;
  const std::size_t offset = end.packed ? 0 : what.offset();
  if (end.context == nullptr) {
    made.host = end.host + offset;
  } else {
    made.device = end.device + offset;
    made.context = end.context;
  }
  made.pitch = end.packed ? what.region[0] : what.row_pitch;
  made.height =
      end.packed ? what.region[1] : std::max(what.slice_pitch / what.row_pitch, what.region[1]);
  return made;
}

}  // namespace

std::vector<copy_slab> slabs_up_to(const copy_command& what, std::size_t bytes) {
  std::vector<copy_slab> made;
  for_each_slab(what, [&](const copy_slab& all) {
    const auto [width, rows, slices] = all.region;
    const std::size_t slice = width * rows;
    const copy_slab::triple step{
        std::min(width, bytes),
        width > bytes ? 1 : std::min(std::max<std::size_t>(bytes / width, 1), rows),
        slice > bytes ? 1 : std::min(std::max<std::size_t>(bytes / slice, 1), slices)};
    for (std::size_t z = 0; z < slices; z += step[2]) {
      for (std::size_t y = 0; y < rows; y += step[1]) {
        for (std::size_t x = 0; x < width; x += step[0]) {
          copy_slab part = all;
          part.origin = {all.origin[0] + x, all.origin[1] + y, all.origin[2] + z};
          part.region = {std::min(step[0], width - x), std::min(step[1], rows - y),
                         std::min(step[2], slices - z)};
          made.push_back(part);
        }
      }
    }
    return true;
  });
  return made;
}

code copy_in_stream(const api& driver, stream_handle stream, const copy_slab& what,
                    const slab_end& from, const slab_end& to) {
  if (what.is_run()) return copy_run(driver, stream, what, from, to);
  return driver.copy_box({box_end_of(what, from), box_end_of(what, to), what.region[0],
                          what.region[1], what.region[2]},
                         stream);
}

}  // namespace hocket::gpu

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/host_view.hpp>

#include <hocket/streams/command.hpp>

#include "data/data_runtime.hpp"
#include "data/host_view.hpp"
#include "data/in_place_view.hpp"

namespace hocket::detail {

buffer_argument content_of_view(const region_ref& what, void* address) {
  const placed_buffer place{
      {address, 0, 0},
      what.part() == nullptr
          ? what.data->all()
          : part_of_array(what.data->type(), what.data->extents(), what.where())};
  return place.argument();
}

std::unique_ptr<open_host_view> open_view(const region_ref& what, access_mode mode) {
  const std::shared_ptr<data_runtime> home = what.data->owner();
  if (home->in_place() != nullptr) return open_in_place_view(home, what, mode);
  return home->open_placed_view(what, mode);
}

}  // namespace hocket::detail

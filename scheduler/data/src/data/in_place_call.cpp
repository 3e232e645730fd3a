// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/in_place_call.hpp"

#include <algorithm>

#include <hocket/execution/item_note.hpp>

#include "data/bound_arguments.hpp"

namespace hocket::detail {

namespace {

launch_shape shape_of(std::span<const in_place_use> uses) {
  launch_shape made;
  made.reserve(uses.size());
  for (const in_place_use& use : uses) made.push_back(use.where().extents());
  return made;
}

}  // namespace

void call_specially(const in_place_call& what, std::span<const in_place_use> uses,
                    std::span<const buffer_argument> buffers, std::size_t max_elements,
                    task_state& task) {
  const launch_shape extents = shape_of(uses);
  const kernel_definition& kernel = what.kernel;
  const auto parts = std::max<std::size_t>(kernel.sequence.size(), 1);
  const double flops =
      kernel.estimate ? kernel.work_of(extents).flops : static_cast<double>(max_elements);
  const in_place_runtime::counted counted(what.home, 0);
  what.home.count_more(parts, flops);
  // Pieces of a wide body run on other workers too: the note says of which task they are part.
  const item_note at(item_note::kind::task, &task);
  call_on_host(what.home.context().where(), what.home.arena(),
               kernel.width ? kernel.width(extents) : body_width::serial, what.body, buffers,
               what.numbers);
}

failure failure_of_call(const std::string& body, const std::string& name) {
  try {
    throw;
  } catch (const no_room_for_buffer& thrown) {
    return thrown.why;
  } catch (...) {
    // The body has thrown.
  }
  const failure why = failure_of_launch(body);
  return {why.code(), name + " failed: " + why.message(), why.thrown()};
}

}  // namespace hocket::detail

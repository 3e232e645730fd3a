// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/in_place_call.hpp"

#include <algorithm>
#include <exception>

#include <hocket/execution/item_note.hpp>

#include "data/bound_arguments.hpp"
#include "data/unfit_number.hpp"

namespace hocket::detail {

namespace {

launch_shape shape_of(std::span<const in_place_use> uses) {
  launch_shape made;
  made.reserve(uses.size());
  for (const in_place_use& use : uses) made.push_back(use.where().extents());
  return made;
}

}  // namespace

call_work work_of_call(const kernel_definition& kernel, std::span<const in_place_use> uses) {
  const launch_shape extents = shape_of(uses);
  call_work made;
  if (kernel.estimate) {
    made.flops = kernel.work_of(extents).flops;
  } else {
    for (const index_list& each : extents) {
      made.flops = std::max(made.flops, static_cast<double>(volume(each)));
    }
  }
  if (kernel.width) made.width = kernel.width(extents);
  return made;
}

void call_specially(const in_place_call& what, const call_work& work,
                    std::span<const buffer_argument> buffers, function_ref<task_state&()> task) {
  const auto parts = std::max<std::size_t>(what.kernel.sequence.size(), 1);
  const in_place_runtime::counted counted(what.home, 0);
  what.home.count_more(parts, work.flops);
  if (work.width == body_width::serial) {
    single_lane lane;
    return what.body(host_launch{buffers, what.numbers, lane});
  }
  // Pieces of the body run on other workers too: the note says of which task they are part.
  const item_note at(item_note::kind::task, &task());
  call_on_host(what.home.context().where(), what.home.arena(), work.width, what.body, buffers,
               what.numbers);
}

failure failure_of_call(const std::string& body, const std::string& name) {
  try {
    throw;
  } catch (const no_room_for_buffer& thrown) {
    return thrown.why;
  } catch (const refused_number& thrown) {
    return {failure_code::task_failed, thrown.what(), std::current_exception()};
  } catch (...) {
    // The body has thrown.
  }
  const failure why = failure_of_launch(body);
  return {why.code(), name + " failed: " + why.message(), why.thrown()};
}

}  // namespace hocket::detail

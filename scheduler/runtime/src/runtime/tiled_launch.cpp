// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/tiled_launch.hpp"

#include <string>
#include <utility>

#include "runtime/copied_values.hpp"

namespace hocket::detail {

namespace {

/// A function for the host that copies its first buffer to its second one, and so on.
kernel_ref copying_kernel(const char* name,
                          const std::vector<std::variant<number_argument, access_argument>>& of) {
  auto made = std::make_shared<kernel_definition>();
  made->name = name;
  for (const auto& each : of) {
    const auto& use = std::get<access_argument>(each);
    made->parameters.push_back({.is = parameter::kind::buffer,
                                .type = use.data->type(),
                                .mode = use.mode,
                                .rank = use.data->extents().size()});
  }
  made->host = [](const host_launch& launch) {
    for (std::size_t i = 0; i + 1 < launch.buffers.size(); i += 2) {
      copy_values(launch.buffers[i], launch.buffers[i + 1]);
    }
  };
  return made;
}

task_description copying_task(const task_description& beside, const char* what) {
  task_description made;
  made.label = task_label(std::string(what) + " of " + std::string(beside.label_text()));
  made.priority = beside.priority;
  made.stop = beside.stop;
  made.scope = beside.scope;
  made.host_only = true;
  made.make_state = &make_device_task<void>;
  return made;
}

void add_copy(task_description& to, const access_argument& from, const access_argument& target) {
  to.arguments.emplace_back(access_argument{from.data, from.where, access_mode::read});
  to.arguments.emplace_back(access_argument{target.data, target.where, access_mode::write});
}

}  // namespace

tiled_launch in_tiles(task_description&& task, const std::shared_ptr<data_runtime>& home) {
  tiled_launch made;
  made.in = copying_task(task, "tiles");
  made.out = copying_task(task, "result");
  for (auto& argument : task.arguments) {
    auto* const use = std::get_if<access_argument>(&argument);
    if (use == nullptr || use->where.empty()) continue;
    const buffer_ref copy(new buffer_state(home, use->data->type(), use->where.extents(),
                                           "tile of " + use->data->label()));
    const access_argument own{copy, copy->whole(), use->mode};
    if (reads_content(use->mode)) add_copy(made.in, *use, own);
    if (writes_content(use->mode)) {
      add_copy(made.out, own, *use);
      made.writes = true;
    }
    made.bytes += copy->bytes();
    *use = own;
  }
  made.in.kernel = copying_kernel("copy tiles", made.in.arguments);
  made.out.kernel = copying_kernel("copy result", made.out.arguments);
  made.task = std::move(task);
  return made;
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/check.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>

#include <hocket/core/saturating.hpp>
#include <hocket/kernels/program.hpp>
#include <hocket/memory/band.hpp>
#include <hocket/memory/binding.hpp>
#include <hocket/scheduler/detail/task_waits.hpp>

#include "data/in_place_task.hpp"
#include "graphs/first_places.hpp"
#include "graphs/graph_content.hpp"
#include "placement/placed_runtime.hpp"
#include "tasks/caught.hpp"
#include "tasks/each_once.hpp"

namespace hocket::detail {

namespace {

using access_list = boost::container::small_vector<const access_argument*, 8>;

access_list accesses_of(const task_description& task) {
  access_list accesses;
  for (const auto& argument : task.arguments) {
    if (const auto* use = std::get_if<access_argument>(&argument)) accesses.push_back(use);
  }
  return accesses;
}

std::string begin(const task_description& task) { return task_name(task.label_text()) + " "; }

void check_shape(const task_description& task, const access_list& accesses) {
  if (!task.kernel->check) return;
  launch_shape shape;
  for (const access_argument* use : accesses) shape.push_back(use->where.extents());
  task.kernel->check(shape);
}

void check_overlap(const task_description& task, const access_argument& a,
                   const access_argument& b) {
  if (a.data != b.data || !overlap(a.where, b.where)) return;
  if (!writes_content(a.mode) && !writes_content(b.mode)) return;
  const bool in_place = task.kernel->in_place && a.where == b.where &&
                        !(writes_content(a.mode) && writes_content(b.mode));
  if (in_place) return;
  throw usage_error(begin(task) + std::string(to_string(a.mode)) + " " + to_string(a.where) +
                    " and " + std::string(to_string(b.mode)) + " " + to_string(b.where) +
                    " of buffer \"" + a.data->label() + "\", which overlap; kernel \"" +
                    task.kernel->name + "\" must not be given the same elements twice.");
}

bool runs_on(const task_description& task, const placement::machine::device_node& node) {
  return task.host_only ? node.runs_host_tasks : node.runs(*task.kernel);
}

/// The bytes of memory that a task needs.
struct bytes_needed {
  std::uint64_t whole = 0;  ///< for all of each buffer
  std::uint64_t least = 0;  ///< on a device, where bands of them suffice if the host has the rest

  void add(std::uint64_t all, std::uint64_t band) {
    whole = saturating_add(whole, all);
    least = saturating_add(least, band);
  }
};

bytes_needed bytes_for(const task_description& task, const access_list& accesses) {
  access_list used;
  for (const access_argument* use : accesses) {
    if (!use->where.empty()) used.push_back(use);
  }
  bytes_needed sum;
  if (task.kernel->result) sum.add(size_of(*task.kernel->result), size_of(*task.kernel->result));
  for_each_once(
      used, [](const access_argument* use) { return use->data.get(); },
      [&](const access_argument* use) {
        const buffer_state& data = *use->data;
        box all = use->where;
        for (const access_argument* other : used) {
          if (other->data == use->data) all = bounding_box(all, other->where);
        }
        const std::uint64_t elements = band_around(all, data.extents()).elements();
        sum.add(data.bytes(), elements * size_of(data.type()));
      });
  return sum;
}

/// Which devices can run a task.
struct choice {
  bytes_needed bytes = {};
  bool fits = false;  ///< one that has memory for it, and can be given its buffers
  // Of the devices before that one:
  std::vector<const placement::machine::device_node*> too_small = {};
  /// The devices that have the memory.
  std::vector<const placement::machine::device_node*> cannot_bind = {};
};

/// Null if a kernel there can be given each of the regions; else one for which that is not so.
const access_argument* too_large_for(const placement::machine::device_node& node,
                                     const access_list& accesses) {
  if (node.largest_binding == 0) return nullptr;
  const auto found = std::ranges::find_if(accesses, [&](const access_argument* use) {
    const buffer_state& data = *use->data;
    return bytes_to_bind(use->where, data.extents(), size_of(data.type())) > node.largest_binding;
  });
  return found == accesses.end() ? nullptr : *found;
}

choice devices_for(const task_description& task, const access_list& accesses,
                   const placement::machine& machine) {
  choice made{bytes_for(task, accesses)};
  const std::uint64_t of_host = machine.memories[placement::host_memory.value].capacity;
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    const placement::machine::device_node& node = machine.devices[i];
    if ((task.on && task.on->value != i) || !runs_on(task, node)) continue;
    const std::uint64_t capacity = machine.memories[node.memory.value].capacity;
    const bool has_room = made.bytes.whole <= capacity ||
                          (made.bytes.whole <= of_host && made.bytes.least <= capacity);
    made.fits = has_room && too_large_for(node, accesses) == nullptr;
    if (made.fits) break;
    (has_room ? made.cannot_bind : made.too_small).push_back(&node);
  }
  return made;
}

std::string capacities_of(const std::vector<const placement::machine::device_node*>& nodes,
                          const placement::machine& machine) {
  std::string text;
  for (const placement::machine::device_node* node : nodes) {
    const std::uint64_t capacity = machine.memories[node->memory.value].capacity;
    text += (text.empty() ? "" : ", ") + node->name + " has " + std::to_string(capacity);
  }
  return text;
}

const char* name_of(kernel_format format) {
  switch (format) {
    case kernel_format::host:
      return "C++ for the host";
    case kernel_format::opencl_c:
      return "OpenCL C";
    case kernel_format::glsl:
      return "GLSL";
    case kernel_format::cuda_c:
      return "CUDA C";
    case kernel_format::opencl_commands:
      return "commands of OpenCL";
    case kernel_format::vulkan_commands:
      return "commands of Vulkan";
    case kernel_format::cuda_commands:
      return "commands of CUDA";
    case kernel_format::hip_commands:
      return "commands of HIP";
  }
  return "another format";
}

/// Each of them once.
std::string names_of(const std::vector<kernel_format>& formats) {
  std::vector<kernel_format> named;
  std::string text;
  for (const kernel_format format : formats) {
    if (std::ranges::find(named, format) != named.end()) continue;
    text += (text.empty() ? "" : ", ") + std::string(name_of(format));
    named.push_back(format);
  }
  return text;
}

std::string bodies_of(const kernel_definition& kernel) {
  std::vector<kernel_format> formats;
  if (kernel.host) formats.push_back(kernel_format::host);
  for (const kernel_source& source : kernel.sources) formats.push_back(source.format);
  return formats.empty() ? "no body" : "bodies in " + names_of(formats);
}

/// Why the device does not run the kernel. Precondition: it does not.
std::string obstacle(const kernel_definition& kernel, const placement::machine::device_node& node) {
  for (const kernel_part& part : kernel.sequence) {
    if (!node.runs(*part.kernel)) return obstacle(*part.kernel, node);
  }
  const std::string subject = "kernel \"" + kernel.name + "\" ";
  for (const kernel_format format : node.formats) {
    const kernel_source* const source = source_for(kernel, format, node.style);
    if (source == nullptr) continue;
    for (const element_type type : node.lacks) {
      if (!uses_type(kernel, *source, type)) continue;
      return subject + "uses " + to_string(type) + ", which the device does not have";
    }
  }
  return subject + "has " + bodies_of(kernel) + ", and the device runs " + names_of(node.formats);
}

/// Of the device that the task names, or of all of them, each once.
std::string obstacles(const task_description& task, const placement::machine& machine) {
  if (task.on) return obstacle(*task.kernel, machine.devices[task.on->value]);
  std::set<std::string> found;
  std::string text;
  for (const placement::machine::device_node& node : machine.devices) {
    const std::string reason = obstacle(*task.kernel, node);
    if (!found.insert(reason).second) continue;
    text += (text.empty() ? "" : "; ") + ("on " + node.name + ", " + reason);
  }
  return text;
}

/// True if there is a device with memory for the buffers even if each use of one had its own: where
/// there is, nothing else needs to be counted.
bool fits_easily(const task_description& task, const access_list& accesses,
                 const placement::machine& machine) {
  std::uint64_t bytes = task.kernel->result ? size_of(*task.kernel->result) : 0;
  for (const access_argument* use : accesses) bytes = saturating_add(bytes, use->data->bytes());
  for (std::size_t i = 0; i < machine.devices.size(); ++i) {
    const placement::machine::device_node& node = machine.devices[i];
    if ((task.on && task.on->value != i) || !runs_on(task, node)) continue;
    const bool binds = node.largest_binding == 0 || bytes <= node.largest_binding;
    if (binds && bytes <= machine.memories[node.memory.value].capacity) return true;
  }
  return false;
}

void check_devices(const task_description& task, const access_list& accesses,
                   const placement::machine& machine) {
  if (fits_easily(task, accesses, machine)) return;
  const choice found = devices_for(task, accesses, machine);
  if (found.fits) return;
  if (!found.cannot_bind.empty()) {
    const placement::machine::device_node& node = *found.cannot_bind.front();
    const access_argument& use = *too_large_for(node, accesses);
    throw usage_error(begin(task) + std::string(to_string(use.mode)) + " " + to_string(use.where) +
                      " of buffer \"" + use.data->label() +
                      "\", more bytes than a kernel can be "
                      "given at once: " +
                      node.name + " binds at most " + std::to_string(node.largest_binding) + ".");
  }
  if (!found.too_small.empty()) {
    const std::uint64_t whole = found.bytes.whole, least = found.bytes.least;
    const std::string needs =
        begin(task) + "needs " + std::to_string(whole) + " bytes for its buffers";
    const std::uint64_t of_host = machine.memories[placement::host_memory.value].capacity;
    const bool fits_in_bands = std::ranges::any_of(found.too_small, [&](const auto* node) {
      return least <= machine.memories[node->memory.value].capacity;
    });
    if (fits_in_bands) {
      throw usage_error(needs +
                        ", which the memory of the host has to hold where a device does "
                        "not, and that has " +
                        std::to_string(of_host) + ".");
    }
    const std::string in_bands =
        whole == least ? "" : ", or " + std::to_string(least) + " for the rows that it uses";
    throw usage_error(needs + in_bands + ", more than any device it can run on: " +
                      capacities_of(found.too_small, machine) + ".");
  }
  const std::string where = task.on ? machine.devices[task.on->value].name : "any device in use";
  if (task.host_only) {
    throw usage_error(begin(task) + "is a host function and cannot run on " + where + ".");
  }
  throw usage_error(begin(task) + "has a kernel that cannot run on " + where + ": " +
                    obstacles(task, machine) + ".");
}

}  // namespace

void check_device(const device_handle& device, placed_runtime& home, const std::string& name) {
  if (device.runtime != 0 && device.runtime != home.number()) {
    throw usage_error(name + " is to run on a device of another runtime (its device number " +
                      std::to_string(device.id.value) +
                      "); ask the runtime that the task is given to, by runtime::device.");
  }
  if (!device.id.valid()) {
    throw usage_error(name + " is to run on an empty device handle; runtime::device gives one.");
  }
  const std::size_t devices = home.description().devices.size();
  if (device.id.value < devices) return;
  throw usage_error(name + " is to run on device number " + std::to_string(device.id.value) +
                    " of " + std::to_string(devices) + ".");
}

void check(const task_description& task, placed_runtime& home) {
  const placement::machine& machine = home.description();
  if (task.on) check_device({*task.on, task.runtime_of_on}, home, task_name(task.label_text()));
  if (task.takes && task.takes->runtime != home.number()) {
    throw usage_error(begin(task) + "is to take " + std::to_string(task.takes->bytes) +
                      " bytes of a budget that belongs to another runtime.");
  }
  if (task.in_order && !task.on) {
    throw usage_error(begin(task) + "is to run in order, but not on which device (.on).");
  }
  const access_list accesses = accesses_of(task);
  for (const access_argument* use : accesses) {
    if (use->data->belongs_to(home) && home.is_open()) continue;
    (void)use->data->owner();  // which may be gone
    throw usage_error(begin(task) + std::string(to_string(use->mode)) + " buffer \"" +
                      use->data->label() + "\", which belongs to another runtime.");
  }
  check_shape(task, accesses);
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    for (std::size_t j = i + 1; j < accesses.size(); ++j) {
      check_overlap(task, *accesses[i], *accesses[j]);
    }
  }
  check_devices(task, accesses, machine);
}

void check_taker(const task_state& taker, const placed_runtime& home, std::string_view label) {
  check_waitable(taker);
  const host_context* const context = &home;
  const bool has_data = dynamic_cast<const device_task*>(&taker) != nullptr ||
                        dynamic_cast<const in_place_task*>(&taker) != nullptr;
  if (has_data && taker.home() == context) return;
  throw usage_error(task_name(label) + " is to give back what " + in_a_sentence(taker.name()) +
                    " took, which is no task with data of the same runtime.");
}

void check(const graph_use& use, placed_runtime& home) {
  const auto wrong = [&](const char* what) {
    return usage_error(task_name(use.label.text()) + what);
  };
  if (use.bodies.empty()) throw wrong(" is to choose among no graphs.");
  for (const auto& body : use.bodies) {
    if (body == nullptr) {
      throw wrong(" is given an empty graph: it was not recorded, or moved from.");
    }
    if (body->home_number == home.number()) continue;
    throw wrong(" is given a graph that was recorded for another runtime.");
  }
  if (use.ask.future && use.ask.future->recorded().number == 0) check_readable(*use.ask.future);
  if (use.ask.task) check(*use.ask.task, home);
  const auto knows = [&](const parameter_ref& which) {
    return std::ranges::any_of(use.bodies,
                               [&](const auto& body) { return body->parameters.has(which); });
  };
  first_places<const parameter_state*> set;
  const auto label = [&] { return std::string(use.label.text()); };
  for (const setting& each : use.with) {
    const auto what = [&] { return "Parameter \"" + each.of->label + "\" is set "; };
    if (!knows(each.of)) {
      throw usage_error(what() + "for a run of graph \"" + label() +
                        "\", which has no such parameter.");
    }
    if (set.find(each.of.get()) != set.none) {
      throw usage_error(what() + "twice for one run of graph \"" + label() + "\".");
    }
    try {
      for (const auto& body : use.bodies) body->parameters.check(each);
    } catch (const usage_error& e) {
      throw usage_error(what() + "to what a task of graph \"" + label() + "\" cannot take. " +
                        e.what());
    }
    set.push_back(each.of.get());
  }
}

bool fits_a_device(const task_description& task, placed_runtime& home) {
  return devices_for(task, accesses_of(task), home.description()).fits;
}

}  // namespace hocket::detail

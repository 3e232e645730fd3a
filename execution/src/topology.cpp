// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/execution/topology.hpp>

#include <hwloc.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

namespace hocket {
namespace {

struct bitmap_deleter {
  void operator()(hwloc_bitmap_t bitmap) const noexcept { hwloc_bitmap_free(bitmap); }
};
using bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, bitmap_deleter>;

struct topology_deleter {
  void operator()(hwloc_topology_t topology) const noexcept { hwloc_topology_destroy(topology); }
};
using topology_handle = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, topology_deleter>;

void require(int status, const char* what) {
  if (status == 0) return;
  throw error(failure(failure_code::io,
                      std::string("The topology of this machine cannot be read: hwloc fails ") +
                          what + " (" + std::strerror(errno) + ")."));
}

/// hwloc does not say so itself where HWLOC_SYNTHETIC describes no machine, and takes this one.
void warn_of_wrong_description() {
  const std::string text = environment_variable("HWLOC_SYNTHETIC").value_or("");
  hwloc_topology_t raw = nullptr;
  if (text.empty() || hwloc_topology_init(&raw) != 0) return;
  const topology_handle tried(raw);
  if (hwloc_topology_set_synthetic(raw, text.c_str()) == 0) return;
  static const int printed_once =
      std::fprintf(stderr,
                   "hocket: HWLOC_SYNTHETIC is %s, which describes no machine, as "
                   "\"numa:2 core:4 pu:1\" does. It is ignored.\n",
                   in_quotes(text).c_str());
  (void)printed_once;
}

topology_handle load() {
  warn_of_wrong_description();
  hwloc_topology_t raw = nullptr;
  require(hwloc_topology_init(&raw), "to start");
  topology_handle topology(raw);
  // Nobody asks about caches, and finding them takes time.
  hwloc_topology_set_cache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_icache_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  require(hwloc_topology_load(raw), "to look at it");
  return topology;
}

bitmap intersection(hwloc_const_bitmap_t a, hwloc_const_bitmap_t b) {
  bitmap both(hwloc_bitmap_alloc());
  hwloc_bitmap_and(both.get(), a, b);
  return both;
}

std::size_t count_objects(hwloc_topology_t topology, hwloc_obj_type_t type,
                          hwloc_const_bitmap_t cpus) {
  std::size_t found = 0;
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr) {
    if (hwloc_bitmap_intersects(object->cpuset, cpus)) ++found;
  }
  return found;
}

std::size_t count_cores(hwloc_topology_t topology, hwloc_const_bitmap_t cpus) {
  const std::size_t cores = count_objects(topology, HWLOC_OBJ_CORE, cpus);
  return cores != 0 ? cores : count_objects(topology, HWLOC_OBJ_PU, cpus);
}

}  // namespace

struct host_topology::content {
  topology_handle handle;
  bool is_this_machine = true;
  bitmap allowed;
  std::vector<numa_node> nodes;
  std::vector<bitmap> cpus;      // of each node, as far as they are allowed
  std::vector<bitmap> memories;  // of each node

  /// cgroups restrict what hwloc shows; this adds what taskset and the like have set.
  void find_allowed() {
    allowed.reset(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(handle.get())));
    if (!is_this_machine) return;
    const bitmap bound(hwloc_bitmap_alloc());
    if (hwloc_get_cpubind(handle.get(), bound.get(), HWLOC_CPUBIND_THREAD) == 0 &&
        hwloc_bitmap_intersects(allowed.get(), bound.get())) {
      hwloc_bitmap_and(allowed.get(), allowed.get(), bound.get());
    }
  }

  void find_nodes() {
    // Two memories may belong to the same cores: these are lanes of the first one only.
    const bitmap unclaimed(hwloc_bitmap_dup(allowed.get()));
    hwloc_obj_t object = nullptr;
    while ((object = hwloc_get_next_obj_by_type(handle.get(), HWLOC_OBJ_NUMANODE, object))) {
      bitmap own = intersection(object->cpuset, unclaimed.get());
      if (hwloc_bitmap_iszero(own.get())) continue;
      hwloc_bitmap_andnot(unclaimed.get(), unclaimed.get(), own.get());
      add(*object, std::move(own));
    }
  }

  void add(const hwloc_obj& object, bitmap own) {
    numa_node node;
    node.name = "NUMA" + std::to_string(nodes.size());
    node.os_number = object.os_index;
    node.cores = count_cores(handle.get(), own.get());
    const std::uint64_t bytes = object.attr->numanode.local_memory;
    if (is_this_machine && bytes != 0) node.memory_bytes = bytes;
    nodes.push_back(std::move(node));
    cpus.push_back(std::move(own));
    memories.emplace_back(hwloc_bitmap_dup(object.nodeset));
  }
};

host_topology::host_topology() : content_(std::make_unique<content>()) {
  content_->handle = load();
  content_->is_this_machine = hwloc_topology_is_thissystem(content_->handle.get()) != 0;
  content_->find_allowed();
  content_->find_nodes();
  errno = ENODEV;
  require(content_->nodes.empty() ? -1 : 0, "to find a core that this process may use");
}

host_topology::~host_topology() = default;

const std::vector<numa_node>& host_topology::nodes() const noexcept { return content_->nodes; }

bool host_topology::is_this_machine() const noexcept { return content_->is_this_machine; }

std::string host_topology::processor() const {
  const hwloc_obj_t package = hwloc_get_obj_by_type(content_->handle.get(), HWLOC_OBJ_PACKAGE, 0);
  const char* const model =
      package == nullptr ? nullptr : hwloc_obj_get_info_by_name(package, "CPUModel");
  return model == nullptr ? "" : model;
}

bool host_topology::bind_current_thread(std::size_t node) const noexcept {
  return hwloc_set_cpubind(content_->handle.get(), content_->cpus[node].get(),
                           HWLOC_CPUBIND_THREAD) == 0;
}

bool host_topology::unbind_current_thread() const noexcept {
  return hwloc_set_cpubind(content_->handle.get(), content_->allowed.get(), HWLOC_CPUBIND_THREAD) ==
         0;
}

node_memory host_topology::allocate_on_node(std::size_t node, std::size_t bytes) const {
  node_memory memory;
  memory.bytes = bytes;
  const hwloc_topology_t handle = content_->handle.get();
  if (!content_->is_this_machine) {
    memory.note = "the machine is synthetic: its memory is bound to no node";
  } else {
    memory.address =
        hwloc_alloc_membind(handle, bytes, content_->memories[node].get(), HWLOC_MEMBIND_BIND,
                            HWLOC_MEMBIND_BYNODESET | HWLOC_MEMBIND_STRICT);
    memory.bound = memory.address != nullptr;
    if (!memory.bound) {
      memory.note = "memory cannot be bound to " + content_->nodes[node].name + " (" +
                    std::strerror(errno) + ")";
    }
  }
  if (!memory.bound) memory.address = hwloc_alloc(handle, bytes);
  return memory;
}

void host_topology::release(const node_memory& memory) const noexcept {
  if (memory.address != nullptr) {
    hwloc_free(content_->handle.get(), memory.address, memory.bytes);
  }
}

}  // namespace hocket

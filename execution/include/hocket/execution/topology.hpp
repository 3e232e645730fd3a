// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hocket {

/// One NUMA node of the host, as far as the thread that asked may use it.
struct numa_node {
  std::string name;        ///< "NUMA0", by the position in host_topology::nodes()
  unsigned os_number = 0;  ///< what the operating system calls it
  std::size_t cores = 1;   ///< one lane for each
  std::optional<std::uint64_t> memory_bytes;  ///< nothing where it is unknown (synthetic machines)
};

/// Memory of one node; given back with host_topology::release.
struct node_memory {
  void* address = nullptr;  ///< null if there was none; else at the start of a page
  std::size_t bytes = 0;
  bool bound = false;  ///< false: the memory is anywhere, and note says why
  std::string note;
};

/// The CPUs and memories of this machine, found once, by hwloc: those that the thread which makes
/// the object may run on. With HWLOC_SYNTHETIC set it is the machine described there, and binding
/// does nothing. Any thread may call any of it.
class host_topology {
 public:
  /// Throws error if hwloc cannot tell what the machine is like.
  host_topology();
  ~host_topology();

  /// The nodes that have a core to run on; at least one.
  [[nodiscard]] const std::vector<numa_node>& nodes() const noexcept;

  /// False for a machine that HWLOC_SYNTHETIC describes.
  [[nodiscard]] bool is_this_machine() const noexcept;

  /// The name of the processors, as "AMD EPYC 7B13"; empty if that is not known.
  [[nodiscard]] std::string processor() const;

  /// Keeps the calling thread on the cores of a node. Returns false where that cannot be done.
  bool bind_current_thread(std::size_t node) const noexcept;

  /// Lets the calling thread run on every core of nodes().
  bool unbind_current_thread() const noexcept;

  [[nodiscard]] node_memory allocate_on_node(std::size_t node, std::size_t bytes) const;
  void release(const node_memory& memory) const noexcept;

 private:
  struct content;
  std::unique_ptr<content> content_;
};

}  // namespace hocket

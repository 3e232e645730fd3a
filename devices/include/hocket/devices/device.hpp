// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <hocket/kernels/definition.hpp>
#include <hocket/kernels/kernel_rate.hpp>
#include <hocket/memory/resource.hpp>
#include <hocket/streams/stream.hpp>

namespace hocket {

/// A link to the host that several devices share. Copies over it go one after another.
struct shared_link {
  std::string name;  ///< empty: none
  double bytes_per_second = 0;
  bool is_duplex = true;  ///< copies to the host do not hold up copies from it
};

/// The properties of a device and first guesses of its rates; plain values, fixed when it connects.
struct device_info {
  std::string name;                    ///< "NUMA0", "Sim1": backend prefix and index
  std::string backend;                 ///< "cpu", "sim"
  std::string description;             ///< for people: model, clock, driver
  std::vector<kernel_format> formats;  ///< that it reads, best first
  device_style style = device_style::gpu;
  /// The address of its chip, by pci_address(): devices of different backends with the same one are
  /// one chip behind two drivers. Empty: it has none, or the driver does not say.
  std::string pci;
  std::vector<element_type> lacks;  ///< types of elements and numbers that its kernels cannot use

  /// Compute streams of one domain can wait for one another on the device; empty: all of the
  /// backend.
  std::string domain;
  /// That its copies are made by the host, so that they and kernels wait for one another there.
  bool copies_on_host = false;
  /// Copies go straight to and from other devices of the domain.
  bool peer_copies = false;

  std::uint64_t memory_bytes = 0;   ///< that tasks may use
  std::size_t alignment = 64;       ///< of every allocation
  bool shares_host_memory = false;  ///< its replicas are host memory; nothing moves to it
  /// Freed blocks of its memory are kept and used again, because new ones cost calls of a driver or
  /// fresh pages: see pooled_memory.
  bool keeps_freed_blocks = false;
  /// It can use allocations of the host's memory as they are, in place of its own.
  bool imports_host_memory = false;
  /// Copies from and to the host's memory are faster if the device knows the blocks there are.
  bool pins_host_memory = false;
  std::uint64_t largest_binding = 0;  ///< bytes of one kernel argument; 0: no limit of its own
  /// Kernel arguments are bound from multiples of this in their memory, and begin whole elements
  /// behind such a place. Host memory that is imported begins at a multiple of `alignment`, before
  /// what the program lends. 1: from anywhere.
  std::uint64_t binding_unit = 1;

  std::size_t arena = 0;  ///< of the executor, whose workers a host device runs on
  std::size_t lanes = 1;  ///< compute streams that run at the same time
  std::size_t depth = 2;  ///< commands worth having in flight on one compute stream
  /// More than that are, as long as all of them are thought to take less than this.
  nanoseconds ahead{0};

  // First guesses for placement, replaced by what is measured. On a virtual clock they are the
  // truth.
  double flops_per_second = 1e9;          ///< of one lane
  double memory_bytes_per_second = 1e10;  ///< of one lane, in its own memory
  double link_bytes_per_second = 1e10;    ///< to and from the host, each way
  nanoseconds launch_latency{0};
  nanoseconds link_latency{0};
  double peer_bytes_per_second = 0;  ///< from another device; 0: as from the host
  nanoseconds peer_latency{0};       ///< where there is a rate
  shared_link bus;                   ///< on the way to the host, if it is known
  std::vector<kernel_rate> kernel_rates;
  double watts = 0;           ///< that it takes while it works; 0: unknown
  bool is_simulated = false;  ///< what it takes is made up, and tells nothing of this machine
  bool executes = true;       ///< false: kernels and copies take time and change no memory
  bool can_be_lost = true;    ///< false for the cores that the program itself runs on
  /// How many cores of the host its kernels run on; 0: it has processors of its own. Devices that
  /// use more together than there are hold up one another.
  std::size_t host_cores = 0;

  /// Of one lane, for the kernel that is called so.
  [[nodiscard]] double flops_of(std::string_view kernel) const noexcept {
    return rate_of(kernel_rates, kernel) * flops_per_second;
  }
};

/// One thing that runs kernels and has memory. All functions may be called from any thread, except
/// that a stream is submitted to by one caller at a time.
class device {
 public:
  virtual ~device() = default;

  [[nodiscard]] virtual const device_info& info() const noexcept = 0;

  /// The bottom of this device's memory resources: it neither keeps blocks nor counts bytes, which
  /// pooled_memory does on top of it.
  [[nodiscard]] virtual memory_resource& memory() noexcept = 0;

  /// Compute lane 0 .. info().lanes - 1. A wide body is submitted to lane 0; the caller sees to it
  /// that the other lanes are idle meanwhile.
  [[nodiscard]] virtual stream& compute(std::size_t lane) noexcept = 0;

  /// Copies from host memory, or from another device of this backend, into this device's memory.
  [[nodiscard]] virtual stream& inbound() noexcept = 0;

  /// Copies from this device's memory into host memory.
  [[nodiscard]] virtual stream& outbound() noexcept = 0;

  /// Declares the device lost, as if its driver had said so: see completion_sink::device_lost. Only
  /// the first call does anything. Any thread, also the sink. Precondition: info().can_be_lost.
  virtual void lose(const failure& why) = 0;

  /// A block of the host's memory is there until forget(). Only for devices that use or pin the
  /// host's memory.
  virtual void remember(const allocation& host) { (void)host; }

  /// A block of the host's memory goes back to the system: what was made to import it has to go.
  /// Only for devices that use the host's memory; no command uses the block any more.
  virtual void forget(const allocation& host) noexcept { (void)host; }

  /// True if the device belongs to a driver that ends with the program.
  [[nodiscard]] virtual bool has_driver() const noexcept { return false; }

  /// The program ends, and may destroy what the driver consists of as soon as this has returned.
  /// The device is lost; the commands that the driver has are awaited, and from then on the driver
  /// is called no more, not even to give back what it has made. Does nothing without a driver.
  virtual void leave_driver() noexcept {}
};

/// How messages name a device: `Device "GPU0"`.
[[nodiscard]] inline std::string device_title(const std::string& name) {
  return "Device \"" + name + "\"";
}

/// How a device is lost that leaves its driver.
[[nodiscard]] inline failure program_ends(const std::string& device) {
  return {failure_code::device_lost,
          device_title(device) + " is given up, because the program ends and its driver with it."};
}

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <hocket/kernels/program.hpp>
#include <hocket/streams/command.hpp>

#include "completion.hpp"

namespace hocket::opencl {

/// Launches kernels into one queue. Not for two threads at a time.
class launcher {
 public:
  launcher(std::shared_ptr<context> of, cl_device_id id, std::string device, device_style style,
           bool host_memory)
      : context_(std::move(of)),
        id_(id),
        device_(std::move(device)),
        style_(style),
        host_memory_(host_memory) {}

  /// True if the command can be enqueued, or is known to fail.
  [[nodiscard]] bool prepared(const command& what);

  /// Makes its kernels; may take long.
  [[nodiscard]] failure prepare(const command& what);

  /// Enqueues what prepared() was asked about last. Nothing to run is no event.
  [[nodiscard]] enqueued enqueue(cl_command_queue queue, const launch_command& what,
                                 std::span<const cl_event> waits);

 private:
  /// The objects of one kernel for one variant, one for each pass. Drivers keep arguments in them,
  /// so that no two queues share one.
  struct compiled {
    const kernel_source* source = nullptr;
    std::vector<handle<cl_kernel>> passes;
  };
  using by_variant = std::map<program_variant, compiled>;

  [[nodiscard]] result<compiled> compile(const kernel_definition& kernel,
                                         const kernel_source& source,
                                         const program_variant& variant);
  [[nodiscard]] failure check_limits(const kernel_definition& kernel, const kernel_source& source,
                                     const program_variant& variant) const;
  [[nodiscard]] failure grow_scratch(std::size_t words);
  [[nodiscard]] cl_int set_arguments(cl_kernel kernel, std::span<const buffer_use> buffers,
                                     const kernel_source& source, const lowered_pass& pass) const;

  std::shared_ptr<context> context_;
  cl_device_id id_;
  std::string device_;
  device_style style_;
  bool host_memory_;

  // Does not keep kernels alive: programs that make ever new ones would pile them up.
  std::map<std::weak_ptr<const kernel_definition>, by_variant, std::owner_less<>> kernels_;
  handle<cl_mem> scratch_;
  std::size_t scratch_words_ = 0;

  // Of the command that prepared() was asked about last.
  std::uint64_t value_ = 0;
  result<lowered_launch> lowered_ = lowered_launch{};
  const compiled* ready_ = nullptr;
};

}  // namespace hocket::opencl

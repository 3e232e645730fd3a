// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <hocket/devices/launch_planner.hpp>

#include "completion.hpp"
#include "start_gate.hpp"

namespace hocket::opencl {

/// Launches kernels into one queue, which is in order. Not for two threads at a time.
class launcher {
 public:
  launcher(std::shared_ptr<context> of, cl_device_id id, std::string device, device_style style,
           bool host_memory)
      : context_(std::move(of)),
        id_(id),
        device_(std::move(device)),
        host_memory_(host_memory),
        planner_(
            {kernel_format::opencl_commands, kernel_format::opencl_c}, style, device_,
            [this](const kernel_ref& kernel, const kernel_source& source,
                   const program_variant& variant) { return compile(*kernel, source, variant); }) {}

  /// As those of a launch_planner.
  [[nodiscard]] bool prepared(const command& what) { return planner_.prepared(what); }
  [[nodiscard]] failure prepare() { return planner_.prepare(); }

  /// How many launches what prepared() was asked about last stands for.
  [[nodiscard]] std::size_t parts() const noexcept { return planner_.plan().parts.size(); }

  /// Enqueues it. Nothing to run is no event. The gate, which it may be behind, is opened only if
  /// nothing else helps.
  [[nodiscard]] enqueued enqueue(cl_command_queue queue, std::span<const cl_event> waits,
                                 start_gate& gate);

 private:
  /// The objects of one kernel for one variant, one for each pass. Drivers keep arguments in them,
  /// so that no two queues share one.
  struct pass_object {
    handle<cl_kernel> kernel;
    std::uint64_t set_by = 0;    ///< the command that the arguments below are of; 0: of none
    std::uint64_t releases = 0;  ///< of buffers, before that
    std::vector<cl_mem> buffers;
    std::vector<std::uint32_t> words;
  };
  struct compiled {
    std::vector<pass_object> passes;
  };
  using part = launch_part<compiled>;

  /// What the buffers of a part are, and how many had been given back when that was asked: they
  /// stay the same as long as no more are.
  struct found_buffers {
    std::vector<cl_mem> objects;
    std::uint64_t releases = 0;
    bool known = false;
  };
  /// What the queue has got of a command so far.
  struct progress {
    cl_command_queue queue;
    std::span<const cl_event> waits;
    std::size_t left;  ///< passes that are not enqueued
    enqueued made;
  };

  void enqueue(part& what, found_buffers& found, progress& now);
  void enqueue_native(const part& what, const found_buffers& found, progress& now);
  [[nodiscard]] cl_int mark(progress& now);
  void note(cl_event event, enqueued& made) const;
  [[nodiscard]] failure find_buffers(const part& of, found_buffers& found);
  [[nodiscard]] cl_int launch(pass_object& object, const grid& local, const lowered_pass& pass,
                              progress& now);
  [[nodiscard]] result<std::shared_ptr<compiled>> compile(const kernel_definition& kernel,
                                                          const kernel_source& source,
                                                          const program_variant& variant);
  [[nodiscard]] failure not_made(const std::string& kernel, cl_int code) const;
  [[nodiscard]] failure check_limits(const kernel_definition& kernel, const kernel_source& source,
                                     const program_variant& variant) const;
  [[nodiscard]] failure grow_scratch(std::size_t words);
  [[nodiscard]] cl_int set_arguments(pass_object& object, const found_buffers& buffers,
                                     bool has_scratch, const lowered_pass& pass);

  std::shared_ptr<context> context_;
  cl_device_id id_;
  std::string device_;
  bool host_memory_;

  launch_planner<compiled, std::vector<found_buffers>> planner_;  // with those of each part
  handle<cl_mem> scratch_;
  std::size_t scratch_words_ = 0;
};

}  // namespace hocket::opencl

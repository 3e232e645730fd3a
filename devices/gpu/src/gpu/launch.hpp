// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <hocket/devices/launch_planner.hpp>

#include "gpu/context.hpp"

namespace hocket::gpu {

/// The largest groups of a device.
struct launch_limits {
  grid max_local{1, 1, 1};
  std::size_t max_items = 1;
};

/// Launches kernels into one stream. Not for two threads at a time.
class launcher {
 public:
  launcher(std::shared_ptr<context> in, const launch_limits& limits, std::string device);
  ~launcher() = default;
  launcher(const launcher&) = delete;
  launcher& operator=(const launcher&) = delete;

  /// As those of a launch_planner. The scratch memory of a launch is one of the things that it may
  /// lack.
  [[nodiscard]] bool prepared(const command& what);
  [[nodiscard]] failure prepare();

  /// Gives back what it has of the driver, if that is still there. Nothing uses it any more; the
  /// context is current.
  void close();

  /// Hands the launches over that what prepared() was asked about last stands for. The context is
  /// current.
  [[nodiscard]] failure enqueue(stream_handle stream);

 private:
  /// The functions of one kernel for one variant, one for each pass; or what the library of
  /// products computes in their place.
  struct compiled {
    std::vector<function_handle> passes;
    std::optional<matrix_product> product;
  };

  /// A sequence that is launched again with the same arguments is one graph from then on.
  struct kept_graph {
    bool launched = false;
    std::shared_ptr<handle<runnable_handle>> graph;
    bool refused = false;  ///< by the driver
  };

  [[nodiscard]] result<std::shared_ptr<compiled>> compile(const kernel_definition& kernel,
                                                          const kernel_source& source,
                                                          const program_variant& variant);
  [[nodiscard]] failure start_products();
  [[nodiscard]] failure check_limits(const kernel_definition& kernel, const kernel_source& source,
                                     const program_variant& variant) const;
  [[nodiscard]] failure grow_scratch(std::size_t words);
  [[nodiscard]] failure check_grid(const launch_part<compiled>& what, const grid& groups) const;
  [[nodiscard]] failure enqueue(const launch_part<compiled>& what, stream_handle stream);
  [[nodiscard]] failure enqueue_native(const launch_part<compiled>& what,
                                       stream_handle stream) const;
  [[nodiscard]] failure enqueue_all(stream_handle stream);
  [[nodiscard]] bool may_be_graph() const;
  [[nodiscard]] std::shared_ptr<handle<runnable_handle>> graph_of_all(stream_handle stream);

  std::shared_ptr<context> in_;
  launch_limits limits_;
  std::string device_;
  std::unique_ptr<product_stream> products_;
  bool has_no_products_ = false;
  launch_planner<compiled, kept_graph> planner_;

  // Of scratch memory. The blocks that were too small stay: commands may still use them.
  std::vector<device_address> scratch_;
  std::size_t scratch_words_ = 0;  // of the last one
};

}  // namespace hocket::gpu

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <hocket/devices/cost_store.hpp>
#include <hocket/execution/executor.hpp>

#include "placement/kept_costs.hpp"
#include "runtime/device_set.hpp"

namespace hocket::detail {

/// Takes costs from process to process by a file. The file is read when the placement engine asks
/// for the first kernel or copy: where no task is placed it is not opened.
class cost_keeper final : public placement::kept_costs {
 public:
  /// Null if nothing is to be kept. asked: runtime_options::costs.
  [[nodiscard]] static std::unique_ptr<cost_keeper> make(const std::string& asked,
                                                         const device_set& machine,
                                                         const executor& where);
  cost_keeper(const std::string& folder, const device_set& machine, const executor& where);

  [[nodiscard]] std::vector<placement::kept_launch> of_kernel(const kernel_definition& kernel,
                                                              device_id device) override;
  [[nodiscard]] std::vector<placement::kept_copy> of_copies() override;

  /// Adds to the file what was measured. By one thread, after the last question.
  void keep(const placement::measured_costs& measured) const;

 private:
  /// The content of the file.
  [[nodiscard]] const cost_table& kept();
  /// The memory of this identity; not valid if there is none.
  [[nodiscard]] memory_id find_memory(const std::string& identity) const;

  cost_store store_;
  std::vector<std::string> devices_;   ///< their identities; empty for simulated ones
  std::vector<std::string> memories_;  ///< likewise, by the devices that they belong to
  std::optional<cost_table> kept_;
  std::map<std::string, std::string> kernels_;  ///< the identities of those that were asked for
};

}  // namespace hocket::detail

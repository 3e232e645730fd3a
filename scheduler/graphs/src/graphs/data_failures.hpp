// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include <hocket/core/error.hpp>

#include "graphs/data_plan.hpp"
#include "graphs/function_caller.hpp"

namespace hocket::detail {

/// How tasks of one run of a data_plan failed, so that those which use what a failed one was to
/// write can say why they fail too.
class data_failures final : public failure_listener {
 public:
  /// The plan lives until release().
  data_failures(host_context& context, const data_plan& plan) : context_(context), plan_(plan) {}

  // failure_listener
  void failed(std::uint32_t node, const failure& why) noexcept override;
  [[nodiscard]] failure not_called(std::uint32_t node, bool is_cancelled) noexcept override;
  /// False where one only comes after the other, and uses nothing that it writes.
  [[nodiscard]] bool fails_with(std::uint32_t node, std::uint32_t before) const override;

  /// The run is over: forgets them.
  void release() noexcept;

 private:
  [[nodiscard]] failure cancellation_of(std::uint32_t node) const;
  [[nodiscard]] failure failure_before(std::uint32_t node);

  host_context& context_;  ///< of the run
  const data_plan& plan_;
  std::mutex guard_;  // for what follows
  std::unordered_map<std::uint32_t, failure> known_;
};

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "data/boundary_node.hpp"
#include "data/in_place_runtime.hpp"
#include "graphs/data_failures.hpp"
#include "graphs/data_plan.hpp"
#include "graphs/host_run.hpp"
#include "graphs/run_frame.hpp"

namespace hocket::detail {

/// One run of a data_plan. Its boundary tasks take their places in the histories of buffers when it
/// begins, all at one moment, as if each task were submitted then; each leaves when it is over. So
/// runs overlap where their data allow it. Tasks that follow a failed one within the run fail by
/// the content of the buffers, as others do.
class data_run final : public host_run, private boundary_owner {
 public:
  [[nodiscard]] static task_state_ptr start(const run_frame& frame, std::shared_ptr<data_plan> plan,
                                            host_options how);

  data_run(const run_frame& frame, std::shared_ptr<data_plan> plan, host_options&& how);

  /// If it waits for tasks outside of it, it ends at once, and leaves its places in the histories
  /// when those have ended.
  void request_cancel() noexcept override;
  void tell_awaited(wait_visitor& to) override;
  bool help(helping& by) noexcept override;
  [[nodiscard]] task_state* task_at(std::uint32_t node) override;

  // For its tasks.
  [[nodiscard]] in_place_runtime& data() const noexcept { return data_; }
  [[nodiscard]] std::byte* value(std::uint32_t index) noexcept { return values_[index].data(); }
  /// What the parameter is set to for this run; null if it is not.
  [[nodiscard]] const void* set_value(const parameter_ref& which) const;
  [[nodiscard]] boundary_node& boundary(std::uint32_t index) const noexcept {
    return *set_->nodes[index];
  }

 private:
  class stand_in;

  [[nodiscard]] data_plan& plan() const noexcept {
    return static_cast<data_plan&>(host_run::plan());
  }
  void begin();
  void take_nodes();
  void enter();
  void give_up_entering() noexcept;
  void conclude() noexcept override;
  void left_alone() noexcept override { end_early(); }
  void release() noexcept override;
  void end_early() noexcept;

  // boundary_owner
  void opened(std::uint32_t node) noexcept override;
  void tell_awaited_of(std::uint32_t node, wait_visitor& to) override;
  void each_follower_of(std::uint32_t node, const std::function<void(task_state&)>& visit) override;
  void tell_of(std::uint32_t node, wait_visitor& to);
  [[nodiscard]] boundary_node_ptr waiting(std::size_t index);

  run_frame frame_;
  in_place_runtime& data_;
  std::unique_ptr<boundary_set> set_;   ///< null once it is released, which rare_ guards
  std::uint64_t number_ = 0;            ///< of the run, in the link of the set
  std::vector<std::uint32_t> waiting_;  ///< boundaries that had to wait when the run began
  std::vector<std::uint32_t> starts_;   ///< tasks that did not, and those that follow nothing
  std::vector<std::array<std::byte, 8>> values_;
  std::atomic<bool> is_announced_{false};  ///< how it ended
  data_failures failures_;

  std::mutex rare_;  // for what follows
  std::unordered_map<std::uint32_t, boost::intrusive_ptr<stand_in>> stand_ins_;
};

}  // namespace hocket::detail

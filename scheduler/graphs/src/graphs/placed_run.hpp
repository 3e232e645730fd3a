// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "graphs/placed_plan.hpp"
#include "graphs/run_frame.hpp"
#include "tasks/running_body.hpp"

namespace hocket::detail {

/// One run of a placed_plan. It ends when every task has ended, and fails as the first one, in the
/// order of the recording, that failed.
class placed_run final : public task_state, private placement::submitted_run {
 public:
  [[nodiscard]] static task_state_ptr start(const run_frame& frame,
                                            std::shared_ptr<placed_plan> plan, task_label label);

  placed_run(const run_frame& frame, std::shared_ptr<placed_plan> plan, task_label label);
  ~placed_run() override;

  void request_cancel() noexcept override;
  void tell_awaited(wait_visitor& to) override;

  friend void intrusive_ptr_add_ref(placed_run* r) noexcept { r->add_reference(); }
  friend void intrusive_ptr_release(placed_run* r) noexcept { r->release_reference(); }

 private:
  friend class planned_launch;  // which says what it is a part of

  struct stop_watch {
    placed_run* run;
    void operator()() const { run->cancel(run->context()->stop().refusal_of(*run)); }
  };

  void begin() noexcept;
  void cancel(failure why);

  // submitted_run
  void add_reference() noexcept override;
  void release_reference() noexcept override;
  void ended(const failure& why, bool runs_on) override;
  void bodies_ended() override;
  void retired() override;

  placed_runtime& home_;
  std::shared_ptr<placed_plan> plan_;  ///< keeps the buffers
  std::unique_ptr<run_set> set_;       ///< null once it has retired, which guard_ guards
  std::optional<std::stop_callback<stop_watch>> watch_;
  boost::intrusive_ptr<running_body> running_;
  std::mutex guard_;
};

}  // namespace hocket::detail

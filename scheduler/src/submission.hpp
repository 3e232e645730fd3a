// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include <boost/intrusive_ptr.hpp>

#include <hocket/scheduler/detail/description.hpp>
#include <hocket/scheduler/detail/host_task.hpp>

#include "heart/request.hpp"

namespace hocket::detail {

class launch_pool;
class runtime_core;

/// A task on its way through the heart: what the heart reads of it, and what the runtime needs when
/// the heart has decided.
class submission : public heart::request {
 public:
  explicit submission(runtime_core& home);
  submission(const submission&) = delete;
  submission& operator=(const submission&) = delete;
  ~submission() override;
  void unused() noexcept override;

  /// The launch, or the view, was completed. By the owner of the outbox.
  virtual void completed(const failure& why) = 0;

  /// The content of a view or fetch is at these addresses. By the owner of the outbox.
  virtual void delivered(const std::vector<void*>& addresses) { (void)addresses; }

  std::vector<buffer_ref> keeps;  ///< pending work keeps its data alive

 protected:
  runtime_core& home_;
};

/// How a task of that label ends that somebody wished not to run.
[[nodiscard]] failure cancelled(std::string_view label);

/// One launch of a kernel. It goes back where it came from when nobody refers to it any more.
class launch_submission final : public submission {
 public:
  launch_submission(runtime_core& home, launch_pool& from);
  ~launch_submission() override;
  void completed(const failure& why) override;
  void unused() noexcept override;

  /// Reports the end of every future in waits to the heart; numbers are filled in before.
  void watch();
  void watch_stop(const std::stop_token& stop);
  /// The task belongs to the scope.
  void watch_scope(const host_context& scope);

  boost::intrusive_ptr<device_task> state;
  bool has_result = false;  ///< then success is told by the fetch

  struct awaited {
    completion_ptr source;
    std::optional<std::size_t> scalar;  ///< the number that the future is
    number_argument number;
  };
  std::vector<awaited> waits;

  /// The first of waits to fail, which the failure of this launch names; the launch may have ended
  /// before, and of other failures the heart is not told.
  std::atomic<completion*> fallen{nullptr};

 private:
  friend class launch_pool;
  class stop_relay;
  void renew() noexcept;

  launch_pool& from_;
  std::unique_ptr<stop_relay> stop_;
  std::unique_ptr<stop_relay> scope_stop_;
};

/// Launches that nobody refers to, for new ones: they keep the memory of their lists. Any thread.
class launch_pool {
 public:
  launch_pool() = default;
  launch_pool(const launch_pool&) = delete;
  launch_pool& operator=(const launch_pool&) = delete;
  ~launch_pool();

  [[nodiscard]] boost::intrusive_ptr<launch_submission> take(runtime_core& home);
  void give_back(std::unique_ptr<launch_submission> spare) noexcept;

 private:
  std::mutex guard_;
  std::vector<std::unique_ptr<launch_submission>> spare_;
};

/// Brings the value of a kernel to its future.
class fetch_submission final : public submission {
 public:
  using submission::submission;
  void completed(const failure& why) override;
  void delivered(const std::vector<void*>& addresses) override;

  boost::intrusive_ptr<device_task> state;
};

}  // namespace hocket::detail

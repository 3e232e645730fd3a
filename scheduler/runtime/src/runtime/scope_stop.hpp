// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/scheduler/detail/context_stop.hpp>
#include <hocket/scheduler/task_scope.hpp>

namespace hocket::detail {

class host_context;
class timer;

/// Whether a scope is stopped, and why: by its user, its deadline, a failure, or with what is
/// around it.
class scope_stop final : public context_stop {
 public:
  enum class reason : std::uint8_t { none, cancelled, failed, late, outer };

  /// Of that scope, in the other context. The scope has this.
  scope_stop(host_context& scope, host_context& around);
  ~scope_stop();

  /// To be called once, before there are tasks: what stops them.
  void open(const scope_options& options);
  /// The scope is left: neither its user nor the clock stops it any more.
  void close() noexcept;

  void request(reason why) noexcept;
  /// True if its tasks end by the clock, or because they were cancelled, whatever they wait for.
  [[nodiscard]] bool is_due() const noexcept { return has_deadline_ || is_requested(); }

  [[nodiscard]] failure refusal_of(const task_state& task) const override;
  [[nodiscard]] bool is_late() const noexcept override;

 private:
  class own_timer;
  class teller;

  /// Stops the scope, where something else is stopped.
  struct stop_call {
    void operator()() const noexcept { stop->request(why); }
    scope_stop* stop;
    reason why;
  };

  [[nodiscard]] bool was_requested() const noexcept override;
  [[nodiscard]] const std::stop_token& make_token() override;

  host_context& scope_;
  context_stop& around_;
  mutable std::atomic<reason> why_{reason::none};
  bool has_deadline_ = false;  ///< set before there are tasks
  boost::intrusive_ptr<own_timer> timer_;
  // Last: these call this.
  std::atomic<teller*> teller_{nullptr};  ///< owned; most scopes need none
  std::optional<std::stop_callback<stop_call>> by_user_;
};

}  // namespace hocket::detail

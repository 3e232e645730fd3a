// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>

#include <hocket/core/error.hpp>

namespace hocket::detail {

class task_state;

/// Whether a runtime stops, or a scope or one around it: tasks that have not started are cancelled
/// then. Each task asks, so it is a comparison of two counts until something in the runtime stops.
class context_stop {
 public:
  context_stop(const context_stop&) = delete;
  context_stop& operator=(const context_stop&) = delete;

  /// Only while the runtime lives.
  [[nodiscard]] bool is_requested() const noexcept {
    // Sequentially consistent: pairs with count().
    const std::uint64_t stops = stops_;
    // Relaxed: a hint, that no earlier stop was one of this.
    return stops != others_.load(std::memory_order_relaxed) && look(stops);
  }

  /// Stop is requested of it when is_requested() becomes true, and of a scope's also when it is
  /// stopped afterwards. That of a scope is made when it is first asked for: throws std::bad_alloc.
  [[nodiscard]] const std::stop_token& token() {
    // Acquire: pairs with the release in set_token().
    const std::stop_token* const made = token_.load(std::memory_order_acquire);
    return made != nullptr ? *made : make_token();
  }

  /// When is_requested(): how a task fails that did not start because of it.
  [[nodiscard]] virtual failure refusal_of(const task_state& task) const = 0;

  /// True if it is requested because time is up.
  [[nodiscard]] virtual bool is_late() const noexcept { return false; }

 protected:
  /// The stops of the runtime and of all scopes in it.
  explicit context_stop(std::atomic<std::uint64_t>& stops) noexcept : stops_(stops) {}
  ~context_stop() = default;

  /// This was stopped: is_requested() of each in the runtime has to look anew.
  void count() noexcept { stops_.fetch_add(1); }
  void set_token(const std::stop_token& token) noexcept {
    // Release: pairs with the acquire in token().
    token_.store(&token, std::memory_order_release);
  }

  /// is_requested(), by a look at this and at what is around it.
  [[nodiscard]] virtual bool was_requested() const noexcept = 0;
  /// Makes the token, and calls set_token().
  [[nodiscard]] virtual const std::stop_token& make_token() = 0;

 private:
  [[nodiscard]] bool look(std::uint64_t stops) const noexcept;

  std::atomic<std::uint64_t>& stops_;
  mutable std::atomic<std::uint64_t> others_{0};  ///< so many were not of this, nor around it
  std::atomic<const std::stop_token*> token_{nullptr};
};

/// That of a runtime, with the count for the scopes in it.
class runtime_stop final : public context_stop {
 public:
  runtime_stop();

  void request() noexcept {
    source_.request_stop();
    count();
  }
  [[nodiscard]] std::atomic<std::uint64_t>& stops() noexcept { return all_stops_; }

  [[nodiscard]] failure refusal_of(const task_state& task) const override;

 private:
  [[nodiscard]] bool was_requested() const noexcept override { return source_.stop_requested(); }
  [[nodiscard]] const std::stop_token& make_token() override { return own_token_; }

  std::atomic<std::uint64_t> all_stops_{0};
  std::stop_source source_;
  std::stop_token own_token_ = source_.get_token();
};

}  // namespace hocket::detail

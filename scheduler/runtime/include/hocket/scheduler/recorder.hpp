// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <memory>

#include <hocket/scheduler/graph.hpp>
#include <hocket/scheduler/submitter.hpp>

namespace hocket {

/// Keeps what is submitted to it. The futures it returns stand for tasks of later runs: they can be
/// given to other tasks of the same recording, and waiting for one throws usage_error. Functions
/// that are recorded are called once for each run, and must allow that. One thread at a time.
///
/// ```cpp
/// runtime rt;
/// const buffer<float> x{rt, 100, 0.0f};
/// const graph twice = rt.record([&](submitter& s) {
///   const future<void> first = s.submit(ops::fill, 1.0f, writes(x));
///   s.async({.after = {first}}, [] {});  // waiting for it here would throw
/// });
/// rt.run(twice).get();
/// ```
class recorder final : public submitter {
 public:
  explicit recorder(runtime& home, const record_options& options = {});
  ~recorder() override;

  [[nodiscard]] graph finish() &&;
  [[nodiscard]] runtime& home() noexcept override { return home_; }

 private:
  [[nodiscard]] host_target for_functions() noexcept override;
  [[nodiscard]] detail::task_state_ptr enqueue(detail::task_description&& task) override;
  [[nodiscard]] detail::task_state_ptr enqueue(detail::graph_use&& use) override;

  runtime& home_;
  record_options options_;
  std::shared_ptr<detail::graph_content> content_;
};

namespace detail {

template <class F>
requires std::invocable<F&, submitter&> graph recorded(runtime& home, F& body) {
  recorder kept(home);
  body(static_cast<submitter&>(kept));
  return std::move(kept).finish();
}

}  // namespace detail
}  // namespace hocket

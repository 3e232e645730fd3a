// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/runtime.hpp>

#include "data/in_place_runtime.hpp"
#include "graphs/graph_content.hpp"
#include "runtime/device_control.hpp"
#include "runtime/run_report.hpp"
#include "runtime/run_trace.hpp"
#include "runtime/runtime_core.hpp"

namespace hocket {

runtime::runtime(const runtime_options& options)
    : core_(std::make_shared<detail::runtime_core>(options)) {
  runs_functions_ = core_.get();
}

// Tasks that have not ended use this object until the end.
runtime::~runtime() { detail::runtime_core::end(core_); }

std::shared_ptr<detail::data_runtime> runtime::owner_of_data() const noexcept { return core_; }

void runtime::wait() { core_->wait_all(); }

void runtime::wait(const std::function<void()>& look) { core_->wait_all(look); }

void runtime::stop() { core_->stop(); }

std::vector<device_info> runtime::devices() { return core_->connection().machine().infos(); }

device_handle runtime::device(std::string_view name) { return core_->connection().device(name); }

time_stamp runtime::now() const { return core_->where().now(); }

submitter::host_target runtime::for_functions() noexcept { return {core_.get(), nullptr}; }

detail::task_state_ptr runtime::enqueue(detail::task_description&& task) {
  return core_->launch(std::move(task));
}

detail::launch_lane* runtime::find_in_place_lane() {
  detail::launch_lane* const found = &core_->lane();
  // Pairs with the acquire in in_place().
  lane_.store(found, std::memory_order_release);
  return found;
}

detail::task_state_ptr runtime::enqueue(detail::graph_use&& use) {
  return detail::start(std::move(use), {*core_});
}

future<void> runtime::drain(const device_handle& device) { return detail::drain(*core_, device); }

void runtime::resume(const device_handle& device) { detail::resume(*core_, device); }

void runtime::remove(const device_handle& device) { detail::remove(*core_, device); }

void runtime::reopen(const device_handle& device) { detail::reopen(*core_, device); }

runtime_report runtime::report(report_detail how_much) {
  runtime_report made = detail::report_of(core_->connection(), core_->events(), how_much);
  made.now = now();
  return made;
}

pending_report runtime::pending() { return core_->pending(); }

trace_snapshot runtime::trace() { return detail::trace_of(*core_); }

budget::budget(runtime& home, std::uint64_t bytes)
    : id_{home.core()->next_number()}, bytes_(bytes), runtime_(home.core()->number()) {}

budget_share budget::share(std::uint64_t bytes) const {
  if (!id_.valid()) {
    throw usage_error("A budget is used while it is empty: it was made without a runtime.");
  }
  if (bytes > bytes_) {
    throw usage_error("A task is to take " + std::to_string(bytes) + " bytes of a budget of " +
                      std::to_string(bytes_) + ".");
  }
  return {id_, bytes, runtime_, bytes_};
}

}  // namespace hocket

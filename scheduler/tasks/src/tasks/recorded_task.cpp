// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/task_handle.hpp>
#include <hocket/scheduler/detail/task_memory.hpp>

namespace hocket::detail {

namespace {

/// Stands for the tasks that one recorded task becomes, one for each run.
class recorded_task final : public task_state {
 public:
  recorded_task(const task_label& label, const place_in_recording& place)
      : task_state(nullptr, label), place_(place) {}

  [[nodiscard]] std::string_view not_waitable() const noexcept override {
    return "is part of a recording and runs only when the graph does; it cannot be waited for or "
           "continued from before.";
  }
  [[nodiscard]] place_in_recording recorded() const noexcept override { return place_; }

 private:
  place_in_recording place_;
};

}  // namespace

task_state_ptr state_of(const place_in_recording& place, const task_label& label) {
  return make_task<recorded_task>(0, label, place);
}

void refuse_use(const task_handle& what) {
  const task_state_ptr state = what.state();
  if (state == nullptr) throw usage_error("A future without a task is used.");
  throw usage_error(state->name() + " " + std::string(state->not_waitable()));
}

}  // namespace hocket::detail

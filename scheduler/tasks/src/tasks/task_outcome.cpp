// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/task_outcome.hpp>

#include <string>

#include <hocket/scheduler/detail/task_state.hpp>

#include "tasks/caught.hpp"

namespace hocket::detail {

namespace {

/// What happened to a task, as the end of a sentence.
std::string what_happened(const task_state& task) {
  const std::string name = task.name();
  const std::string message = task.error().message();
  if (message.starts_with(name)) return in_a_sentence(message);
  return in_a_sentence(name) + " failed: " + message;
}

/// Longer chains are told by their ends, so that the millionth message is no longer than the tenth.
constexpr std::uint32_t longest_told_chain = 8;

}  // namespace

task_state& task_outcome::root_of(task_state& failed) noexcept {
  const task_state_ptr& root = failed.outcome().root_;
  return root ? *root : failed;
}

void task_outcome::look() noexcept {
  looked_ = true;
  why_.mark_seen();
  if (root_) root_->outcome().looked_ = true;
}

void task_outcome::follow(task_state& predecessor) noexcept {
  root_ = &root_of(predecessor);
  distance_ = predecessor.outcome().distance_ + 1;
}

bool task_outcome::comes_from_seen() const noexcept {
  return root_ ? root_->outcome().is_seen() : is_seen();
}

failure task_outcome::because_of(task_state& predecessor, const task_state& task) {
  return explained([&]() -> failure {
    std::string reason = what_happened(predecessor);
    const std::uint32_t distance = predecessor.outcome().distance_;
    if (distance >= longest_told_chain) {
      reason = in_a_sentence(predecessor.name()) + " did not run, because " +
               std::to_string(distance - 1) + " tasks before it did not run, because " +
               what_happened(root_of(predecessor));
    }
    return {failure_code::dependency_failed, task.name() + " did not run, because " + reason};
  });
}

failure task_outcome::repeat(task_state& other) {
  root_ = &root_of(other);
  distance_ = other.outcome().distance_;
  return other.error();
}

}  // namespace hocket::detail

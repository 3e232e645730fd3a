// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/completion.hpp>

#include <cctype>
#include <memory>
#include <utility>

#include <hocket/scheduler/detail/host_context.hpp>
#include <hocket/scheduler/detail/host_task.hpp>

namespace hocket::detail {

namespace {

/// Opens the gate that a thread waits at.
class gate_opener final : public continuation {
 public:
  explicit gate_opener(std::shared_ptr<executor::gate> gate) : gate_(std::move(gate)) {}
  void run(completion&, follow_ups&) noexcept override {
    gate_->open();
    delete this;
  }

 private:
  std::shared_ptr<executor::gate> gate_;
};

std::string in_a_sentence(std::string text) {
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

/// What happened to a task, as the end of a sentence.
std::string what_happened(const completion& task) {
  const std::string name = task.name();
  const std::string message = task.why().message();
  if (message.starts_with(name)) return in_a_sentence(message);
  return in_a_sentence(name) + " failed: " + message;
}

/// Longer chains are told by their ends, so that the millionth message is no longer than the tenth.
constexpr std::uint32_t longest_told_chain = 8;

}  // namespace

std::string completion::name() const {
  if (label_.empty()) return "A task without a label";
  return "Task \"" + std::string(label_.text()) + "\"";
}

void completion::finish(failure why) noexcept {
  follow_ups next;
  finish(std::move(why), next);
}

void completion::finish(failure why, follow_ups& next) noexcept {
  why_ = std::move(why);
  // The context goes away when it has heard of the last end, not before.
  host_context* const context = context_;
  continuation* node = continuations_.close();
  while (node != nullptr) {
    continuation* const newer = node->link;
    node->run(*this, next);
    node = newer;
  }
  if (context != nullptr) context->ended(*this);
}

bool completion::help(helping&) noexcept { return false; }

void completion::check_waitable() const {
  if (const std::string_view reason = not_waitable(); !reason.empty()) {
    throw usage_error(std::string(reason));
  }
}

void completion::wait() {
  if (!done()) {
    check_waitable();
    bool helped = true;
    while (helped && !done()) {
      helping by;
      helped = help(by);
    }
    if (!done()) (void)park(time_stamp::max());
  }
  look();
}

bool completion::wait_for(nanoseconds duration) {
  if (!done()) {
    check_waitable();
    if (duration <= nanoseconds::zero() || context_ == nullptr) return false;
    const time_stamp now = context_->where().now();
    const bool forever = duration >= time_stamp::max() - now;
    if (!park(forever ? time_stamp::max() : now + duration)) return false;
  }
  look();
  return true;
}

bool completion::park(time_stamp until) {
  if (context_ == nullptr) {
    throw usage_error(name() + " is waited for, but no runtime will ever run it.");
  }
  context_->check_wait(*this);
  const auto arm = [this](std::shared_ptr<executor::gate> gate) {
    auto opener = std::make_unique<gate_opener>(gate);
    if (attach(*opener)) {
      (void)opener.release();
    } else {
      gate->open();
    }
  };
  return context_->where().wait(arm, until);
}

void completion::look() noexcept {
  looked_ = true;
  if (root_) root_->looked_ = true;
}

failure completion::downfall(completion& predecessor) {
  root_ = &predecessor.root();
  distance_ = predecessor.distance_ + 1;
  std::string reason = what_happened(predecessor);
  if (predecessor.distance_ >= longest_told_chain) {
    reason = in_a_sentence(predecessor.name()) + " did not run, because " +
             std::to_string(predecessor.distance_ - 1) + " tasks before it did not run, because " +
             what_happened(*root_);
  }
  return {failure_code::dependency_failed, name() + " did not run, because " + reason};
}

failure completion::same_failure(completion& other) {
  root_ = &other.root();
  distance_ = other.distance_;
  return other.why();
}

}  // namespace hocket::detail

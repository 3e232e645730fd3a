// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/core/error.hpp>

#include <atomic>
#include <exception>
#include <vector>

namespace hocket {

struct failure::content {
  failure_code code;
  std::string message;
  std::exception_ptr thrown;
  std::vector<std::string> context;
  std::vector<std::string> passed;  // labels of tasks that did not run, nearest to the cause first
  std::size_t unnamed = 0;          // how many more there are beyond those
  // Shared by all failures that come from one.
  struct origin {
    explicit origin(failure_code of) : code(of) {}
    const failure_code code;
    std::atomic<bool> seen{false};
    std::atomic<bool> told{false};
  };
  std::shared_ptr<origin> from = std::make_shared<origin>(code);
};

namespace {

// A chain may have a million tasks; nobody reads more than a few of them.
constexpr std::size_t longest_chain = 6;

}  // namespace

std::string_view to_string(failure_code code) noexcept {
  switch (code) {
    case failure_code::task_failed:
      return "task failed";
    case failure_code::dependency_failed:
      return "dependency failed";
    case failure_code::cancelled:
      return "cancelled";
    case failure_code::timed_out:
      return "timed out";
    case failure_code::device_lost:
      return "device lost";
    case failure_code::data_lost:
      return "data lost";
    case failure_code::data_corrupted:
      return "data corrupted";
    case failure_code::out_of_memory:
      return "out of memory";
    case failure_code::compile_failed:
      return "compile failed";
    case failure_code::no_device:
      return "no device";
    case failure_code::overloaded:
      return "too many tasks are pending";
    case failure_code::io:
      return "input or output failed";
    case failure_code::internal:
      return "internal error";
  }
  return "unknown";
}

failure::failure(failure_code code, std::string message)
    : failure(code, std::move(message), nullptr) {}

failure::failure(failure_code code, std::string message, std::exception_ptr thrown)
    : content_(
          std::make_shared<content>(content{code, std::move(message), std::move(thrown), {}, {}})) {
}

failure_code failure::code() const noexcept {
  return content_ ? content_->code : failure_code::internal;
}

std::string failure::message() const {
  if (!content_) return "Nothing failed.";
  std::string text;
  for (std::size_t i = content_->passed.size(); i-- > 0;) {
    text += (text.empty() ? "Task \"" : "task \"") + content_->passed[i] + "\" did not run";
    if (i + 1 == content_->passed.size() && content_->unnamed > 0) {
      text += ", because " + std::to_string(content_->unnamed) +
              (content_->unnamed == 1 ? " task" : " tasks") + " before it did not run";
    }
    text += i > 0 ? ", because " : ": ";
  }
  text += content_->message;
  for (const std::string& step : content_->context) text += " While " + step + ".";
  return text;
}

std::exception_ptr failure::thrown() const noexcept {
  return content_ ? content_->thrown : nullptr;
}

failure failure::within(std::string context) const {
  auto wider = std::make_shared<content>(*content_);
  wider->context.push_back(std::move(context));
  failure made;
  made.content_ = std::move(wider);
  return made;
}

failure failure::downstream(const std::string& label) const {
  auto wider = std::make_shared<content>(*content_);
  wider->code = failure_code::dependency_failed;
  wider->thrown = nullptr;
  if (wider->passed.size() == longest_chain) {
    // The newest label takes the place of the one before: both ends of the chain stay named.
    wider->passed.back() = label;
    ++wider->unnamed;
  } else {
    wider->passed.push_back(label);
  }
  failure made;
  made.content_ = std::move(wider);
  return made;
}

void failure::mark_seen() const noexcept {
  if (content_) content_->from->seen = true;
}

bool failure::seen() const noexcept { return content_ && content_->from->seen; }

bool failure::begin_telling() const noexcept {
  return content_ && content_->from->code != failure_code::cancelled &&
         !content_->from->told.exchange(true);
}

void failure::raise() const {
  if (content_ && content_->thrown && content_->context.empty()) {
    std::rethrow_exception(content_->thrown);
  }
  throw error(*this);
}

}  // namespace hocket

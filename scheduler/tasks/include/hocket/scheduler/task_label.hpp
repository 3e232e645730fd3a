// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>

namespace hocket {

/// What a task is called in messages, timelines and reports: text that copies share; one pointer.
///
/// ```cpp
/// runtime rt;
/// const task_label name = "row " + std::to_string(3);
/// rt.async({.label = name}, [] {}).get();
/// ```
class task_label {
 public:
  task_label() = default;

  template <class Text>
  requires(std::constructible_from<std::string, Text> &&
           !std::same_as<std::remove_cvref_t<Text>, task_label> && !std::same_as<Text, std::string>)
      task_label(Text&& text)
      : task_label(std::string(std::forward<Text>(text))) {}  // NOLINT

  task_label(std::string text) : shared_(text.empty() ? nullptr : new shared(std::move(text))) {}

  [[nodiscard]] bool empty() const noexcept { return shared_ == nullptr; }
  [[nodiscard]] std::string_view text() const noexcept {
    return shared_ ? std::string_view(shared_->text) : std::string_view();
  }

 private:
  struct shared {
    explicit shared(std::string t) : text(std::move(t)) {}
    const std::string text;
    std::atomic<std::uint32_t> references{0};

    friend void intrusive_ptr_add_ref(shared* s) noexcept {
      // A new reference comes from an old one, which keeps the text alive: nothing to order.
      s->references.fetch_add(1, std::memory_order_relaxed);
    }
    friend void intrusive_ptr_release(shared* s) noexcept {
      // Release and acquire pair with one another: the deletion comes after all uses.
      if (s->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete s;
    }
  };

  boost::intrusive_ptr<shared> shared_;
};

}  // namespace hocket

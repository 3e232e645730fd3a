// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "item_context.hpp"

namespace hocket {
namespace {

thread_local const item_context* current_context = nullptr;

}  // namespace

[[gnu::noinline]] const item_context* current_item() noexcept { return current_context; }
[[gnu::noinline]] void set_current_item(const item_context* context) noexcept {
  current_context = context;
}

}  // namespace hocket

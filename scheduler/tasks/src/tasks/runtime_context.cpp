// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/runtime_context.hpp>

#include <unistd.h>

#include <hocket/core/error.hpp>

#include "tasks/live_runtimes.hpp"

namespace hocket::detail {

runtime_context::runtime_context() : host_context(in_runtime(), *this, stop_) {
  live_runtimes::add(*this);
}

runtime_context::~runtime_context() { live_runtimes::remove(*this); }

std::size_t runtime_context::next_arena() noexcept {
  return arenas_used_.fetch_add(1) % where().arenas();
}

std::size_t runtime_context::arena_of(const device_handle&, const std::string& name) {
  throw usage_error(name + " is to run on a device, and there is none.");
}

void runtime_context::forked() noexcept {
  // Another thread of the parent may have been in the constructor.
  is_forked_ = where_ != nullptr && where_->is_forked();
  if (is_forked_) limits_ = true;  // submissions call take_place() first
}

void runtime_context::refuse_forked(std::string_view what) {
  throw usage_error(std::string(what) + " is submitted in process " + std::to_string(::getpid()) +
                    " to a runtime of the process that it was forked from: the runtime's threads "
                    "were not forked, so that nothing runs here.");
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "carried_state.hpp"

#include <cxxabi.h>

#include <atomic>
#include <utility>

#include <hocket/execution/item_local.hpp>
#include <hocket/execution/stack_number.hpp>
#include <hocket/execution/wait_listener.hpp>

namespace hocket {
namespace {

thread_local void* local_of_thread = nullptr;
thread_local wait_listener* listener_of_thread = nullptr;
thread_local std::uint64_t number_of_thread = 0;  // few are asked for

/// How the C++ ABI begins what __cxa_get_globals returns, with GNU's library and with LLVM's.
struct exception_globals {
  void* handled;
  unsigned on_the_way;
};

exception_globals& globals_of_thread() noexcept {
  return *reinterpret_cast<exception_globals*>(abi::__cxa_get_globals());
}

}  // namespace

// None of these is inlined: an item may go on with another thread than it was suspended in.
[[gnu::noinline]] void* item_local() noexcept { return local_of_thread; }
[[gnu::noinline]] void set_item_local(void* local) noexcept { local_of_thread = local; }

[[gnu::noinline]] void wait_listener::begin_listening() noexcept {
  told_ = false;
  outer_ = std::exchange(listener_of_thread, this);
}
[[gnu::noinline]] void wait_listener::end_listening() noexcept { listener_of_thread = outer_; }

[[gnu::noinline]] void tell_wait_listeners() noexcept {
  for (wait_listener* each = listener_of_thread; each != nullptr; each = each->outer_) {
    if (!std::exchange(each->told_, true)) each->begins_to_wait();
  }
}

[[gnu::noinline]] std::uint64_t stack_number() noexcept {
  static std::atomic<std::uint64_t> numbers{0};
  // Only a number: relaxed.
  if (number_of_thread == 0) number_of_thread = numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  return number_of_thread;
}

[[gnu::noinline]] carried_state carried_state::take() noexcept {
  exception_globals& globals = globals_of_thread();
  carried_state taken;
  taken.handled_ = std::exchange(globals.handled, nullptr);
  taken.on_the_way_ = std::exchange(globals.on_the_way, 0);
  taken.local_ = std::exchange(local_of_thread, nullptr);
  taken.listener_ = std::exchange(listener_of_thread, nullptr);
  taken.number_ = std::exchange(number_of_thread, 0);
  return taken;
}

[[gnu::noinline]] void carried_state::put_back() const noexcept {
  globals_of_thread() = {handled_, on_the_way_};
  local_of_thread = local_;
  listener_of_thread = listener_;
  number_of_thread = number_;
}

}  // namespace hocket

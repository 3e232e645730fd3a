// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>

#include <hocket/core/sanitizers.hpp>

#ifdef HOCKET_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef HOCKET_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

/// Tells the sanitizers, where there is one, that a thread goes to another stack. A shadow is what
/// they keep about a stack while nobody is on it.
namespace hocket::stack_notes {

#ifdef HOCKET_ADDRESS_SANITIZER

inline void* create() noexcept { return nullptr; }
inline void destroy(void* /*shadow*/) noexcept {}
inline void go(void** own_shadow, void* /*target*/, const void* stack, std::size_t bytes) noexcept {
  __sanitizer_start_switch_fiber(own_shadow, stack, bytes);
}
inline void went(void* own_shadow, const void** from, std::size_t* bytes) noexcept {
  __sanitizer_finish_switch_fiber(own_shadow, from, bytes);
}

#elif defined(HOCKET_THREAD_SANITIZER)

inline void* create() noexcept { return __tsan_create_fiber(0); }
inline void destroy(void* shadow) noexcept { __tsan_destroy_fiber(shadow); }
inline void go(void** own_shadow, void* target, const void* /*stack*/,
               std::size_t /*bytes*/) noexcept {
  if (own_shadow != nullptr) *own_shadow = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(target, 0);
}
inline void went(void* /*own_shadow*/, const void** /*from*/, std::size_t* /*bytes*/) noexcept {}

#else

inline void* create() noexcept { return nullptr; }
inline void destroy(void* /*shadow*/) noexcept {}
inline void go(void** /*own_shadow*/, void* /*target*/, const void* /*stack*/,
               std::size_t /*bytes*/) noexcept {}
inline void went(void* /*own_shadow*/, const void** /*from*/, std::size_t* /*bytes*/) noexcept {}

#endif

}  // namespace hocket::stack_notes

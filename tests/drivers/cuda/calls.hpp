// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <type_traits>

#include "failure.hpp"

namespace standin {

/// Writes a line to standard error if HOCKET_STANDIN_CUDA_SAY is set.
void say(const std::string& text);

/// Counts a call and does what the plan of faults has for it: HOCKET_STANDIN_CUDA_FAULTS holds
/// entries like "cuMemAllocAsync 3 fail 2; cuLaunchKernel 7 lose; cuMemcpyHtoDAsync_v2 1 hang",
/// each of the name of a function, the number of the call, what happens, and a code where the
/// default one is not meant. Throws the `failure` of the call.
void begin_call(const char* name);

/// From here on the plan is this one, and counts begin at zero.
void begin_plan(const char* text);

/// Returns a function once after a call began that shall hang or be held: the stream that the call
/// adds to stays where it is until the function returns true. Null after other calls.
std::function<bool()> take_hold();

/// Streams that calls of the function hold go on.
void release(const std::string& name);

/// How often a function has been called.
std::uint64_t calls_of(const std::string& name);

/// Runs the body of an entry point and returns its code.
template <class Body>
int entry(const char* name, Body body) {
  try {
    begin_call(name);
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return success;
    } else {
      return body();
    }
  } catch (const failure& e) {
    say(std::string(name) + ": " + e.what());
    return e.reason;
  } catch (const std::bad_alloc&) {
    return out_of_memory;
  }
}

/// Throws if a program passes null where a result or an argument belongs.
inline void require(bool holds, const char* text) {
  if (!holds) throw failure(invalid_value, text);
}

}  // namespace standin

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include "exports.hpp"

#define HOCKET_STANDIN_HIP extern "C" __attribute__((visibility("default")))

namespace standin {

/// The context of a device, which a program of HIP never sees; null where the driver has none.
void* context_of_device(int device);

/// Makes the device the current one of this thread, in HIP's sense.
int choose_device(int device);
int chosen_device();

/// Calls a function for the thread's current device, which is the first one until it chooses.
template <class Function, class... Arguments>
int with_device(Function function, Arguments... arguments) {
  if (const int why = choose_device(chosen_device()); why != 0) return why;
  return function(arguments...);
}

}  // namespace standin

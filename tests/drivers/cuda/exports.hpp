// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include "entry_points.hpp"

extern "C" {
#define HOCKET_STANDIN_DECLARE(name, parameters) \
  __attribute__((visibility("default"))) int name parameters;
HOCKET_STANDIN_ENTRIES(HOCKET_STANDIN_DECLARE)
#undef HOCKET_STANDIN_DECLARE

/// For tests: how often a function of the API has been called.
__attribute__((visibility("default"))) std::uint64_t hocket_standin_cuda_calls(const char* name);
/// For tests: how many contexts, streams, events, modules and allocations there are.
__attribute__((visibility("default"))) std::uint64_t hocket_standin_cuda_live();
/// For tests: how many of these contexts had when they ended, of those that had not failed.
__attribute__((visibility("default"))) std::uint64_t hocket_standin_cuda_left();
/// For tests: another plan of faults. Counts of calls begin at zero.
__attribute__((visibility("default"))) void hocket_standin_cuda_begin(const char* plan);
/// For tests: primary contexts end, and devices that were lost are there again. Called while the
/// program uses no device.
__attribute__((visibility("default"))) void hocket_standin_cuda_restart();
/// For tests: streams that calls of the function hold go on.
__attribute__((visibility("default"))) void hocket_standin_cuda_release(const char* name);
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/hip.hpp>

#include "conformance.hpp"

namespace hocket::testing {

INSTANTIATE_TEST_SUITE_P(
    hip, conformance,
    ::testing::Values(on_vendors_driver(make_hip_backend, "HOCKET_BACKEND_HIP"),
                      with_faults(on_vendors_driver(make_hip_backend, "HOCKET_BACKEND_HIP"))),
    target_name);

}  // namespace hocket::testing

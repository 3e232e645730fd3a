// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/cuda.hpp>

#include "conformance.hpp"

namespace hocket::testing {

INSTANTIATE_TEST_SUITE_P(
    cuda, conformance,
    ::testing::Values(on_vendors_driver(make_cuda_backend, "HOCKET_BACKEND_CUDA"),
                      with_faults(on_vendors_driver(make_cuda_backend, "HOCKET_BACKEND_CUDA"))),
    target_name);

}  // namespace hocket::testing

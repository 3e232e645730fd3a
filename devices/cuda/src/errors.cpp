// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "errors.hpp"

#include <array>

namespace hocket::cuda {

namespace {

/// After the codes that mean device_lost every call that uses the context fails. 201: another
/// library has reset the primary context.
constexpr std::array codes{
    driver_code{1, "CUDA_ERROR_INVALID_VALUE", failure_code::task_failed},
    driver_code{2, "CUDA_ERROR_OUT_OF_MEMORY", failure_code::out_of_memory},
    driver_code{3, "CUDA_ERROR_NOT_INITIALIZED", failure_code::task_failed},
    driver_code{4, "CUDA_ERROR_DEINITIALIZED", failure_code::device_lost},
    driver_code{34, "CUDA_ERROR_STUB_LIBRARY", failure_code::task_failed},
    driver_code{46, "CUDA_ERROR_DEVICE_UNAVAILABLE", failure_code::device_lost},
    driver_code{100, "CUDA_ERROR_NO_DEVICE", failure_code::task_failed},
    driver_code{101, "CUDA_ERROR_INVALID_DEVICE", failure_code::task_failed},
    driver_code{200, "CUDA_ERROR_INVALID_IMAGE", failure_code::task_failed},
    driver_code{201, "CUDA_ERROR_INVALID_CONTEXT", failure_code::device_lost},
    driver_code{209, "CUDA_ERROR_NO_BINARY_FOR_GPU", failure_code::task_failed},
    driver_code{214, "CUDA_ERROR_ECC_UNCORRECTABLE", failure_code::device_lost},
    driver_code{217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", failure_code::task_failed},
    driver_code{218, "CUDA_ERROR_INVALID_PTX", failure_code::task_failed},
    driver_code{220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", failure_code::device_lost},
    driver_code{221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", failure_code::task_failed},
    driver_code{222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", failure_code::task_failed},
    driver_code{226, "CUDA_ERROR_CONTAINED", failure_code::device_lost},
    driver_code{304, "CUDA_ERROR_OPERATING_SYSTEM", failure_code::task_failed},
    driver_code{400, "CUDA_ERROR_INVALID_HANDLE", failure_code::task_failed},
    driver_code{500, "CUDA_ERROR_NOT_FOUND", failure_code::task_failed},
    driver_code{600, "CUDA_ERROR_NOT_READY", failure_code::task_failed},
    driver_code{700, "CUDA_ERROR_ILLEGAL_ADDRESS", failure_code::device_lost},
    driver_code{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", failure_code::task_failed},
    driver_code{702, "CUDA_ERROR_LAUNCH_TIMEOUT", failure_code::device_lost},
    driver_code{peer_access_already_enabled, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
                failure_code::task_failed},
    driver_code{709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", failure_code::device_lost},
    driver_code{710, "CUDA_ERROR_ASSERT", failure_code::device_lost},
    driver_code{714, "CUDA_ERROR_HARDWARE_STACK_ERROR", failure_code::device_lost},
    driver_code{715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", failure_code::device_lost},
    driver_code{716, "CUDA_ERROR_MISALIGNED_ADDRESS", failure_code::device_lost},
    driver_code{717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", failure_code::device_lost},
    driver_code{718, "CUDA_ERROR_INVALID_PC", failure_code::device_lost},
    driver_code{719, "CUDA_ERROR_LAUNCH_FAILED", failure_code::device_lost},
    driver_code{800, "CUDA_ERROR_NOT_PERMITTED", failure_code::task_failed},
    driver_code{801, "CUDA_ERROR_NOT_SUPPORTED", failure_code::task_failed},
    driver_code{802, "CUDA_ERROR_SYSTEM_NOT_READY", failure_code::task_failed},
    driver_code{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", failure_code::task_failed},
    driver_code{810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", failure_code::device_lost},
    driver_code{999, "CUDA_ERROR_UNKNOWN", failure_code::device_lost},
};

}  // namespace

std::string name_of(code of) { return text_of(codes, of); }

failure failure_of(code of, const std::string& device, const std::string& doing) {
  return driver_failure(meaning_of(codes, of, failure_code::task_failed), device, "fails " + doing,
                        name_of(of));
}

failure allocation_failure(code of, const std::string& device, std::size_t bytes,
                           const std::string& purpose) {
  failure why = failure_of(of, device, "to allocate memory");
  if (why.code() == failure_code::device_lost) return why;
  return no_memory(device, bytes, "its driver says " + name_of(of) + ", " + purpose + ".");
}

}  // namespace hocket::cuda

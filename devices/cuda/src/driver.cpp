// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "driver.hpp"

#include <array>

#include <hocket/devices/driver_failure.hpp>
#include <hocket/kernels/native.hpp>

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
    driver_code{704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", failure_code::task_failed},
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

/// One end of a box copy, as the driver wants it. Peers: it names the context.
end_3d end_of(const gpu::box_end& end, bool peers) {
  end_3d made;
  made.host = end.host;
  made.device = end.device;
  if (end.context != nullptr) made.kind = memory_kind::device;
  if (peers) made.context = end.context;
  made.pitch = end.pitch;
  made.height = end.height;
  return made;
}

}  // namespace

void driver_api::with_place(context_handle in, device_number device, stream_handle stream,
                            const std::function<void(const void* place)>& call) const {
  const cuda_place place{reinterpret_cast<CUctx_st*>(in), device,
                         reinterpret_cast<CUstream_st*>(stream)};
  call(&place);
}

std::string driver_api::version_text(int version) const {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string driver_api::name_of(code of) const { return text_of(codes, of); }

failure_code driver_api::meaning_of(code of) const noexcept {
  return hocket::meaning_of(codes, of, failure_code::task_failed);
}

code driver_api::retain(context_handle& made, device_number device) const {
  return own.cuDevicePrimaryCtxRetain(&made, device);
}

void driver_api::release(device_number device) const noexcept {
  (void)own.cuDevicePrimaryCtxRelease_v2(device);
}

/// The driver keeps a stack of contexts, which knows the one before.
code driver_api::enter(context_handle context, context_handle& before) const {
  before = nullptr;
  return own.cuCtxPushCurrent_v2(context);
}

code driver_api::device_of(context_handle context, device_number& device) const {
  context_handle before = nullptr;
  const code answer = enter(context, before);
  if (answer != success) return answer;
  const code said = own.cuCtxGetDevice(&device);
  leave(before);
  return said;
}

void driver_api::leave(context_handle) const noexcept {
  context_handle popped = nullptr;
  (void)own.cuCtxPopCurrent_v2(&popped);
}

void driver_api::use_memory_of(context_handle other) const noexcept {
  (void)own.cuCtxEnablePeerAccess(other, 0);
}

/// The linker compiles for the device of the current context. What it says of PTX that it refuses
/// is not asked for: the PTX is loaded then, which says the same.
std::string driver_api::machine_code(const std::string& program) const {
  link_handle link = nullptr;
  if (own.cuLinkCreate_v2(0, nullptr, nullptr, &link) != success) return program;
  void* made = nullptr;
  std::size_t bytes = 0;
  // The linker wants the zero at the end of the text, and does not write to it.
  code answer = own.cuLinkAddData_v2(link, link_input_ptx, const_cast<char*>(program.c_str()),
                                     program.size() + 1, "kernel", 0, nullptr, nullptr);
  if (answer == success) answer = own.cuLinkComplete(link, &made, &bytes);
  // The machine code is the linker's.
  std::string copied =
      answer == success ? std::string(static_cast<const char*>(made), bytes) : program;
  (void)own.cuLinkDestroy(link);
  return copied;
}

code driver_api::load(module_handle& made, const std::string& binary, std::string& log) const {
  std::array<char, 8192> said{};
  std::array<int, 2> options{load_error_log, load_error_log_bytes};
  std::array<void*, 2> values{said.data(), reinterpret_cast<void*>(said.size() - 1)};
  const code answer =
      own.cuModuleLoadDataEx(&made, binary.c_str(), options.size(), options.data(), values.data());
  log = said.data();
  return answer;
}

code driver_api::copy_between(device_address to, context_handle to_context, device_address from,
                              context_handle from_context, std::size_t bytes,
                              stream_handle stream) const {
  return own.cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, stream);
}

code driver_api::copy_box(const gpu::box_copy& what, stream_handle stream) const {
  const auto& [from, to, width, height, depth] = what;
  const bool peers = from.context != nullptr && to.context != nullptr && from.context != to.context;
  const copy_3d made{end_of(from, peers), end_of(to, peers), width, height, depth};
  return peers ? own.cuMemcpy3DPeerAsync(&made, stream) : own.cuMemcpy3DAsync_v2(&made, stream);
}

bool driver_api::is_pinned(const void* host) const {
  memory_kind kind{};
  return own.cuPointerGetAttribute(&kind, pointer_memory_kind,
                                   reinterpret_cast<device_address>(host)) == success &&
         kind == memory_kind::host;
}

}  // namespace hocket::cuda

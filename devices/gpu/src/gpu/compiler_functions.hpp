// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <type_traits>

namespace hocket::gpu {

using compiler_code = int;  ///< 0: success
using program_handle = struct compiler_program_object*;

/// Every function that both compilers have in the same form: each(member, name in NVRTC, name in
/// hiprtc, type).
#define HOCKET_GPU_COMPILER_FUNCTIONS(each)                                                     \
  each(compile, nvrtcCompileProgram, hiprtcCompileProgram,                                      \
       compiler_code (*)(program_handle, int, const char**));                                   \
  each(create, nvrtcCreateProgram, hiprtcCreateProgram,                                         \
       compiler_code (*)(program_handle*, const char*, const char*, int, const char**,          \
                         const char**));                                                        \
  each(destroy, nvrtcDestroyProgram, hiprtcDestroyProgram, compiler_code (*)(program_handle*)); \
  each(binary, nvrtcGetPTX, hiprtcGetCode, compiler_code (*)(program_handle, char*));           \
  each(binary_bytes, nvrtcGetPTXSize, hiprtcGetCodeSize,                                        \
       compiler_code (*)(program_handle, std::size_t*));                                        \
  each(name_of, nvrtcGetErrorString, hiprtcGetErrorString, const char* (*)(compiler_code));     \
  each(log, nvrtcGetProgramLog, hiprtcGetProgramLog, compiler_code (*)(program_handle, char*)); \
  each(log_bytes, nvrtcGetProgramLogSize, hiprtcGetProgramLogSize,                              \
       compiler_code (*)(program_handle, std::size_t*));                                        \
  each(version, nvrtcVersion, hiprtcVersion, compiler_code (*)(int*, int*))

/// The functions of a compiler.
struct compiler_functions {
#define HOCKET_GPU_DECLARE(member, nvrtc, hiprtc, ...) \
  std::type_identity_t<__VA_ARGS__> member = nullptr
  HOCKET_GPU_COMPILER_FUNCTIONS(HOCKET_GPU_DECLARE);
#undef HOCKET_GPU_DECLARE
};

}  // namespace hocket::gpu

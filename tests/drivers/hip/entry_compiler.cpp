// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The compiler of HIP, which has NVRTC make PTX of the texts: the two languages are one as far as
// kernels of Hocket go.

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "forward.hpp"

namespace {

constexpr int internal_error = 11, invalid_option = 5;

void* open_nvrtc() {
  const char* const given = std::getenv("HOCKET_STANDIN_NVRTC");
  for (const char* const name :
       {given, "libnvrtc.so.13", "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.13",
        "/usr/local/cuda/lib64/libnvrtc.so.12"}) {
    if (name == nullptr) continue;
    if (void* const opened = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return opened;
  }
  return nullptr;
}

/// Calls a function of NVRTC.
template <class... Parameters>
int call(const char* name, Parameters... parameters) {
  static void* const nvrtc = open_nvrtc();
  void* const found = nvrtc == nullptr ? nullptr : dlsym(nvrtc, name);
  if (found == nullptr) return internal_error;
  return reinterpret_cast<int (*)(Parameters...)>(found)(parameters...);
}

/// The option of NVRTC that says the same; empty for one that the stand-in does not know.
std::string option_for(const std::string& given) {
  if (given.starts_with("--offload-arch=gfx")) return "--gpu-architecture=compute_75";
  if (given == "-ffp-contract=off") return "--fmad=false";
  if (given == "-std=c++17") return "--std=c++17";
  return {};
}

}  // namespace

HOCKET_STANDIN_HIP int hiprtcVersion(int* major, int* minor) {
  *major = 6;
  *minor = 0;
  return 0;
}

HOCKET_STANDIN_HIP int hiprtcCreateProgram(void** made, const char* text, const char* name,
                                           int headers, const char** contents, const char** names) {
  return call("nvrtcCreateProgram", made, text, name, headers, contents, names);
}

HOCKET_STANDIN_HIP int hiprtcCompileProgram(void* program, int count, const char** given) {
  std::vector<std::string> texts{"--device-as-default-execution-space"};
  for (int i = 0; i < count; ++i) texts.push_back(option_for(given[i]));
  if (std::ranges::find(texts, std::string()) != texts.end()) return invalid_option;
  std::vector<const char*> options;
  for (const std::string& text : texts) options.push_back(text.c_str());
  return call("nvrtcCompileProgram", program, static_cast<int>(options.size()), options.data());
}

HOCKET_STANDIN_HIP int hiprtcDestroyProgram(void** program) {
  return call("nvrtcDestroyProgram", program);
}
HOCKET_STANDIN_HIP int hiprtcGetCodeSize(void* program, std::size_t* bytes) {
  return call("nvrtcGetPTXSize", program, bytes);
}
HOCKET_STANDIN_HIP int hiprtcGetCode(void* program, char* code) {
  return call("nvrtcGetPTX", program, code);
}
HOCKET_STANDIN_HIP int hiprtcGetProgramLogSize(void* program, std::size_t* bytes) {
  return call("nvrtcGetProgramLogSize", program, bytes);
}
HOCKET_STANDIN_HIP int hiprtcGetProgramLog(void* program, char* log) {
  return call("nvrtcGetProgramLog", program, log);
}
HOCKET_STANDIN_HIP const char* hiprtcGetErrorString(int code) {
  return code == 0 ? "HIPRTC_SUCCESS" : "HIPRTC_ERROR_COMPILATION";
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "cuda.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace hocket::bench::raw {

namespace {

template <class Function>
void find(const char* environment, const std::vector<const char*>& files, const char* name,
          Function& found) {
  found = reinterpret_cast<Function>(function_of_library(environment, files, name));
}

cuda_functions load_driver() {
  cuda_functions made;
#define HOCKET_BENCH_CUDA_FIND(name, ...) \
  find("HOCKET_BENCH_LIBCUDA", {"libcuda.so.1"}, #name, made.name)
#define HOCKET_BENCH_GPU_FIND(member, cuda, hip, ...) HOCKET_BENCH_CUDA_FIND(cuda)
  HOCKET_GPU_FUNCTIONS(HOCKET_BENCH_GPU_FIND);
#undef HOCKET_BENCH_GPU_FIND
  HOCKET_CUDA_FUNCTIONS(HOCKET_BENCH_CUDA_FIND);
  HOCKET_BENCH_CUDA_FUNCTIONS(HOCKET_BENCH_CUDA_FIND);
#undef HOCKET_BENCH_CUDA_FIND
  return made;
}

compiler_functions load_compiler() {
  compiler_functions made;
#define HOCKET_BENCH_NVRTC_FIND(name, ...)                                          \
  find("HOCKET_BENCH_NVRTC",                                                        \
       {"libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13", "libnvrtc.so.12", \
        "/usr/local/cuda/lib64/libnvrtc.so.12"},                                    \
       #name, made.name)
#define HOCKET_BENCH_COMPILER_FIND(member, nvrtc, hiprtc, ...) HOCKET_BENCH_NVRTC_FIND(nvrtc)
  HOCKET_GPU_COMPILER_FUNCTIONS(HOCKET_BENCH_COMPILER_FIND);
#undef HOCKET_BENCH_COMPILER_FIND
#undef HOCKET_BENCH_NVRTC_FIND
  return made;
}

std::string architecture_of(const cuda_functions& driver, cuda::device_number device) {
  int major = 0, minor = 0;
  check_cuda(driver.cuDeviceGetAttribute(
                 &major, static_cast<int>(cuda::attribute::capability_major), device),
             "cuDeviceGetAttribute");
  check_cuda(driver.cuDeviceGetAttribute(
                 &minor, static_cast<int>(cuda::attribute::capability_minor), device),
             "cuDeviceGetAttribute");
  return "--gpu-architecture=compute_" + std::to_string(major) + std::to_string(minor);
}

std::string ptx_of(const char* text, const std::string& architecture) {
  static const compiler_functions nvrtc = load_compiler();
  gpu::program_handle program = nullptr;
  check_cuda(nvrtc.nvrtcCreateProgram(&program, text, "by hand", 0, nullptr, nullptr),
             "nvrtcCreateProgram");
  const char* options[] = {architecture.c_str()};
  check_cuda(nvrtc.nvrtcCompileProgram(program, 1, options), "nvrtcCompileProgram");
  std::size_t bytes = 0;
  check_cuda(nvrtc.nvrtcGetPTXSize(program, &bytes), "nvrtcGetPTXSize");
  std::string made(bytes, '\0');
  check_cuda(nvrtc.nvrtcGetPTX(program, made.data()), "nvrtcGetPTX");
  check_cuda(nvrtc.nvrtcDestroyProgram(&program), "nvrtcDestroyProgram");
  return made;
}

}  // namespace

void check_cuda(int code, const char* function) {
  if (code != 0) {
    throw std::runtime_error(std::string(function) + " fails with " + std::to_string(code) + ".");
  }
}

void* function_of_library(const char* environment, const std::vector<const char*>& files,
                          const char* name) {
  std::vector<const char*> candidates = files;
  if (const char* given = std::getenv(environment)) candidates = {given};
  for (const char* file : candidates) {
    void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    if (void* found = dlsym(library, name)) return found;
    throw std::runtime_error(std::string(file) + " lacks " + name + ".");
  }
  throw std::runtime_error(std::string("There is no ") + candidates.front() + "; " + environment +
                           " may name another file.");
}

cuda_program::cuda_program() : driver_(load_driver()) {
  check_cuda(driver_.cuInit(0), "cuInit");
  check_cuda(driver_.cuDeviceGet(&number_, 0), "cuDeviceGet");
  cuda::context_handle context = nullptr;
  check_cuda(driver_.cuDevicePrimaryCtxRetain(&context, number_), "cuDevicePrimaryCtxRetain");
  check_cuda(driver_.cuCtxPushCurrent_v2(context), "cuCtxPushCurrent");
  stream_ = another_stream();
}

cuda_program::~cuda_program() {
  (void)driver_.cuStreamSynchronize(stream_);
  for (const auto each : graphs_) (void)driver_.cuGraphExecDestroy(each);
  for (const auto each : events_) (void)driver_.cuEventDestroy_v2(each);
  for (const auto each : streams_) (void)driver_.cuStreamDestroy_v2(each);
  for (const auto each : memory_) (void)driver_.cuMemFree_v2(each);
  for (void* each : pinned_) (void)driver_.cuMemFreeHost(each);
  for (const auto each : modules_) (void)driver_.cuModuleUnload(each);
  cuda::context_handle context = nullptr;
  (void)driver_.cuCtxPopCurrent_v2(&context);
  (void)driver_.cuDevicePrimaryCtxRelease_v2(number_);
}

cuda::function_handle cuda_program::build(const char* text, const char* name) {
  const std::string ptx = ptx_of(text, architecture_of(driver_, number_));
  cuda::module_handle made = nullptr;
  check_cuda(driver_.cuModuleLoadDataEx(&made, ptx.c_str(), 0, nullptr, nullptr),
             "cuModuleLoadDataEx");
  modules_.push_back(made);
  cuda::function_handle found = nullptr;
  check_cuda(driver_.cuModuleGetFunction(&found, made, name), "cuModuleGetFunction");
  return found;
}

cuda::device_address cuda_program::zeros(std::size_t bytes) {
  cuda::device_address made = 0;
  check_cuda(driver_.cuMemAlloc_v2(&made, bytes), "cuMemAlloc");
  memory_.push_back(made);
  check_cuda(driver_.cuMemsetD8Async(made, 0, bytes, stream_), "cuMemsetD8Async");
  wait();
  return made;
}

float* cuda_program::pinned(std::size_t count) {
  void* made = nullptr;
  check_cuda(driver_.cuMemHostAlloc(&made, count * sizeof(float), cuda::host_memory_portable),
             "cuMemHostAlloc");
  pinned_.push_back(made);
  auto* values = static_cast<float*>(made);
  std::fill_n(values, count, 1.0F);
  return values;
}

cuda::stream_handle cuda_program::another_stream() {
  cuda::stream_handle made = nullptr;
  check_cuda(driver_.cuStreamCreate(&made, cuda::stream_non_blocking), "cuStreamCreate");
  streams_.push_back(made);
  return made;
}

cuda::event_handle cuda_program::event() {
  constexpr unsigned without_times = 2;
  cuda::event_handle made = nullptr;
  check_cuda(driver_.cuEventCreate(&made, without_times), "cuEventCreate");
  events_.push_back(made);
  return made;
}

void cuda_program::launch(cuda::function_handle what, std::size_t groups, std::size_t items,
                          void** arguments, cuda::stream_handle in) {
  check_cuda(driver_.cuLaunchKernel(what, static_cast<unsigned>(groups), 1, 1,
                                    static_cast<unsigned>(items), 1, 1, 0, in, arguments, nullptr),
             "cuLaunchKernel");
}

void cuda_program::wait(cuda::stream_handle in) {
  check_cuda(driver_.cuStreamSynchronize(in), "cuStreamSynchronize");
}

void cuda_program::begin_capture() {
  constexpr int of_this_thread = 1;
  check_cuda(driver_.cuStreamBeginCapture_v2(stream_, of_this_thread), "cuStreamBeginCapture");
}

cuda_runnable cuda_program::end_capture() {
  cuda_graph captured = nullptr;
  check_cuda(driver_.cuStreamEndCapture(stream_, &captured), "cuStreamEndCapture");
  cuda_runnable made = nullptr;
  check_cuda(driver_.cuGraphInstantiateWithFlags(&made, captured, 0), "cuGraphInstantiate");
  graphs_.push_back(made);
  check_cuda(driver_.cuGraphDestroy(captured), "cuGraphDestroy");
  return made;
}

}  // namespace hocket::bench::raw

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include <abi.hpp>

namespace hocket::bench::raw {

using cuda_graph = cuda::graph_handle;
using cuda_runnable = cuda::runnable_handle;

/// The function that only programs by hand use. each(name, type).
#define HOCKET_BENCH_CUDA_FUNCTIONS(each) \
  each(cuMemsetD8Async,                   \
       cuda::code (*)(cuda::device_address, unsigned char, std::size_t, cuda::stream_handle))

namespace by_name {

using namespace hocket::cuda;  // the lists of functions have their types
using namespace hocket::gpu;

/// The functions of the driver.
struct cuda_functions {
#define HOCKET_BENCH_CUDA_DECLARE(name, ...) std::type_identity_t<__VA_ARGS__> name = nullptr
#define HOCKET_BENCH_GPU_DECLARE(member, cuda, hip, ...) \
  HOCKET_BENCH_CUDA_DECLARE(cuda, __VA_ARGS__)
  HOCKET_GPU_FUNCTIONS(HOCKET_BENCH_GPU_DECLARE);
#undef HOCKET_BENCH_GPU_DECLARE
  HOCKET_CUDA_FUNCTIONS(HOCKET_BENCH_CUDA_DECLARE);
  HOCKET_BENCH_CUDA_FUNCTIONS(HOCKET_BENCH_CUDA_DECLARE);
#undef HOCKET_BENCH_CUDA_DECLARE
};

/// The functions of the compiler.
struct compiler_functions {
#define HOCKET_BENCH_NVRTC_DECLARE(name, ...) std::type_identity_t<__VA_ARGS__> name = nullptr
#define HOCKET_BENCH_COMPILER_DECLARE(member, nvrtc, hiprtc, ...) \
  HOCKET_BENCH_NVRTC_DECLARE(nvrtc, __VA_ARGS__)
  HOCKET_GPU_COMPILER_FUNCTIONS(HOCKET_BENCH_COMPILER_DECLARE);
#undef HOCKET_BENCH_COMPILER_DECLARE
#undef HOCKET_BENCH_NVRTC_DECLARE
};

}  // namespace by_name

using by_name::compiler_functions;
using by_name::cuda_functions;

/// Throws if a function of the driver, of NVRTC or of cuBLAS did not succeed.
void check_cuda(int code, const char* function);

/// A program that uses CUDA's driver by hand: the first device, its primary context and a stream.
/// Everything it makes lives as long as it does. One thread at a time.
class cuda_program {
 public:
  cuda_program();
  ~cuda_program();
  cuda_program(const cuda_program&) = delete;
  cuda_program& operator=(const cuda_program&) = delete;

  /// The kernel of a text in CUDA C, which is extern "C".
  [[nodiscard]] cuda::function_handle build(const char* text, const char* name);
  [[nodiscard]] cuda::device_address zeros(std::size_t bytes);
  /// Memory of the host that the device copies from and to by itself.
  [[nodiscard]] float* pinned(std::size_t count);
  [[nodiscard]] cuda::stream_handle another_stream();
  [[nodiscard]] cuda::event_handle event();

  void launch(cuda::function_handle what, std::size_t groups, std::size_t items, void** arguments,
              cuda::stream_handle in);
  void launch(cuda::function_handle what, std::size_t groups, std::size_t items, void** arguments) {
    launch(what, groups, items, arguments, stream_);
  }
  void wait(cuda::stream_handle in);
  void wait() { wait(stream_); }

  /// Captures what `enqueue()` launches in the stream, as a graph that can be launched.
  template <class F>
  [[nodiscard]] cuda_runnable capture(F&& enqueue) {
    begin_capture();
    enqueue();
    return end_capture();
  }

  [[nodiscard]] const cuda_functions& driver() const { return driver_; }
  [[nodiscard]] cuda::stream_handle stream() const { return stream_; }

 private:
  void begin_capture();
  [[nodiscard]] cuda_runnable end_capture();

  cuda_functions driver_;
  cuda::device_number number_ = 0;
  cuda::stream_handle stream_ = nullptr;
  std::vector<cuda::module_handle> modules_;
  std::vector<cuda::device_address> memory_;
  std::vector<void*> pinned_;
  std::vector<cuda::stream_handle> streams_;
  std::vector<cuda::event_handle> events_;
  std::vector<cuda_runnable> graphs_;
};

/// The function of a library, opened for good. Throws if one of them is not there.
[[nodiscard]] void* function_of_library(const char* environment,
                                        const std::vector<const char*>& files, const char* name);

}  // namespace hocket::bench::raw

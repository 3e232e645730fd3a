// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "loader.hpp"

#include <vector>

#include <hocket/devices/driver_library.hpp>

#include "gpu/load_names.hpp"

namespace hocket::cuda {

namespace {

using gpu::find;

constexpr const char* nvrtc_packages = "libnvrtc12, and NVIDIA in its CUDA toolkit";
constexpr const char* blas_packages = "libcublas12, and NVIDIA in its CUDA toolkit";

/// Where a library of the toolkit may be, in the order in which it is looked for.
std::vector<std::string> toolkit_files(const std::string& library, int driver_version) {
  constexpr int newest = 13, oldest = 12, major_step = 1000;
  const int driver_major = driver_version == 0 ? newest : driver_version / major_step;
  std::vector<std::string> files;
  for (int major = newest; major >= oldest; --major) {
    if (major > driver_major) continue;
    const std::string name = library + "." + std::to_string(major);
    files.push_back(name);
    files.push_back("/usr/local/cuda/lib64/" + name);
    files.push_back("/usr/local/cuda-" + std::to_string(major) + "/lib64/" + name);
  }
  if (files.empty()) files.push_back(library + "." + std::to_string(driver_major));
  return files;
}

result<std::shared_ptr<const compiler_api>> functions_of(const driver_library& library) {
  auto made = std::make_shared<compiler_api>();
  std::string missing;
#define HOCKET_NVRTC_FIND(member, nvrtc, hiprtc, ...) find(library, #nvrtc, made->member, missing)
  HOCKET_GPU_COMPILER_FUNCTIONS(HOCKET_NVRTC_FIND);
#undef HOCKET_NVRTC_FIND
#define HOCKET_NVRTC_FIND(name, ...) find(library, #name, made->name, missing)
  HOCKET_NVRTC_FUNCTIONS(HOCKET_NVRTC_FIND);
#undef HOCKET_NVRTC_FIND
  if (!missing.empty()) return library.unusable("lacks " + missing);
  return std::shared_ptr<const compiler_api>(std::move(made));
}

/// A driver refuses PTX of a compiler that is newer than it is, also of the same major version.
failure too_new(const driver_library& library, const compiler_api& compiler, int driver_version) {
  int major = 0, minor = 0;
  if (driver_version == 0 || compiler.version(&major, &minor) != 0) return {};
  if (1000 * major + 10 * minor <= driver_version) return {};
  return library.unusable("is of version " + std::to_string(major) + "." + std::to_string(minor) +
                          ", and the driver takes programs of " +
                          std::to_string(driver_version / 1000) + "." +
                          std::to_string(driver_version % 1000 / 10) + " and before");
}

}  // namespace

result<std::shared_ptr<const gpu::api>> load_driver(const std::optional<std::string>& file) {
  const auto library = driver_library::open(
      {"CUDA", file.value_or("libcuda.so.1"), "libcuda1, which comes with NVIDIA's driver"});
  if (!library) return library.error();
  auto made = std::make_shared<driver_api>();
  std::string missing;
#define HOCKET_CUDA_FIND(member, cuda, hip, ...) find(library.value(), #cuda, made->member, missing)
  HOCKET_GPU_FUNCTIONS(HOCKET_CUDA_FIND);
#undef HOCKET_CUDA_FIND
#define HOCKET_CUDA_FIND(name, ...) find(library.value(), #name, made->own.name, missing)
  HOCKET_CUDA_FUNCTIONS(HOCKET_CUDA_FIND);
#undef HOCKET_CUDA_FIND
  if (!missing.empty()) return library.value().unusable("lacks " + missing);
  return std::shared_ptr<const gpu::api>(std::move(made));
}

result<std::shared_ptr<const compiler_api>> load_compiler(const std::optional<std::string>& file,
                                                          int driver_version) {
  const auto files = file ? std::vector{*file} : toolkit_files("libnvrtc.so", driver_version);
  failure first, refused;
  for (const std::string& name : files) {
    const auto library = driver_library::open({"CUDA's compiler", name, nvrtc_packages});
    if (library) {
      auto functions = functions_of(library.value());
      failure why = functions ? too_new(library.value(), *functions.value(), driver_version)
                              : functions.error();
      if (!why) return functions;
      refused = std::move(why);
    } else if (!first) {
      first = library.error();
    }
  }
  return refused ? refused : first;
}

result<std::shared_ptr<const blas_api>> load_blas(const std::optional<std::string>& file,
                                                  int driver_version) {
  const auto files = file ? std::vector{*file} : toolkit_files("libcublas.so", driver_version);
  failure first;
  for (const std::string& name : files) {
    const auto library = driver_library::open({"CUDA's library of products", name, blas_packages});
    if (!library) {
      if (!first) first = library.error();
      continue;
    }
    auto made = std::make_shared<blas_api>();
    std::string missing;
#define HOCKET_CUBLAS_FIND(name, ...) find(library.value(), #name, made->name, missing)
    HOCKET_CUBLAS_FUNCTIONS(HOCKET_CUBLAS_FIND);
    HOCKET_CUBLAS_OVERLOADED(HOCKET_CUBLAS_FIND);
#undef HOCKET_CUBLAS_FIND
    if (missing.empty()) return std::shared_ptr<const blas_api>(std::move(made));
    first = library.value().unusable("lacks " + missing);
  }
  return first;
}

}  // namespace hocket::cuda

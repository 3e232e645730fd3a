// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "loader.hpp"

#include <vector>

#include <hocket/devices/driver_library.hpp>

#include "gpu/load_names.hpp"

namespace hocket::hip {

namespace {

using gpu::find;

constexpr const char* packages = "libamdhip64-5, and AMD in its ROCm";
constexpr const char* blas_packages = "AMD in its ROCm";

/// Where a library of ROCm may be, the newest first.
void add_files(std::vector<std::string>& files, const std::string& library,
               const std::vector<int>& versions) {
  for (const int version : versions) {
    const std::string name = library + "." + std::to_string(version);
    files.push_back(name);
    files.push_back("/opt/rocm/lib/" + name);
  }
}

const std::vector<int> driver_versions{7, 6, 5}, blas_versions{5, 4, 0};

std::vector<std::string> driver_files() {
  std::vector<std::string> files;
  add_files(files, "libamdhip64.so", driver_versions);
  return files;
}

/// The first of the files that is a library with all functions that `read` asks for. `read` returns
/// the name of one that is missing.
template <class Table, class Read>
result<std::shared_ptr<const Table>> open_first(const std::vector<std::string>& files,
                                                const std::string& title, const std::string& from,
                                                const Read& read) {
  failure first, refused;
  for (const std::string& name : files) {
    const auto library = driver_library::open({title, name, from});
    if (!library) {
      if (!first) first = library.error();
      continue;
    }
    auto made = std::make_shared<Table>();
    const std::string missing = read(library.value(), *made);
    if (missing.empty()) return std::shared_ptr<const Table>(std::move(made));
    if (!refused) refused = library.value().unusable("lacks " + missing);
  }
  return refused ? refused : first;
}

/// The properties have another form from ROCm 6 on, under another name.
std::string read_driver(const driver_library& in, driver_api& made) {
  std::string missing;
#define HOCKET_HIP_FIND(member, cuda, hip, ...) find(in, #hip, made.member, missing)
  HOCKET_GPU_FUNCTIONS(HOCKET_HIP_FIND);
#undef HOCKET_HIP_FIND
#define HOCKET_HIP_FIND(name, ...) find(in, #name, made.own.name, missing)
  HOCKET_HIP_FUNCTIONS(HOCKET_HIP_FIND);
#undef HOCKET_HIP_FIND
  std::string newer;
  find(in, "hipGetDevicePropertiesR0600", made.own.get_properties, newer);
  made.is_before_6 = !newer.empty();
  if (made.is_before_6) find(in, "hipGetDeviceProperties", made.own.get_properties, missing);
  return missing;
}

}  // namespace

result<std::shared_ptr<const gpu::api>> load_driver(const std::optional<std::string>& file) {
  const auto opened = open_first<driver_api>(file ? std::vector{*file} : driver_files(), "HIP",
                                             packages, read_driver);
  if (!opened) return opened.error();
  return std::shared_ptr<const gpu::api>(opened.value());
}

result<std::shared_ptr<const gpu::compiler_functions>> load_compiler(
    const std::optional<std::string>& file, int driver_version) {
  std::vector<int> versions = driver_versions;
  if (driver_version != 0) versions = {driver_version / version_of_major};
  std::vector<std::string> files;
  if (file) {
    files = {*file};
  } else {
    add_files(files, "libhiprtc.so", versions);
    add_files(files, "libamdhip64.so", versions);
  }
  const auto read = [](const driver_library& in, gpu::compiler_functions& made) {
    std::string missing;
#define HOCKET_HIPRTC_FIND(member, nvrtc, hiprtc, ...) find(in, #hiprtc, made.member, missing)
    HOCKET_GPU_COMPILER_FUNCTIONS(HOCKET_HIPRTC_FIND);
#undef HOCKET_HIPRTC_FIND
    return missing;
  };
  return open_first<gpu::compiler_functions>(files, "HIP's compiler", packages, read);
}

result<std::shared_ptr<const blas_api>> load_blas(const std::optional<std::string>& file) {
  std::vector<std::string> files;
  if (file) {
    files = {*file};
  } else {
    add_files(files, "librocblas.so", blas_versions);
  }
  const auto read = [](const driver_library& in, blas_api& made) {
    std::string missing;
#define HOCKET_ROCBLAS_FIND(name, ...) find(in, #name, made.name, missing)
    HOCKET_ROCBLAS_FUNCTIONS(HOCKET_ROCBLAS_FIND);
#undef HOCKET_ROCBLAS_FIND
    return missing;
  };
  return open_first<blas_api>(files, "HIP's library of products", blas_packages, read);
}

}  // namespace hocket::hip

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "loader.hpp"

#include <hocket/devices/driver_library.hpp>

namespace hocket::opencl {

namespace {

/// The first name that the library does not have stays in `missing`.
template <class Function>
void find(const driver_library& in, const char* name, Function& found, std::string& missing) {
  found = in.find<Function>(name);
  if (found == nullptr && missing.empty()) missing = name;
}

}  // namespace

result<std::shared_ptr<const api>> load() {
  const auto library =
      driver_library::open({"OpenCL", "libOpenCL.so.1",
                            "ocl-icd-libopencl1, and a driver for the CPU in pocl-opencl-icd"});
  if (!library) return library.error();
  auto made = std::make_shared<api>();
  std::string missing;
#define HOCKET_OPENCL_FIND(name) find(library.value(), #name, made->name, missing)
  HOCKET_OPENCL_FUNCTIONS(HOCKET_OPENCL_FIND);
#undef HOCKET_OPENCL_FIND
  if (!missing.empty()) return library.value().unusable("lacks " + missing);
  return std::shared_ptr<const api>(std::move(made));
}

}  // namespace hocket::opencl

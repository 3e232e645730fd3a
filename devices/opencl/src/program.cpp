// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "program.hpp"

#include <algorithm>
#include <cstddef>

#include "describe.hpp"
#include "errors.hpp"

namespace hocket::opencl {

namespace {

// Not -cl-fast-relaxed-math and its parts: results are to be those of the other devices.
constexpr const char* compiler_options = "-cl-std=CL1.2";

}  // namespace

result<cl_program> program_store::get(const std::string& text, const std::string& kernel,
                                      const std::string& device) {
  const std::lock_guard lock(guard_);
  const auto known = programs_.find(text);
  if (known != programs_.end()) return known->second.get();
  const std::string key = identity_ + "\n" + compiler_options + "\n" + text;
  handle<cl_program> made = from_disk(key);
  if (!made) {
    const char* source = text.c_str();
    cl_int code = CL_SUCCESS;
    made = {cl_, cl_.clCreateProgramWithSource(context_, 1, &source, nullptr, &code)};
    if (!made) return failure_of(code, device, "to take the text of kernel \"" + kernel + "\"");
    code = build(made.get());
    if (code != CL_SUCCESS) {
      const std::string log = build_log(cl_, made.get(), devices_.front());
      return compile_failure(device, kernel, name_of(code) + ": " + log);
    }
    keep(key, made.get());
  }
  return programs_.emplace(text, std::move(made)).first->second.get();
}

cl_int program_store::build(cl_program program) const {
  return cl_.clBuildProgram(program, static_cast<cl_uint>(devices_.size()), devices_.data(),
                            compiler_options, nullptr, nullptr);
}

handle<cl_program> program_store::from_disk(const std::string& key) const {
  const auto stored = disk_.load(key);
  if (!stored || stored->empty()) return {};
  // The devices of a context are one device, or equal parts of one: all take the same program.
  const std::vector<std::size_t> sizes(devices_.size(), stored->size());
  std::vector<const unsigned char*> programs(
      devices_.size(), reinterpret_cast<const unsigned char*>(stored->data()));
  cl_int code = CL_SUCCESS;
  const cl_program made =
      cl_.clCreateProgramWithBinary(context_, static_cast<cl_uint>(devices_.size()),
                                    devices_.data(), sizes.data(), programs.data(), nullptr, &code);
  if (made == nullptr) return {};
  handle<cl_program> owned(cl_, made);
  return code == CL_SUCCESS && build(made) == CL_SUCCESS ? std::move(owned) : handle<cl_program>();
}

void program_store::keep(const std::string& key, cl_program program) const {
  cl_uint count = 0;
  if (cl_.clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, nullptr) !=
          CL_SUCCESS ||
      count != devices_.size()) {
    return;
  }
  std::vector<std::size_t> sizes(count);
  if (cl_.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, count * sizeof sizes[0], sizes.data(),
                           nullptr) != CL_SUCCESS ||
      sizes.front() == 0) {
    return;
  }
  // The driver skips where the pointer is null: one program is enough.
  std::vector<std::byte> first(sizes.front());
  std::vector<std::byte*> places(count);
  places.front() = first.data();
  if (cl_.clGetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof places[0], places.data(),
                           nullptr) == CL_SUCCESS) {
    disk_.store(key, first);
  }
}

}  // namespace hocket::opencl

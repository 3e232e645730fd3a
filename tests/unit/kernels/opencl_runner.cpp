// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "opencl_runner.hpp"

#include <map>
#include <stdexcept>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

namespace hocket::testing {

namespace {

void require(cl_int status, const std::string& what) {
  if (status == CL_SUCCESS) return;
  throw std::runtime_error(what + " failed with OpenCL error " + std::to_string(status));
}

}  // namespace

struct opencl_runner::state {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  std::map<std::string, cl_kernel> kernels;  ///< by text

  ~state() {
    for (const auto& [text, kernel] : kernels) clReleaseKernel(kernel);
    if (queue != nullptr) clReleaseCommandQueue(queue);
    if (context != nullptr) clReleaseContext(context);
  }

  cl_kernel kernel_for(const std::string& text) {
    if (const auto found = kernels.find(text); found != kernels.end()) return found->second;
    const char* characters = text.c_str();
    cl_int status = CL_SUCCESS;
    const cl_program program = clCreateProgramWithSource(context, 1, &characters, nullptr, &status);
    require(status, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device, "", nullptr, nullptr) != CL_SUCCESS) {
      std::string log(65536, '\0');
      clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
      throw std::runtime_error(log.c_str() + ("\n" + text));
    }
    const cl_kernel kernel = clCreateKernel(program, "hocket_main", &status);
    require(status, "clCreateKernel");
    clReleaseProgram(program);
    return kernels.emplace(text, kernel).first->second;
  }

  cl_mem buffer(std::size_t bytes, const void* content) {
    cl_int status = CL_SUCCESS;
    const cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, std::max<std::size_t>(bytes, 4),
                                       nullptr, &status);
    require(status, "clCreateBuffer");
    if (content != nullptr && bytes > 0) {
      require(clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, bytes, content, 0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
    }
    return made;
  }
};

opencl_runner::opencl_runner() : state_(std::make_unique<state>()) {
  cl_platform_id platform = nullptr;
  cl_int status = clGetPlatformIDs(1, &platform, nullptr);
  if (status != CL_SUCCESS) {
    missing_ = "no OpenCL platform (error " + std::to_string(status) + ")";
    return;
  }
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &state_->device, nullptr) != CL_SUCCESS) {
    missing_ = "the OpenCL platform has no device";
    return;
  }
  state_->context = clCreateContext(nullptr, 1, &state_->device, nullptr, nullptr, &status);
  require(status, "clCreateContext");
  state_->queue = clCreateCommandQueue(state_->context, state_->device, 0, &status);
  require(status, "clCreateCommandQueue");
}

opencl_runner::~opencl_runner() = default;

std::vector<device_array> opencl_runner::run(const launch_case& launch,
                                             const kernel_source& source) {
  std::vector<device_argument> arguments;
  for (const device_array& b : launch.buffers) arguments.push_back(b.on_device());
  const lowered_launch lowered = lower(*launch.kernel, source, arguments, launch.scalars).value();
  std::vector<cl_mem> memory;
  for (const device_array& b : launch.buffers) {
    memory.push_back(state_->buffer(b.bytes.size(), b.bytes.data()));
  }
  if (source.scratch) memory.push_back(state_->buffer(lowered.scratch_words * 4, nullptr));
  for (const lowered_pass& pass : lowered.passes) {
    const cl_kernel kernel =
        state_->kernel_for(opencl_program(*launch.kernel, source, pass.pass, lowered.variant));
    if (pass.groups[0] * pass.groups[1] * pass.groups[2] == 0) continue;
    cl_uint at = 0;
    for (const cl_mem& each : memory) clSetKernelArg(kernel, at++, sizeof each, &each);
    require(clSetKernelArg(kernel, at, pass.words.size() * 4, pass.words.data()),
            "clSetKernelArg of the argument block");
    grid items = pass.groups;
    for (std::size_t d = 0; d < items.size(); ++d) items[d] *= source.passes[pass.pass].local[d];
    require(clEnqueueNDRangeKernel(state_->queue, kernel, 3, nullptr, items.data(),
                                   source.passes[pass.pass].local.data(), 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
  }
  std::vector<device_array> after = launch.buffers;
  for (std::size_t b = 0; b < after.size(); ++b) {
    if (!after[b].bytes.empty()) {
      require(clEnqueueReadBuffer(state_->queue, memory[b], CL_TRUE, 0, after[b].bytes.size(),
                                  after[b].bytes.data(), 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
    }
  }
  clFinish(state_->queue);
  for (const cl_mem& each : memory) clReleaseMemObject(each);
  return after;
}

}  // namespace hocket::testing

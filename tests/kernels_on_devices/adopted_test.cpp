// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Contexts and devices that the program has made.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <vulkan/vulkan.h>

#include <hocket/hocket.hpp>

namespace hocket::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

/// A function of the library, which stays open.
template <class F>
F* from_library(const char* library, const char* name) {
  void* const opened = dlopen(library, RTLD_NOW);
  return opened == nullptr ? nullptr : reinterpret_cast<F*>(dlsym(opened, name));
}

#define OPENCL(name) from_library<decltype(::name)>("libOpenCL.so.1", #name)
#define VULKAN(name) from_library<std::remove_pointer_t<PFN_##name>>("libvulkan.so.1", #name)

const auto doubled = elementwise("double", [](auto& x) { x = x * 2.0F; });

class adopted : public ::testing::Test {
 protected:
  static constexpr std::size_t count = 1000;

  static std::string why_not(const adopted_contexts& given) {
    runtime rt({.adopted = given});
    try {
      (void)rt.devices();
    } catch (const usage_error& e) {
      return e.what();
    }
    return "";
  }
};

// OpenCL.

class adopted_opencl : public adopted {
 protected:
  void SetUp() override {
    if (OPENCL(clGetPlatformIDs) == nullptr) GTEST_SKIP() << "There is no loader of OpenCL.";
    cl_platform_id platform = nullptr;
    if (OPENCL(clGetPlatformIDs)(1, &platform, nullptr) != CL_SUCCESS ||
        OPENCL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr) != CL_SUCCESS) {
      GTEST_SKIP() << "There is no device of OpenCL.";
    }
    context_ = context_of(device_);
  }
  void TearDown() override {
    if (context_ == nullptr) return;
    cl_uint references = 0;
    OPENCL(clGetContextInfo)
    (context_, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references, nullptr);
    EXPECT_EQ(references, 1U);
    OPENCL(clReleaseContext)(context_);
  }

  static cl_context context_of(cl_device_id device) {
    return OPENCL(clCreateContext)(nullptr, 1, &device, nullptr, nullptr, nullptr);
  }
  /// A kernel of the program, in its context.
  [[nodiscard]] cl_kernel own_kernel() const {
    const char* text =
        "kernel void add(global float* x, uint at) { x[at + get_global_id(0)] += 3; }";
    cl_program made = OPENCL(clCreateProgramWithSource)(context_, 1, &text, nullptr, nullptr);
    OPENCL(clBuildProgram)(made, 1, &device_, "", nullptr, nullptr);
    cl_kernel add = OPENCL(clCreateKernel)(made, "add", nullptr);
    OPENCL(clReleaseProgram)(made);
    return add;
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
};

TEST_F(adopted_opencl, context_runs_kernels_of_the_program) {
  cl_kernel add = own_kernel();
  {
    runtime rt({.devices = "OpenCL0", .adopted = {opencl_context{context_}}});
    const auto body = kernel<inout_buffer<float>>{"adds"}.with(
        opencl_body{[&](const opencl_place& on, native_view<float> x) {
          EXPECT_EQ(on.context, context_);
          const cl_mem of = x.object<cl_mem>();
          const auto at = static_cast<cl_uint>(x.first());
          OPENCL(clSetKernelArg)(add, 0, sizeof of, &of);
          OPENCL(clSetKernelArg)(add, 1, sizeof at, &at);
          const std::size_t items = x.extent(0);
          OPENCL(clEnqueueNDRangeKernel)
          (on.queue, add, 1, nullptr, &items, nullptr, 0, nullptr, nullptr);
        }});
    const buffer<float> x{rt, count, 1.0F};
    for (int i = 0; i < 10; ++i) {
      rt.submit(body, updates(x.rows(0, count / 2)));
      rt.submit(body, updates(x.rows(count / 2, count)));
      rt.submit(doubled, updates(x));
    }
    float expected = 1;
    for (int i = 0; i < 10; ++i) expected = 2 * (expected + 3);
    EXPECT_THAT(x.to_vector(), Each(expected));
  }
  OPENCL(clReleaseKernel)(add);
}

TEST_F(adopted_opencl, contexts_may_have_parts_of_devices) {
  cl_uint units = 0;
  OPENCL(clGetDeviceInfo)(device_, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr);
  const cl_device_partition_property how[3] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
  std::vector<cl_device_id> parts(units);
  if (OPENCL(clCreateSubDevices)(device_, how, units, parts.data(), nullptr) != CL_SUCCESS) {
    GTEST_SKIP() << "The device cannot be split.";
  }
  cl_context own = context_of(parts.front());
  {
    runtime rt({.adopted = {opencl_context{own}}});
    const std::vector<device_info> all = rt.devices();
    // PoCL says that a context of a part is one of the whole device, and runs it as that.
    cl_device_id listed = nullptr;
    OPENCL(clGetContextInfo)(own, CL_CONTEXT_DEVICES, sizeof listed, &listed, nullptr);
    const auto is_of_context = [&](const device_info& each) {
      return each.backend == "opencl" && (each.name == "OpenCL0") == (listed == device_);
    };
    const auto info = std::ranges::find_if(all, is_of_context);
    ASSERT_NE(info, all.end());
    const buffer<float> x{rt, count, 1.0F};
    rt.submit({.on = rt.device(info->name)}, doubled, updates(x));
    EXPECT_THAT(x.to_vector(), Each(2.0F));
  }
  OPENCL(clReleaseContext)(own);
  for (const cl_device_id each : parts) OPENCL(clReleaseDevice)(each);
}

TEST_F(adopted_opencl, contexts_that_cannot_be_used_are_refused) {
  EXPECT_THAT(why_not({opencl_context{}}), HasSubstr("CL_INVALID_CONTEXT"));
  EXPECT_THAT(why_not({opencl_context{context_}, opencl_context{context_}}),
              HasSubstr("two contexts"));
}

// Vulkan.

struct vulkan_program {
  VkInstance instance = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;

  vulkan_program() = default;
  vulkan_program(const vulkan_program&) = delete;
  vulkan_program& operator=(const vulkan_program&) = delete;
  ~vulkan_program() {
    if (device != VK_NULL_HANDLE) VULKAN(vkDestroyDevice)(device, nullptr);
    if (instance != VK_NULL_HANDLE) VULKAN(vkDestroyInstance)(instance, nullptr);
  }
};

class adopted_vulkan : public adopted {
 protected:
  void SetUp() override {
    if (VULKAN(vkCreateInstance) == nullptr) GTEST_SKIP() << "There is no loader of Vulkan.";
    for (std::size_t i = 0; i < 8; ++i) {
      if (const auto made = device_of_program(i); made.device != nullptr) found_.push_back(made);
    }
    if (found_.empty()) GTEST_SKIP() << "There is no device of Vulkan.";
  }

  /// Of the physical device with that index; empty if there is none.
  static vulkan_device device_of_program(std::size_t index) {
    const auto owner = std::make_shared<vulkan_program>();
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info.pApplicationInfo = &application;
    if (VULKAN(vkCreateInstance)(&info, nullptr, &owner->instance) != VK_SUCCESS) return {};
    std::uint32_t all = 0;
    VULKAN(vkEnumeratePhysicalDevices)(owner->instance, &all, nullptr);
    std::vector<VkPhysicalDevice> physical(all);
    VULKAN(vkEnumeratePhysicalDevices)(owner->instance, &all, physical.data());
    if (index >= physical.size()) return {};
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{};
    queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkPhysicalDeviceVulkan12Features features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features.timelineSemaphore = VK_TRUE;
    VkDeviceCreateInfo made{};
    made.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    made.pNext = &features;
    made.queueCreateInfoCount = 1;
    made.pQueueCreateInfos = &queue;
    if (VULKAN(vkCreateDevice)(physical[index], &made, nullptr, &owner->device) != VK_SUCCESS) {
      return {};
    }
    VkQueue first = VK_NULL_HANDLE;
    VULKAN(vkGetDeviceQueue)(owner->device, 0, 0, &first);
    return {.instance = owner->instance,
            .physical_device = physical[index],
            .device = owner->device,
            .queue = first,
            .owner = owner};
  }

  std::vector<vulkan_device> found_;
};

TEST_F(adopted_vulkan, device_runs_texts_and_commands) {
  for (vulkan_device& own : found_) {
    const std::weak_ptr<const void> owner = own.owner;
    {
      void* const device = own.device;
      runtime rt({.adopted = {std::move(own)}});
      own = {};
      std::size_t seen = 0;
      for (const device_info& each : rt.devices()) {
        if (each.backend != "vulkan") continue;
        const task_options there{.on = rt.device(each.name)};
        bool is_own = false;
        const auto body = kernel<inout_buffer<float>>{"looks"}.with(vulkan_body{
            [&](const vulkan_place& on, native_view<float>) { is_own = on.device == device; }});
        const buffer<float> x{rt, count, 1.0F};
        for (int i = 0; i < 5; ++i) rt.submit(there, doubled, updates(x));
        rt.submit(there, body, updates(x)).get();
        EXPECT_THAT(x.to_vector(), Each(32.0F)) << each.name;
        if (is_own) {
          ++seen;
          EXPECT_THAT(each.lacks, ::testing::Contains(element_type::f64)) << each.name;
        }
      }
      EXPECT_EQ(seen, 1U);
      EXPECT_FALSE(owner.expired());
    }
    EXPECT_TRUE(owner.expired());
  }
}

TEST_F(adopted_vulkan, devices_that_cannot_be_used_are_refused) {
  vulkan_device wrong = found_.front();
  wrong.queue_family = 77;
  EXPECT_THAT(why_not({wrong}), HasSubstr("queue_family is 77"));
  wrong = found_.front();
  wrong.queue = nullptr;
  EXPECT_THAT(why_not({wrong}), HasSubstr("without a device or a queue"));
  EXPECT_THAT(why_not({found_.front(), found_.front()}), HasSubstr("twice"));
  wrong = found_.front();
  wrong.instance = nullptr;
  EXPECT_THAT(why_not({wrong}), HasSubstr("instance"));
}

}  // namespace
}  // namespace hocket::testing

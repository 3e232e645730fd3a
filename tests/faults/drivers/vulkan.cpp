// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A fake Vulkan driver: lavapipe, or SwiftShader, of which some functions are replaced.

#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#include <cstring>
#include <limits>
#include <set>

#include "fault.hpp"
#include "pace.hpp"

namespace {

/// What is given in place of the driver's own functions, by name. Null says that there is none.
using table = std::map<std::string, PFN_vkVoidFunction>;

VkInstance instance = VK_NULL_HANDLE;  // the latest

/// The driver of SwiftShader lies where scripts/install-vulkan-drivers puts it.
std::string find_library() {
  const char* const asked = std::getenv("HOCKET_FAKE_DRIVER");
  if (asked == nullptr || std::string_view(asked) != "swiftshader") return "libvulkan_lvp.so";
  const char* const data = std::getenv("XDG_DATA_HOME");
  const char* const home = std::getenv("HOME");
  const std::string folder =
      data != nullptr ? data : std::string(home ? home : "") + "/.local/share";
  return folder + "/hocket/vulkan/libvk_swiftshader.so";
}

const char* library() {
  static const std::string name = find_library();
  return name.c_str();
}

PFN_vkVoidFunction driver_function(VkInstance of, const char* name) {
  static const auto get =
      hocket::fake::real<PFN_vkGetInstanceProcAddr>(library(), "vk_icdGetInstanceProcAddr");
  return get == nullptr ? nullptr : get(of, name);
}

/// The driver's own function, in what takes its place.
template <class Function>
Function own(const char* name) {
  return reinterpret_cast<Function>(driver_function(instance, name));
}

template <class Function>
void replace(table& t, const char* name, Function function) {
  t[name] = reinterpret_cast<PFN_vkVoidFunction>(+function);
}

/// Has the function that Named names only return a code, but for the first calls.
template <class Named, VkResult Code, class... Arguments>
void refuse(table& t, VkResult(VKAPI_PTR*)(Arguments...)) {
  replace(t, Named::name(), [](Arguments... arguments) -> VkResult {
    static std::atomic<long> calls{0};
    using function = VkResult(VKAPI_PTR*)(Arguments...);
    return hocket::fake::is_spared(calls) ? own<function>(Named::name())(arguments...) : Code;
  });
}

/// The properties are asked for in two ways.
template <class Change>
void properties(table& t, Change) {
  replace(t, "vkGetPhysicalDeviceProperties",
          [](VkPhysicalDevice of, VkPhysicalDeviceProperties* to) {
            own<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")(of, to);
            Change{}(*to);
          });
  replace(t, "vkGetPhysicalDeviceProperties2",
          [](VkPhysicalDevice of, VkPhysicalDeviceProperties2* to) {
            own<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2")(of, to);
            Change{}(to->properties);
          });
}

template <class Change>
void memories(table& t, Change) {
  replace(t, "vkGetPhysicalDeviceMemoryProperties",
          [](VkPhysicalDevice of, VkPhysicalDeviceMemoryProperties* to) {
            own<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")(of,
                                                                                                to);
            Change{}(*to);
          });
}

template <std::uint32_t Count>
void families(table& t) {
  replace(t, "vkGetPhysicalDeviceQueueFamilyProperties",
          [](VkPhysicalDevice of, std::uint32_t* count, VkQueueFamilyProperties* to) {
            own<PFN_vkGetPhysicalDeviceQueueFamilyProperties>(
                "vkGetPhysicalDeviceQueueFamilyProperties")(of, count, to);
            *count = Count;
          });
}

#define REFUSAL(function, code)                                 \
  [](table& t) {                                                \
    struct named {                                              \
      static constexpr const char* name() { return #function; } \
    };                                                          \
    refuse<named, code>(t, PFN_##function(nullptr));            \
  }

/// Counts the calls of the function, and has one fail that a test has chosen.
template <class Named, class... Arguments>
void count(table& t, VkResult(VKAPI_PTR*)(Arguments...)) {
  replace(t, Named::name(), [](Arguments... arguments) -> VkResult {
    using function = VkResult(VKAPI_PTR*)(Arguments...);
    const int code = hocket::fake::counter.next(Named::name());
    return code == 0 ? own<function>(Named::name())(arguments...) : VkResult(code);
  });
}

#define COUNT(function)                                         \
  {                                                             \
    struct named {                                              \
      static constexpr const char* name() { return #function; } \
    };                                                          \
    count<named>(t, PFN_##function(nullptr));                   \
  }

hocket::fake::submissions submitted;

const hocket::fake::pace_functions& paced() {
  static const hocket::fake::pace_functions all{
      own<PFN_vkQueueSubmit>("vkQueueSubmit"),
      own<PFN_vkQueueWaitIdle>("vkQueueWaitIdle"),
      own<PFN_vkWaitSemaphores>("vkWaitSemaphores"),
      own<PFN_vkGetSemaphoreCounterValue>("vkGetSemaphoreCounterValue"),
      own<PFN_vkDeviceWaitIdle>("vkDeviceWaitIdle"),
  };
  return all;
}

/// The functions by which a program learns what the device has done. They are counted as well.
void set_pace(table& t) {
  using hocket::fake::counter;
  replace(t, "vkQueueSubmit",
          [](VkQueue to, std::uint32_t, const VkSubmitInfo* what, VkFence) -> VkResult {
            const int code = counter.next("vkQueueSubmit");
            return code == 0 ? submitted.submit(paced(), to, *what) : VkResult(code);
          });
  replace(t, "vkWaitSemaphores",
          [](VkDevice device, const VkSemaphoreWaitInfo* what, std::uint64_t time) -> VkResult {
            const int code = counter.next("vkWaitSemaphores");
            return code == 0 ? submitted.wait(paced(), device, *what, time) : VkResult(code);
          });
  replace(t, "vkGetSemaphoreCounterValue",
          [](VkDevice device, VkSemaphore of, std::uint64_t* to) -> VkResult {
            const int code = counter.next("vkGetSemaphoreCounterValue");
            return code == 0 ? submitted.value(paced(), device, of, to) : VkResult(code);
          });
  replace(t, "vkDeviceWaitIdle", [](VkDevice device) -> VkResult {
    const int code = counter.next("vkDeviceWaitIdle");
    return code == 0 ? submitted.wait_for_device(paced(), device) : VkResult(code);
  });
}

/// Command buffers that a program took to be begun, and must not end. Neither lavapipe nor the
/// validation layer would notice.
struct not_begun {
  std::mutex guard;
  std::set<VkCommandBuffer> all;
} unbegun;

void watch_recording(table& t) {
  using hocket::fake::counter;
  replace(t, "vkBeginCommandBuffer",
          [](VkCommandBuffer commands, const VkCommandBufferBeginInfo* how) -> VkResult {
            const int code = counter.next("vkBeginCommandBuffer");
            const std::lock_guard lock(unbegun.guard);
            unbegun.all.erase(commands);
            if (code != 0) unbegun.all.insert(commands);
            return code == 0 ? own<PFN_vkBeginCommandBuffer>("vkBeginCommandBuffer")(commands, how)
                             : VkResult(code);
          });
  replace(t, "vkEndCommandBuffer", [](VkCommandBuffer commands) -> VkResult {
    const int code = counter.next("vkEndCommandBuffer");
    const std::lock_guard lock(unbegun.guard);
    if (unbegun.all.contains(commands)) {
      std::fprintf(stderr, "the fake driver: commands are ended that were not begun\n");
    }
    return code == 0 ? own<PFN_vkEndCommandBuffer>("vkEndCommandBuffer")(commands) : VkResult(code);
  });
}

/// All functions with a code that Hocket calls, but for vkCreateInstance, which is always counted,
/// vkEnumeratePhysicalDevices and vkEnumerateDeviceExtensionProperties: the loader and its layers
/// call these two themselves, many times, and crash where one fails.
void count_all(table& t) {
  COUNT(vkAllocateCommandBuffers)
  COUNT(vkAllocateDescriptorSets)
  COUNT(vkAllocateMemory)
  COUNT(vkBindBufferMemory)
  COUNT(vkCreateBuffer)
  COUNT(vkCreateCommandPool)
  COUNT(vkCreateComputePipelines)
  COUNT(vkCreateDescriptorPool)
  COUNT(vkCreateDescriptorSetLayout)
  COUNT(vkCreateDevice)
  COUNT(vkCreatePipelineLayout)
  COUNT(vkCreateQueryPool)
  COUNT(vkCreateSemaphore)
  COUNT(vkCreateShaderModule)
  COUNT(vkGetMemoryHostPointerPropertiesEXT)
  COUNT(vkGetQueryPoolResults)
  COUNT(vkMapMemory)
  COUNT(vkResetDescriptorPool)
  set_pace(t);
  watch_recording(t);
}

constexpr std::uint32_t far_too_many = std::numeric_limits<std::uint32_t>::max();

const hocket::fake::fault_list<table> faults{
    {"", [](table&) {}},
    {"any", count_all},
    {"instance", REFUSAL(vkCreateInstance, VK_ERROR_INITIALIZATION_FAILED)},
    {"instance memory", REFUSAL(vkCreateInstance, VK_ERROR_OUT_OF_HOST_MEMORY)},
    {"no device",
     [](table& t) {
       replace(t, "vkEnumeratePhysicalDevices",
               [](VkInstance, std::uint32_t* count, VkPhysicalDevice*) {
                 *count = 0;
                 return VK_SUCCESS;
               });
     }},
    {"devices", REFUSAL(vkEnumeratePhysicalDevices, VK_ERROR_OUT_OF_HOST_MEMORY)},
    {"old",
     [](table& t) {
       properties(t, [](VkPhysicalDeviceProperties& p) { p.apiVersion = VK_API_VERSION_1_0; });
     }},
    {"no limits",
     [](table& t) { properties(t, [](VkPhysicalDeviceProperties& p) { p.limits = {}; }); }},
    {"limits that are no numbers",
     [](table& t) {
       properties(
           t, [](VkPhysicalDeviceProperties& p) { std::memset(&p.limits, 0xff, sizeof p.limits); });
     }},
    {"huge",
     [](table& t) {
       properties(t, [](VkPhysicalDeviceProperties& p) {
         const VkDeviceSize alignment = p.limits.minStorageBufferOffsetAlignment;
         std::memset(&p.limits, 0xff, sizeof p.limits);
         p.limits.minStorageBufferOffsetAlignment = alignment;
       });
       memories(t, [](VkPhysicalDeviceMemoryProperties& p) {
         p.memoryHeaps[0].size = std::numeric_limits<VkDeviceSize>::max();
       });
     }},
    {"garbage for a name",
     [](table& t) {
       properties(t, [](VkPhysicalDeviceProperties& p) {
         std::memset(p.deviceName, 0xfe, sizeof p.deviceName);
       });
     }},
    {"no memory",
     [](table& t) {
       memories(t, [](VkPhysicalDeviceMemoryProperties& p) { p.memoryHeaps[0].size = 0; });
     }},
    {"impossible memories",
     [](table& t) {
       memories(t, [](VkPhysicalDeviceMemoryProperties& p) {
         p.memoryTypeCount = far_too_many;
         for (VkMemoryType& type : p.memoryTypes) type.heapIndex = far_too_many;
       });
     }},
    {"no queue", families<0>},
    {"too many queues", families<far_too_many>},
    {"device", REFUSAL(vkCreateDevice, VK_ERROR_INITIALIZATION_FAILED)},
    {"no submit", [](table& t) { t["vkQueueSubmit"] = nullptr; }},
    {"allocation", REFUSAL(vkAllocateMemory, VK_ERROR_OUT_OF_DEVICE_MEMORY)},
    {"memory",
     [](table& t) {
       replace(t, "vkAllocateMemory",
               [](VkDevice of, const VkMemoryAllocateInfo* what, const VkAllocationCallbacks* how,
                  VkDeviceMemory* made) {
                 return hocket::fake::refuses_memory
                            ? VK_ERROR_OUT_OF_DEVICE_MEMORY
                            : own<PFN_vkAllocateMemory>("vkAllocateMemory")(of, what, how, made);
               });
     }},
    {"buffer", REFUSAL(vkCreateBuffer, VK_ERROR_OUT_OF_HOST_MEMORY)},
    {"compiler", REFUSAL(vkCreateComputePipelines, VK_ERROR_UNKNOWN)},
    {"recording", REFUSAL(vkEndCommandBuffer, VK_ERROR_OUT_OF_HOST_MEMORY)},
    {"submit", REFUSAL(vkQueueSubmit, VK_ERROR_DEVICE_LOST)},
    {"wait", REFUSAL(vkWaitSemaphores, VK_ERROR_DEVICE_LOST)},
    {"wait is no code", REFUSAL(vkWaitSemaphores, VkResult(-123456))},
};

const table& replaced() {
  static const table made = [] {
    table begun;
    hocket::fake::put_in({&faults}, begun);
    return begun;
  }();
  return made;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char* name) {
  const auto found = replaced().find(name);
  if (found != replaced().end()) return found->second;
  return own<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr")(device, name);
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                               const VkAllocationCallbacks* memory,
                                               VkInstance* made) {
  const auto create =
      reinterpret_cast<PFN_vkCreateInstance>(driver_function(VK_NULL_HANDLE, "vkCreateInstance"));
  const int planned = hocket::fake::counter.next("vkCreateInstance");
  const VkResult code = planned != 0 ? VkResult(planned) : create(info, memory, made);
  if (code == VK_SUCCESS) instance = *made;
  return code;
}

}  // namespace

extern "C" VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance of,
                                                                              const char* name) {
  const auto found = replaced().find(name);
  if (found != replaced().end()) return found->second;
  const std::string_view wanted = name;
  if (wanted == "vkCreateInstance") return reinterpret_cast<PFN_vkVoidFunction>(create_instance);
  if (wanted == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(device_function);
  return driver_function(of, name);
}

extern "C" VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(std::uint32_t* version) {
  static const auto real = hocket::fake::real<PFN_vkNegotiateLoaderICDInterfaceVersion>(
      library(), "vk_icdNegotiateLoaderICDInterfaceVersion");
  return real == nullptr ? VK_ERROR_INCOMPATIBLE_DRIVER : real(version);
}

/// With the fault "any": when the device runs what is submitted, see pace.hpp.
extern "C" void hocket_fake_set_pace(int how) { submitted.set(hocket::fake::pace{how}); }

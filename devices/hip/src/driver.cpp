// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "driver.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <hocket/devices/driver_failure.hpp>
#include <hocket/kernels/native.hpp>

namespace hocket::hip {

namespace {

/// After the codes that mean device_lost every call that uses the device fails.
constexpr std::array codes{
    driver_code{1, "hipErrorInvalidValue", failure_code::task_failed},
    driver_code{2, "hipErrorOutOfMemory", failure_code::out_of_memory},
    driver_code{3, "hipErrorNotInitialized", failure_code::task_failed},
    driver_code{4, "hipErrorDeinitialized", failure_code::device_lost},
    driver_code{9, "hipErrorInvalidConfiguration", failure_code::task_failed},
    driver_code{17, "hipErrorInvalidDevicePointer", failure_code::task_failed},
    driver_code{35, "hipErrorInsufficientDriver", failure_code::task_failed},
    driver_code{98, "hipErrorInvalidDeviceFunction", failure_code::task_failed},
    driver_code{100, "hipErrorNoDevice", failure_code::task_failed},
    driver_code{101, "hipErrorInvalidDevice", failure_code::task_failed},
    driver_code{200, "hipErrorInvalidImage", failure_code::task_failed},
    driver_code{201, "hipErrorInvalidContext", failure_code::device_lost},
    driver_code{209, "hipErrorNoBinaryForGpu", failure_code::task_failed},
    driver_code{214, "hipErrorECCNotCorrectable", failure_code::device_lost},
    driver_code{217, "hipErrorPeerAccessUnsupported", failure_code::task_failed},
    driver_code{218, "hipErrorInvalidKernelFile", failure_code::task_failed},
    driver_code{302, "hipErrorSharedObjectSymbolNotFound", failure_code::task_failed},
    driver_code{303, "hipErrorSharedObjectInitFailed", failure_code::task_failed},
    driver_code{304, "hipErrorOperatingSystem", failure_code::task_failed},
    driver_code{400, "hipErrorInvalidHandle", failure_code::task_failed},
    driver_code{401, "hipErrorIllegalState", failure_code::task_failed},
    driver_code{500, "hipErrorNotFound", failure_code::task_failed},
    driver_code{600, "hipErrorNotReady", failure_code::task_failed},
    driver_code{700, "hipErrorIllegalAddress", failure_code::device_lost},
    driver_code{701, "hipErrorLaunchOutOfResources", failure_code::task_failed},
    driver_code{702, "hipErrorLaunchTimeOut", failure_code::device_lost},
    driver_code{704, "hipErrorPeerAccessAlreadyEnabled", failure_code::task_failed},
    driver_code{709, "hipErrorContextIsDestroyed", failure_code::device_lost},
    driver_code{710, "hipErrorAssert", failure_code::device_lost},
    driver_code{719, "hipErrorLaunchFailure", failure_code::device_lost},
    driver_code{801, "hipErrorNotSupported", failure_code::task_failed},
    driver_code{999, "hipErrorUnknown", failure_code::device_lost},
    driver_code{1052, "hipErrorRuntimeMemory", failure_code::device_lost},
    driver_code{1053, "hipErrorRuntimeOther", failure_code::device_lost},
};

/// A handle that is not null for any device.
context_handle handle_of(device_number device) {
  return reinterpret_cast<context_handle>(static_cast<std::uintptr_t>(device) + 1);
}
device_number number_of(context_handle context) {
  return static_cast<device_number>(reinterpret_cast<std::uintptr_t>(context) - 1);
}

end_3d end_of(const gpu::box_end& end, std::size_t row_bytes) {
  end_3d made;
  made.address =
      end.context == nullptr ? static_cast<void*>(end.host) : reinterpret_cast<void*>(end.device);
  made.pitch = end.pitch;
  made.row_bytes = row_bytes;
  made.height = end.height;
  return made;
}

}  // namespace

code driver_api::architecture_of(device_number device, std::string& made) const {
  const auto all = std::make_unique<properties>();
  const code answer = own.get_properties(all.get(), device);
  if (answer != success) return answer;
  const char* const name =
      all->content + (is_before_6 ? properties::architecture_before_6 : properties::architecture);
  made.assign(name, std::find(name, name + properties::architecture_bytes, '\0'));
  return success;
}

void driver_api::with_place(context_handle /*in*/, device_number device, stream_handle stream,
                            const std::function<void(const void* place)>& call) const {
  const hip_place place{device, reinterpret_cast<ihipStream_t*>(stream)};
  call(&place);
}

std::string driver_api::version_text(int version) const {
  return std::to_string(version / version_of_major) + "." +
         std::to_string(version % version_of_major / version_of_minor);
}

std::string driver_api::name_of(code of) const { return text_of(codes, of); }

failure_code driver_api::meaning_of(code of) const noexcept {
  return hocket::meaning_of(codes, of, failure_code::task_failed);
}

code driver_api::retain(context_handle& made, device_number device) const {
  context_handle before = nullptr;
  const code answer = enter(handle_of(device), before);
  if (answer != success) return answer;
  leave(before);
  made = handle_of(device);
  return success;
}

/// The program's use of a device does not end before the program.
void driver_api::release(device_number) const noexcept {}

code driver_api::enter(context_handle context, context_handle& before) const {
  device_number now = 0;
  const code answer = own.hipGetDevice(&now);
  if (answer != success) return answer;
  before = handle_of(now);
  return before == context ? success : own.hipSetDevice(number_of(context));
}

void driver_api::leave(context_handle before) const noexcept {
  device_number now = 0;
  if (own.hipGetDevice(&now) == success && handle_of(now) == before) return;
  (void)own.hipSetDevice(number_of(before));
}

void driver_api::use_memory_of(context_handle other) const noexcept {
  (void)own.hipDeviceEnablePeerAccess(number_of(other), 0);
}

code driver_api::load(module_handle& made, const std::string& binary, std::string& log) const {
  log.clear();
  return own.hipModuleLoadData(&made, binary.data());
}

code driver_api::copy_between(device_address to, context_handle to_context, device_address from,
                              context_handle from_context, std::size_t bytes,
                              stream_handle stream) const {
  return own.hipMemcpyPeerAsync(to, number_of(to_context), from, number_of(from_context), bytes,
                                stream);
}

code driver_api::copy_box(const gpu::box_copy& what, stream_handle stream) const {
  copy_3d made{end_of(what.from, what.width_bytes), end_of(what.to, what.width_bytes),
               what.width_bytes, what.height, what.depth};
  if (what.from.context == nullptr) {
    made.way = direction::to_device;
  } else {
    made.way = what.to.context == nullptr ? direction::to_host : direction::between_devices;
  }
  return own.hipMemcpy3DAsync(&made, stream);
}

bool driver_api::is_pinned(const void* host) const {
  int kind = -1;
  return own.hipPointerGetAttribute(&kind, pointer_memory_kind,
                                    reinterpret_cast<device_address>(host)) == success &&
         kind == (is_before_6 ? host_memory_before_6 : host_memory);
}

}  // namespace hocket::hip

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "describe.hpp"

#include <CL/cl_ext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>

#include <hocket/devices/driver_text.hpp>
#include <hocket/devices/pci_address.hpp>
#include <hocket/devices/prediction.hpp>

#include "errors.hpp"

namespace hocket::opencl {

namespace {

constexpr std::size_t largest_group = 256;  // of a kernel_pass
constexpr std::uint64_t max_memory = std::uint64_t{1} << 46U;

/// ask is a question to a driver without its subject.
template <class Ask>
std::string read_text(Ask ask) {
  std::size_t bytes = 0;
  constexpr std::size_t most = std::size_t{1} << 20U;
  if (ask(std::size_t{0}, nullptr, &bytes) != CL_SUCCESS || bytes == 0 || bytes > most) return {};
  std::string text(bytes, '\0');
  if (ask(text.size(), text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

bool has_extension(const api& cl, cl_device_id device, const std::string& name) {
  const std::string all = " " + text_of(cl, device, CL_DEVICE_EXTENSIONS) + " ";
  return all.find(" " + name + " ") != std::string::npos;
}

bool is_cpu(const api& cl, cl_device_id device) {
  const auto type = number_of<cl_device_type>(cl, device, CL_DEVICE_TYPE);
  return type && (*type & CL_DEVICE_TYPE_CPU) != 0;
}

bool shares_memory(const api& cl, cl_device_id device) {
  return number_of<cl_bool>(cl, device, CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE;
}

std::vector<element_type> lacking(const api& cl, cl_device_id device) {
  std::vector<element_type> lacks;
  const auto doubles =
      number_of<cl_device_fp_config>(cl, device, CL_DEVICE_DOUBLE_FP_CONFIG).value_or(0);
  if (doubles == 0 || !has_extension(cl, device, "cl_khr_fp64")) {
    lacks = {element_type::f64, element_type::c128};
  }
  const bool embedded = text_of(cl, device, CL_DEVICE_PROFILE) == "EMBEDDED_PROFILE";
  if (embedded && !has_extension(cl, device, "cles_khr_int64")) {
    lacks.insert(lacks.end(), {element_type::i64, element_type::u64});
  }
  return lacks;
}

std::string pci_of(const api& cl, cl_device_id device) {
  if (!has_extension(cl, device, "cl_khr_pci_bus_info")) return {};
  const auto at = number_of<cl_device_pci_bus_info_khr>(cl, device, CL_DEVICE_PCI_BUS_INFO_KHR)
                      .value_or(cl_device_pci_bus_info_khr{});
  return pci_address({at.pci_domain, at.pci_bus, at.pci_device, at.pci_function});
}

/// Offsets of allocations are multiples of what the device wants where a buffer begins.
std::size_t alignment_of(const api& cl, cl_device_id device) {
  constexpr std::size_t least = 64, most = 4096, bits = 8;
  const std::size_t asked =
      number_of<cl_uint>(cl, device, CL_DEVICE_MEM_BASE_ADDR_ALIGN).value_or(0) / bits;
  return std::has_single_bit(asked) ? std::clamp(asked, least, most) : most;
}

/// What its units can compute, by their number and clock.
double guessed_flops(const api& cl, cl_device_id device, device_style style) {
  const double units = std::clamp(
      number_of<cl_uint>(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS).value_or(1), 1U, 4096U);
  constexpr cl_uint usual_clock = 1000;  // MHz; some drivers say 0
  cl_uint clock = number_of<cl_uint>(cl, device, CL_DEVICE_MAX_CLOCK_FREQUENCY).value_or(0);
  if (clock == 0 || clock > 10 * usual_clock) clock = usual_clock;
  const cl_uint vector =
      number_of<cl_uint>(cl, device, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT).value_or(1);
  // A CPU's unit does two multiply-adds of a vector in a cycle, a GPU's one for each of 64 lanes;
  // real kernels see half of it.
  const bool cpu = style == device_style::cpu_compiler;
  return units * clock * 1e6 * (cpu ? 2.0 * std::clamp(vector, 1U, 32U) : 64.0);
}

/// Why the device cannot be used, with the code of a question that was not answered.
std::string unusable(const api& cl, cl_device_id device, cl_int& code) {
  const auto yes = [&](cl_device_info what) {
    return number_of<cl_bool>(cl, device, what, &code) == CL_TRUE;
  };
  if (!yes(CL_DEVICE_AVAILABLE)) return "is not available";
  if (!yes(CL_DEVICE_COMPILER_AVAILABLE)) return "has no compiler";
  if (!yes(CL_DEVICE_ENDIAN_LITTLE)) return "stores numbers in another order than the host";
  const auto memory = number_of<cl_ulong>(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE, &code).value_or(0);
  const auto largest =
      number_of<cl_ulong>(cl, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &code).value_or(0);
  if (memory == 0 || largest == 0) return "says that it has no memory";
  const auto group =
      number_of<std::size_t>(cl, device, CL_DEVICE_MAX_WORK_GROUP_SIZE, &code).value_or(0);
  if (group < largest_group) {
    return "takes groups of at most " + std::to_string(group) + " work-items, but kernels have " +
           std::to_string(largest_group);
  }
  const std::string version = text_of(cl, device, CL_DEVICE_VERSION);
  if (version.starts_with("OpenCL 1.0") || version.starts_with("OpenCL 1.1")) {
    return "has " + driver_text(version) + ", but kernels need OpenCL 1.2";
  }
  return {};
}

}  // namespace

std::string text_of(const api& cl, cl_platform_id of, cl_platform_info what) {
  return read_text([&](std::size_t room, void* to, std::size_t* bytes) {
    return cl.clGetPlatformInfo(of, what, room, to, bytes);
  });
}

std::string text_of(const api& cl, cl_device_id of, cl_device_info what) {
  return read_text([&](std::size_t room, void* to, std::size_t* bytes) {
    return cl.clGetDeviceInfo(of, what, room, to, bytes);
  });
}

std::string build_log(const api& cl, cl_program of, cl_device_id device) {
  const std::string log = read_text([&](std::size_t room, void* to, std::size_t* bytes) {
    return cl.clGetProgramBuildInfo(of, device, CL_PROGRAM_BUILD_LOG, room, to, bytes);
  });
  return log.empty() ? "it does not say why." : log;
}

std::string name_of(const api& cl, cl_platform_id driver) {
  return driver_name(text_of(cl, driver, CL_PLATFORM_NAME));
}

std::string name_of(const api& cl, cl_device_id device) {
  return driver_name(text_of(cl, device, CL_DEVICE_NAME));
}

std::string unusable(const api& cl, cl_device_id device) {
  cl_int code = CL_SUCCESS;
  const std::string why = unusable(cl, device, code);
  if (code == CL_SUCCESS) return why;
  return "does not say what it can do: its driver says " + name_of(code);
}

device_info describe(const api& cl, cl_platform_id platform, cl_device_id device) {
  device_info info;
  info.backend = "opencl";
  info.description = name_of(cl, device) + ", " + name_of(cl, platform) + " " +
                     driver_text(text_of(cl, device, CL_DRIVER_VERSION));
  info.formats = {kernel_format::opencl_commands, kernel_format::opencl_c};
  info.style = is_cpu(cl, device) ? device_style::cpu_compiler : device_style::gpu;
  info.pci = pci_of(cl, device);
  info.lacks = lacking(cl, device);
  // They were answered before, by unusable(): a driver that no longer does refuses allocations.
  info.memory_bytes = std::min<std::uint64_t>(
      number_of<cl_ulong>(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE).value_or(max_memory), max_memory);
  info.largest_binding = std::min<std::uint64_t>(
      number_of<cl_ulong>(cl, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE).value_or(max_memory),
      info.memory_bytes);
  info.alignment = alignment_of(cl, device);
  info.imports_host_memory = info.style == device_style::cpu_compiler && shares_memory(cl, device);
  if (info.style == device_style::cpu_compiler) {
    info.host_cores = number_of<cl_uint>(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS).value_or(0);
  }
  info.depth = 4;
  info.ahead = std::chrono::microseconds(200);
  guess_rates(info);
  info.flops_per_second = guessed_flops(cl, device, info.style);
  return info;
}

std::size_t max_parts(const api& cl, cl_device_id device) {
  if (!is_cpu(cl, device)) return 1;
  // Asked first: a driver that cannot split may lack the function that splits.
  const auto most = number_of<cl_uint>(cl, device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES).value_or(0);
  const auto units = number_of<cl_uint>(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS).value_or(0);
  std::array<cl_device_partition_property, 8> ways{};
  if (most < 2 || cl.clGetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, sizeof ways,
                                     ways.data(), nullptr) != CL_SUCCESS) {
    return 1;
  }
  const bool equally = std::ranges::find(ways, CL_DEVICE_PARTITION_EQUALLY) != ways.end();
  return equally ? std::max<std::size_t>(std::min(most, units), 1) : 1;
}

std::string identity_of(const api& cl, cl_platform_id platform, cl_device_id device) {
  std::string text =
      text_of(cl, platform, CL_PLATFORM_NAME) + "\n" + text_of(cl, platform, CL_PLATFORM_VERSION);
  for (const int what : {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION}) {
    text += "\n" + text_of(cl, device, static_cast<cl_device_info>(what));
  }
  return text;
}

}  // namespace hocket::opencl

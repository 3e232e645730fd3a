// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include <hocket/core/error.hpp>
#include <hocket/devices/opencl.hpp>
#include <hocket/execution/executor.hpp>

#include "describe.hpp"
#include "device.hpp"
#include "options.hpp"

namespace hocket {

namespace {

using namespace opencl;

constexpr cl_uint most_listed = 1024;  // platforms, devices of one; a driver that says more errs

class candidate final : public device_candidate {
 public:
  candidate(device_info info, std::shared_ptr<root_device> root, std::size_t part)
      : info_(std::move(info)), root_(std::move(root)), part_(part) {}

  [[nodiscard]] const device_info& info() const noexcept override { return info_; }

  [[nodiscard]] result<std::unique_ptr<device>> connect(const device_numbers& numbers,
                                                        executor& where,
                                                        completion_sink& sink) const override {
    return connect_device(info_, root_, part_, numbers, where, sink);
  }

 private:
  device_info info_;
  std::shared_ptr<root_device> root_;
  std::size_t part_;
};

std::vector<cl_platform_id> platforms_of(const api& cl) {
  cl_uint count = 0;
  if (cl.clGetPlatformIDs(0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_platform_id> all(std::min(count, most_listed));
  if (all.empty()) return {};
  const auto wanted = static_cast<cl_uint>(all.size());
  return cl.clGetPlatformIDs(wanted, all.data(), nullptr) == CL_SUCCESS
             ? all
             : std::vector<cl_platform_id>();
}

std::vector<cl_device_id> devices_of(const api& cl, cl_platform_id platform) {
  cl_uint count = 0;
  const cl_device_type type = CL_DEVICE_TYPE_ALL;
  if (cl.clGetDeviceIDs(platform, type, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> all(std::min(count, most_listed));
  if (all.empty()) return {};
  const auto wanted = static_cast<cl_uint>(all.size());
  return cl.clGetDeviceIDs(platform, type, wanted, all.data(), nullptr) == CL_SUCCESS
             ? all
             : std::vector<cl_device_id>();
}

/// So many equal parts of the device; none if it cannot be split at all. Throws usage_error if it
/// can be split, but not into so many.
std::vector<handle<cl_device_id>> split(const api& cl, cl_device_id device, std::size_t parts,
                                        const std::string& name) {
  const std::size_t most = most_parts(cl, device);
  if (parts < 2 || most < 2) return {};
  if (parts > most) {
    throw usage_error("\"sub-devices\" in the configuration of opencl is \"" +
                      std::to_string(parts) + "\"; " + name + " can be split into at most " +
                      std::to_string(most) + ".");
  }
  const cl_uint units = number_of<cl_uint>(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS).value_or(1);
  const cl_device_partition_property how[3] = {
      CL_DEVICE_PARTITION_EQUALLY,
      static_cast<cl_device_partition_property>(units / static_cast<cl_uint>(parts)), 0};
  cl_uint count = 0;
  if (cl.clCreateSubDevices(device, how, 0, nullptr, &count) != CL_SUCCESS || count < parts) {
    return {};
  }
  std::vector<cl_device_id> made(std::min(count, most_listed));
  if (cl.clCreateSubDevices(device, how, static_cast<cl_uint>(made.size()), made.data(), nullptr) !=
      CL_SUCCESS) {
    return {};
  }
  std::vector<handle<cl_device_id>> owned;
  for (const cl_device_id d : made) owned.emplace_back(cl, d);
  owned.erase(owned.begin() + static_cast<std::ptrdiff_t>(parts), owned.end());
  return owned;
}

/// What find makes of the drivers.
struct listing {
  std::vector<std::unique_ptr<device_candidate>> devices;
  std::string left_out;  ///< sentences
};

void add_root(listing& made, std::size_t number, const std::shared_ptr<const api>& cl,
              cl_platform_id platform, cl_device_id device, const options& given) {
  const std::string name = "OpenCL" + std::to_string(number);
  std::vector<handle<cl_device_id>> owned = split(*cl, device, given.sub_devices, name);
  std::vector<cl_device_id> parts{device};
  const bool whole = owned.empty();
  if (!whole) parts.clear();
  for (const auto& part : owned) parts.push_back(part.get());
  const auto root =
      std::make_shared<root_device>(cl, name, platform, std::move(parts), std::move(owned));
  for (std::size_t part = 0; part < root->parts().size(); ++part) {
    device_info info = describe(*cl, platform, root->parts()[part]);
    info.name = whole ? name : name + "." + std::to_string(part);
    if (!whole) info.description += ", part of it";
    info.domain = name;
    info.peer_copies = !whole;
    info.imports_host_memory = info.imports_host_memory && given.import;
    if (given.memory) info.memory_bytes = std::min(info.memory_bytes, *given.memory);
    info.largest_binding = std::min(info.largest_binding, info.memory_bytes);
    made.devices.push_back(std::make_unique<candidate>(std::move(info), root, part));
  }
}

listing list(const options& given) {
  listing made;
  const std::shared_ptr<const api> cl = load();
  if (!cl) return made;
  std::size_t number = 0;
  for (const cl_platform_id platform : platforms_of(*cl)) {
    for (const cl_device_id device : devices_of(*cl, platform)) {
      const std::string why = unusable(*cl, device);
      if (why.empty()) {
        add_root(made, number++, cl, platform, device, given);
      } else {
        made.left_out += " The device \"" + text_of(*cl, device, CL_DEVICE_NAME) + "\" of \"" +
                         text_of(*cl, platform, CL_PLATFORM_NAME) + "\" " + why + ".";
      }
    }
  }
  return made;
}

class opencl_backend final : public backend {
 public:
  [[nodiscard]] std::string name() const override { return "opencl"; }

  [[nodiscard]] std::vector<std::unique_ptr<device_candidate>> find(
      const executor& where, const std::string& configuration) const override {
    const options given = parse(configuration);
    if (where.is_virtual()) return {};  // what drivers do takes real time
    return list(given).devices;
  }

  [[nodiscard]] std::string why_none() const override {
    const std::string left_out = list({}).left_out;
    if (!left_out.empty()) return "There is no OpenCL device that can be used:" + left_out;
    return "There is no OpenCL device; a driver has to be installed, such as pocl-opencl-icd of "
           "Debian, which is one for the CPU.";
  }
};

}  // namespace

std::unique_ptr<const backend> make_opencl_backend() { return std::make_unique<opencl_backend>(); }

}  // namespace hocket

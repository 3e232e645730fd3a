// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>
#include <hocket/devices/configuration.hpp>
#include <hocket/devices/driver_list.hpp>
#include <hocket/devices/opencl.hpp>
#include <hocket/execution/executor.hpp>

#include "adopted.hpp"
#include "describe.hpp"
#include "device.hpp"
#include "errors.hpp"

namespace hocket {

namespace {

using namespace opencl;

/// What the configuration says.
struct options {
  std::size_t sub_devices = 1;
  std::optional<std::uint64_t> memory;
  bool import = true;
  bool gpu_texts = false;  ///< kernels are those for GPUs
};

options parse(const std::string& configuration) {
  constexpr std::uint64_t most_parts = 4096;
  configuration_reader reader("opencl", configuration);
  options made;
  made.sub_devices = reader.number("sub-devices", 1, most_parts).value_or(made.sub_devices);
  made.memory = reader.bytes("memory");
  made.import = reader.flag("import").value_or(made.import);
  made.gpu_texts = reader.flag("gpu-texts").value_or(made.gpu_texts);
  reader.finish();
  return made;
}

/// Objects that a driver lists.
template <class Object>
struct objects {
  std::vector<Object> all;
  cl_int code = CL_SUCCESS;
};

/// none is the code of a list without objects.
template <class Object, class Ask>
objects<Object> list(cl_int none, Ask ask) {
  objects<Object> made;
  made.code = driver_list(made.all, CL_SUCCESS, [&](std::uint32_t* count, Object* to) {
    return to == nullptr ? ask(cl_uint{0}, to, count) : ask(*count, to, nullptr);
  });
  if (made.code == none) made.code = CL_SUCCESS;
  std::erase(made.all, nullptr);
  return made;
}

objects<cl_platform_id> platforms_of(const api& cl) {
  constexpr cl_int no_driver = -1001;  // CL_PLATFORM_NOT_FOUND_KHR, of the loader
  return list<cl_platform_id>(no_driver, cl.clGetPlatformIDs);
}

objects<cl_device_id> devices_of(const api& cl, cl_platform_id platform) {
  return list<cl_device_id>(
      CL_DEVICE_NOT_FOUND, [&](cl_uint most, cl_device_id* to, cl_uint* count) {
        return cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, most, to, count);
      });
}

/// So many equal parts of the device; none if it cannot be split at all. Throws usage_error if it
/// can be split, but not into so many.
std::vector<handle<cl_device_id>> split(const api& cl, cl_device_id device, std::size_t parts,
                                        const std::string& name) {
  const std::size_t most = max_parts(cl, device);
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
  const auto made =
      list<cl_device_id>(CL_SUCCESS, [&](cl_uint room, cl_device_id* to, cl_uint* count) {
        return cl.clCreateSubDevices(device, how, room, to, count);
      });
  std::vector<handle<cl_device_id>> owned;
  for (const cl_device_id d : made.all) owned.emplace_back(cl, d);
  if (owned.size() < parts) return {};
  owned.erase(owned.begin() + static_cast<std::ptrdiff_t>(parts), owned.end());
  return owned;
}

/// A search for devices: the options, and the devices that were found so far.
struct search {
  const std::shared_ptr<const api> cl;
  const options given;
  std::vector<adopted_device> adopted;  ///< those that were not found yet
  found_devices made;
  std::size_t number = 0;
};

/// own: the context of the program that has the device, or nothing.
void add_root(search& in, cl_platform_id platform, cl_device_id device, handle<cl_context> own) {
  const std::string name = "OpenCL" + std::to_string(in.number++);
  const bool is_adopted = own.get() != nullptr;
  std::vector<handle<cl_device_id>> owned;
  if (own.get() == nullptr) owned = split(*in.cl, device, in.given.sub_devices, name);
  std::vector<cl_device_id> parts{device};
  const bool whole = owned.empty();
  if (!whole) parts.clear();
  for (const auto& part : owned) parts.push_back(part.get());
  const auto root = std::make_shared<root_device>(in.cl, name, platform, std::move(parts),
                                                  std::move(owned), std::move(own));
  for (std::size_t part = 0; part < root->parts().size(); ++part) {
    device_info info = describe(*in.cl, platform, root->parts()[part]);
    info.name = whole ? name : name + "." + std::to_string(part);
    if (!whole) info.description += ", part of it";
    info.domain = name;
    info.peer_copies = !whole;
    info.keeps_freed_blocks = true;
    info.imports_host_memory = info.imports_host_memory && in.given.import;
    if (in.given.gpu_texts) info.style = device_style::gpu;
    if (in.given.memory) info.memory_bytes = std::min(info.memory_bytes, *in.given.memory);
    info.largest_binding = std::min(info.largest_binding, info.memory_bytes);
    in.made.usable.push_back(std::make_unique<device_candidate>(
        info,
        [=](const device_numbers& numbers, executor& where, completion_sink& sink) {
          return connect_device(info, root, part, numbers, where, sink);
        },
        is_adopted));
  }
}

/// A device that its driver, or a context of the program, has.
void add_device(search& in, cl_platform_id platform, cl_device_id device) {
  const api& cl = *in.cl;
  const std::string text = "The OpenCL device \"" + name_of(cl, device) + "\" of the driver \"" +
                           name_of(cl, platform) + "\"";
  const std::string why = unusable(cl, device);
  const auto adopted = std::ranges::find(in.adopted, device, &adopted_device::device);
  if (adopted == in.adopted.end()) {
    if (why.empty()) return add_root(in, platform, device, {});
    return in.made.left_out.push_back(text + " is left out: it " + why + ".");
  }
  if (!why.empty()) {
    throw usage_error(text + ", of a context in runtime_options::adopted, " + why + ".");
  }
  handle<cl_context> own = retained(cl, adopted->context);
  if (own.get() == nullptr) {
    throw usage_error(text + ", of a context in runtime_options::adopted, cannot be kept.");
  }
  add_root(in, platform, device, std::move(own));
  in.adopted.erase(adopted);
}

void add_driver(search& in, cl_platform_id platform) {
  const objects<cl_device_id> devices = devices_of(*in.cl, platform);
  if (devices.code != CL_SUCCESS) {
    in.made.left_out.push_back("The OpenCL driver \"" + name_of(*in.cl, platform) +
                               "\" is left out: asked for its devices, it says " +
                               name_of(devices.code) + ".");
  }
  for (const cl_device_id device : devices.all) add_device(in, platform, device);
}

/// Adds devices of contexts of the program that no driver lists: parts of others.
void add_unlisted(search& in) {
  for (const adopted_device& each : std::vector(in.adopted)) {
    const auto platform = number_of<cl_platform_id>(*in.cl, each.device, CL_DEVICE_PLATFORM);
    if (!platform) {
      throw usage_error("runtime_options::adopted has a context of OpenCL whose device \"" +
                        name_of(*in.cl, each.device) + "\" does not tell its driver.");
    }
    add_device(in, *platform, each.device);
  }
}

/// Where the loader looks for files that name drivers.
std::string searched() {
  const auto given = environment_variable("OCL_ICD_VENDORS");
  return given ? "\"" + *given + "\", which OCL_ICD_VENDORS names" : "/etc/OpenCL/vendors";
}

class opencl_backend final : public backend {
 public:
  [[nodiscard]] std::string name() const override { return "opencl"; }

  [[nodiscard]] found_devices find(const executor& where, const std::string& configuration,
                                   const adopted_contexts& adopted) const override {
    const options given = parse(configuration);
    const bool adopts = any_of_backend(adopted, name());
    if (where.is_virtual()) {  // what drivers do takes real time
      if (adopts) throw usage_error("A context of OpenCL cannot be adopted on a virtual clock.");
      return {};
    }
    auto cl = load();
    if (!cl && adopts) throw usage_error("runtime_options::adopted: " + cl.error().message());
    if (!cl) return {};
    search in{cl.value(), given, adopted_devices(*cl.value(), adopted), {}, 0};
    const objects<cl_platform_id> platforms = platforms_of(*in.cl);
    if (platforms.code != CL_SUCCESS) {
      in.made.left_out.push_back("OpenCL is left out: asked for its drivers, its loader says " +
                                 name_of(platforms.code) + ".");
    }
    for (const cl_platform_id platform : platforms.all) add_driver(in, platform);
    add_unlisted(in);
    return std::move(in.made);
  }

  [[nodiscard]] std::string why_none() const override {
    auto cl = load();
    if (!cl) return cl.error().message();
    std::string drivers;
    for (const cl_platform_id platform : platforms_of(*cl.value()).all) {
      drivers += (drivers.empty() ? "\"" : ", \"") + name_of(*cl.value(), platform) + "\"";
    }
    const std::string install =
        "; pocl-opencl-icd of Debian is a driver for the CPU, and the vendor of a GPU has one for "
        "it.";
    if (!drivers.empty())
      return "OpenCL has drivers without a device that can be used: " + drivers + install;
    return "The loader of OpenCL is there, and finds no driver that it can open in " + searched() +
           install;
  }
};

}  // namespace

std::unique_ptr<const backend> make_opencl_backend() { return std::make_unique<opencl_backend>(); }

}  // namespace hocket

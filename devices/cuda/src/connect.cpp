// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <optional>

#include <hocket/devices/configuration.hpp>
#include <hocket/devices/cuda.hpp>
#include <hocket/execution/executor.hpp>

#include "device.hpp"
#include "errors.hpp"

namespace hocket {

namespace {

using namespace cuda;

/// The options of a configuration.
struct options {
  std::optional<std::uint64_t> memory;
  std::optional<std::string> driver, nvrtc, blas;
  bool allows_tf32 = false;
};

options parse(const std::string& configuration) {
  configuration_reader reader("cuda", configuration);
  options made;
  made.memory = reader.bytes("memory");
  made.driver = reader.text("driver");
  made.nvrtc = reader.text("nvrtc");
  made.blas = reader.text("blas");
  made.allows_tf32 = reader.flag("tf32").value_or(false);
  reader.finish();
  return made;
}

/// The answers of a driver that starts.
struct driver_answers {
  code why = success;  ///< why it does not start
  int version = 0;
  int devices = 0;
};

driver_answers ask(const api& functions) {
  constexpr int most = 4096;
  constexpr code no_device = 100;
  driver_answers made;
  made.why = functions.cuInit(0);
  if (made.why == success) made.why = functions.cuDriverGetVersion(&made.version);
  if (made.why == success) made.why = functions.cuDeviceGetCount(&made.devices);
  if (made.why == no_device) made = {success, made.version, 0};
  made.devices = made.why == success ? std::clamp(made.devices, 0, most) : 0;
  return made;
}

/// A device that is listed, or the sentence that says why it is left out.
void add_device(found_devices& made, const std::shared_ptr<cuda::driver>& of, int ordinal,
                const options& given, bool has_peers) {
  const api& functions = of->functions();
  device_number number = 0;
  const code listed = functions.cuDeviceGet(&number, ordinal);
  if (listed != success) {
    made.left_out.push_back("The CUDA device " + std::to_string(ordinal) +
                            " is left out: asked for it, its driver says " + name_of(listed) + ".");
    return;
  }
  std::string why;
  described found = describe(functions, number, of->version(), why);
  const int architecture = of->with()->architecture_for(found.architecture);
  if (why.empty() && architecture == 0) {
    why = "has the compute capability " + std::to_string(found.architecture / 10) + "." +
          std::to_string(found.architecture % 10) + ", for which NVRTC " + of->with()->version() +
          " does not compile";
  }
  if (!why.empty()) {
    made.left_out.push_back("The CUDA device \"" + name_of(functions, number) +
                            "\" is left out: it " + why + ".");
    return;
  }
  device_info info = found.info;
  info.name = "CUDA" + std::to_string(made.usable.size());
  info.peer_copies = has_peers;
  if (given.memory) info.memory_bytes = std::min(info.memory_bytes, *given.memory);
  info.largest_binding = info.memory_bytes;
  made.usable.push_back(std::make_unique<device_candidate>(
      info, [=, limits = found.limits](const device_numbers& numbers, executor& where,
                                       completion_sink& sink) {
        return connect_device(info, limits, of, number, architecture, numbers, where, sink);
      }));
}

class cuda_backend final : public backend {
 public:
  [[nodiscard]] std::string name() const override { return "cuda"; }

  [[nodiscard]] found_devices find(const executor& where,
                                   const std::string& configuration) const override {
    const options given = parse(configuration);
    if (where.is_virtual()) return {};  // what drivers do takes real time
    found_devices made;
    const auto functions = load_driver(given.driver);
    if (!functions) {
      if (given.driver) made.left_out.push_back(functions.error().message());
      return made;
    }
    const driver_answers driver = ask(*functions.value());
    if (driver.why != success) {
      made.left_out.push_back("CUDA is left out: asked for its devices, its driver says " +
                              name_of(driver.why) + ".");
    }
    if (driver.devices == 0) return made;
    const auto compiles = load_compiler(given.nvrtc, driver.version);
    if (!compiles) {
      made.left_out.push_back("CUDA is left out: its kernels cannot be compiled. " +
                              compiles.error().message());
      return made;
    }
    const auto of = std::make_shared<cuda::driver>(
        functions.value(), driver.version, std::make_shared<const compiler>(compiles.value()),
        given.blas, given.allows_tf32);
    for (int d = 0; d < driver.devices; ++d) {
      add_device(made, of, d, given, driver.devices > 1);
    }
    return made;
  }

  [[nodiscard]] std::string why_none() const override {
    const auto functions = load_driver(std::nullopt);
    if (!functions) return functions.error().message();
    const driver_answers driver = ask(*functions.value());
    if (driver.why != success) {
      return "The driver of CUDA is there, and does not start: it says " + name_of(driver.why) +
             "; the driver and the kernel module of NVIDIA have to be of one version.";
    }
    if (driver.devices == 0) {
      return "The driver of CUDA is there, and finds no device; CUDA_VISIBLE_DEVICES may hide "
             "some.";
    }
    const auto compiles = load_compiler(std::nullopt, driver.version);
    if (!compiles) return compiles.error().message();
    return "The driver of CUDA has no device that can be used.";
  }
};

}  // namespace

std::unique_ptr<const backend> make_cuda_backend() { return std::make_unique<cuda_backend>(); }

}  // namespace hocket

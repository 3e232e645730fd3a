// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <map>
#include <utility>
#include <variant>

#include <hocket/devices/configuration.hpp>
#include <hocket/devices/cuda.hpp>

#include "blas.hpp"
#include "compiler.hpp"
#include "driver.hpp"
#include "gpu/vendor.hpp"
#include "loader.hpp"

namespace hocket {

namespace {

using namespace cuda;

constexpr int of(attribute a) { return static_cast<int>(a); }

constexpr gpu::attribute_numbers numbers{
    .max_block_items = of(attribute::max_block_items),
    .max_block_x = of(attribute::max_block_x),
    .max_block_y = of(attribute::max_block_y),
    .max_block_z = of(attribute::max_block_z),
    .multiprocessors = of(attribute::multiprocessors),
    .clock_khz = of(attribute::clock_khz),
    .memory_clock_khz = of(attribute::memory_clock_khz),
    .memory_bus_bits = of(attribute::memory_bus_bits),
    .pci_domain = of(attribute::pci_domain),
    .pci_bus = of(attribute::pci_bus),
    .pci_device = of(attribute::pci_device),
    .lanes = 128,
};

class nvidia final : public gpu::vendor {
 public:
  [[nodiscard]] std::string backend() const override { return "cuda"; }
  [[nodiscard]] std::string title() const override { return "CUDA"; }

  [[nodiscard]] gpu::options parse(const std::string& configuration) const override {
    configuration_reader reader(backend(), configuration);
    gpu::options made;
    made.memory = reader.bytes("memory");
    made.driver = gpu::file_of(reader, backend(), "driver");
    made.compiler = gpu::file_of(reader, backend(), "nvrtc");
    made.blas = gpu::file_of(reader, backend(), "blas");
    made.allows_tf32 = reader.flag("tf32").value_or(false);
    reader.finish();
    return made;
  }

  [[nodiscard]] result<std::shared_ptr<const gpu::api>> load_driver(
      const std::optional<std::string>& file) const override {
    return cuda::load_driver(file);
  }

  [[nodiscard]] result<std::shared_ptr<const gpu::compiler>> load_compiler(
      const std::optional<std::string>& file, int version) const override {
    const auto functions = cuda::load_compiler(file, version);
    if (!functions) return functions.error();
    return std::shared_ptr<const gpu::compiler>(
        std::make_shared<const compiler>(functions.value()));
  }

  [[nodiscard]] std::unique_ptr<gpu::product_library> products(const gpu::options& given,
                                                               int version) const override {
    return std::make_unique<blas_library>(given.blas, given.allows_tf32, version);
  }

  [[nodiscard]] std::map<device_number, context_handle> adopted(
      const gpu::api& driver, const adopted_contexts& given) const override {
    const auto& functions = static_cast<const driver_api&>(driver);
    std::map<device_number, context_handle> made;
    for (const adopted_context& each : given) {
      const auto* const own = std::get_if<cuda_context>(&each);
      if (own == nullptr) continue;
      device_number device = 0;
      const auto context = static_cast<context_handle>(own->context);
      if (const code answer = functions.device_of(context, device); answer != success) {
        throw usage_error(
            "runtime_options::adopted has a context of CUDA that cannot be used: asked for its "
            "device, its driver says " +
            driver.name_of(answer) + ".");
      }
      if (!made.emplace(device, context).second) {
        throw usage_error("runtime_options::adopted has two contexts of the CUDA device \"" +
                          gpu::name_of(driver, device) + "\".");
      }
    }
    return made;
  }

  [[nodiscard]] gpu::described describe(const gpu::driver& driver, device_number device,
                                        std::string& why) const override {
    gpu::described made = gpu::describe(driver.functions(), device, numbers, driver.version(), why);
    gpu::questions ask(driver.functions(), device);
    const bool is_closed = ask.number(of(attribute::compute_mode)) == compute_mode_prohibited;
    const bool is_unified = ask.number(of(attribute::unified_addressing)) != 0;
    const int major = ask.number(of(attribute::capability_major));
    const int minor = ask.number(of(attribute::capability_minor));
    // The compiler is this vendor's.
    const auto& with = static_cast<const compiler&>(*driver.with());
    const int architecture = with.architecture_for(10 * major + minor);
    made.architecture = compiler::name_of_architecture(architecture);
    made.machine_code = "sm_" + std::to_string(10 * major + minor);
    if (!why.empty()) return made;
    if (ask.why() != success) {
      why = "does not say what it can do: its driver says " + driver.functions().name_of(ask.why());
    } else if (is_closed) {
      why = "is in the compute mode that prohibits contexts";
    } else if (!is_unified) {
      why = "has no addresses in common with the host";
    } else if (architecture == 0) {
      why = "has the compute capability " + std::to_string(major) + "." + std::to_string(minor) +
            ", for which NVRTC " + with.version() + " does not compile";
    }
    return made;
  }

  [[nodiscard]] std::string when_it_does_not_start() const override {
    return "the driver and the kernel module of NVIDIA have to be of one version";
  }
  [[nodiscard]] std::string when_there_are_none() const override {
    return "CUDA_VISIBLE_DEVICES may hide some";
  }
};

}  // namespace

std::unique_ptr<const backend> make_cuda_backend() {
  return gpu::backend_of(std::make_unique<nvidia>());
}

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <utility>

#include <hocket/devices/configuration.hpp>
#include <hocket/devices/hip.hpp>

#include "blas.hpp"
#include "compiler.hpp"
#include "gpu/vendor.hpp"

namespace hocket {

namespace {

using namespace hip;

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
    .lanes = 64,
};

class amd final : public gpu::vendor {
 public:
  [[nodiscard]] std::string backend() const override { return "hip"; }
  [[nodiscard]] std::string title() const override { return "HIP"; }

  [[nodiscard]] gpu::options parse(const std::string& configuration) const override {
    configuration_reader reader(backend(), configuration);
    gpu::options made;
    made.memory = reader.bytes("memory");
    made.driver = gpu::file_of(reader, backend(), "driver");
    made.compiler = gpu::file_of(reader, backend(), "hiprtc");
    made.blas = gpu::file_of(reader, backend(), "blas");
    reader.finish();
    return made;
  }

  [[nodiscard]] result<std::shared_ptr<const gpu::api>> load_driver(
      const std::optional<std::string>& file) const override {
    return hip::load_driver(file);
  }

  [[nodiscard]] result<std::shared_ptr<const gpu::compiler>> load_compiler(
      const std::optional<std::string>& file, int version) const override {
    const auto functions = hip::load_compiler(file, version);
    if (!functions) return functions.error();
    return std::shared_ptr<const gpu::compiler>(
        std::make_shared<const compiler>(functions.value()));
  }

  [[nodiscard]] std::unique_ptr<gpu::product_library> products(const gpu::options& given,
                                                               int) const override {
    return std::make_unique<blas_library>(given.blas);
  }

  [[nodiscard]] gpu::described describe(const gpu::driver& driver, device_number device,
                                        std::string& why) const override {
    gpu::described made = gpu::describe(driver.functions(), device, numbers, driver.version(), why);
    if (!why.empty()) return made;
    // The functions are this vendor's.
    const auto& functions = static_cast<const driver_api&>(driver.functions());
    const code answer = functions.architecture_of(device, made.architecture);
    made.machine_code = made.architecture;
    gpu::questions ask(driver.functions(), device);
    if (ask.number(of(attribute::compute_mode)) == compute_mode_prohibited) {
      why = "is in the compute mode that prohibits programs";
    } else if (answer != success) {
      why = "does not say which architecture it has: asked for it, its driver says " +
            functions.name_of(answer);
    } else if (!made.architecture.starts_with("gfx")) {
      why = "does not say which architecture it has";
    }
    return made;
  }

  [[nodiscard]] std::string when_it_does_not_start() const override {
    return "the kernel's module amdgpu has to be loaded, and the user to be in the groups render "
           "and video";
  }
  [[nodiscard]] std::string when_there_are_none() const override {
    return "HIP_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES may hide some, and the user has to be in "
           "the groups render and video";
  }
};

}  // namespace

std::unique_ptr<const backend> make_hip_backend() {
  return gpu::backend_of(std::make_unique<amd>());
}

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/vulkan.hpp>

#include "device.hpp"
#include "facts.hpp"
#include "options.hpp"

namespace hocket {

namespace {

class vulkan_backend final : public backend {
 public:
  explicit vulkan_backend(vulkan_validation_listener listener) : listener_(std::move(listener)) {}

  [[nodiscard]] std::string name() const override { return "vulkan"; }

  [[nodiscard]] found_devices find(const executor& where,
                                   const std::string& configuration) const override {
    const vulkan::options given = vulkan::parse_options(configuration, listener_);
    found_devices made;
    if (where.is_virtual()) return made;
    auto looked_at = vulkan::instance::make({});
    if (!looked_at) {
      // Without a loader or a driver there is nothing that could be left out.
      const failure& why = looked_at.error();
      if (why.code() != failure_code::no_device) made.left_out.push_back(why.message());
      return made;
    }
    const std::vector<vulkan::facts> found =
        vulkan::usable_devices(*looked_at.value(), &made.left_out);
    for (std::size_t number = 0; number < found.size(); ++number) {
      if (given.device && *given.device != number) continue;
      made.usable.push_back(std::make_unique<device_candidate>(
          describe(found[number], number, given),
          [about = found[number], number, given](const device_numbers& numbers, executor& on,
                                                 completion_sink& sink) {
            return vulkan::connect_device(about, number, given, numbers, on, sink);
          }));
    }
    return made;
  }

  [[nodiscard]] std::string why_none() const override {
    const auto looked_at = vulkan::instance::make({});
    if (!looked_at) return looked_at.error().message();
    return "Vulkan has no device that can be used, or not the one that was asked for; a driver "
           "with Vulkan 1.2 has to be installed, such as mesa-vulkan-drivers of Debian, which has "
           "one for the CPU.";
  }

 private:
  vulkan_validation_listener listener_;
};

}  // namespace

std::unique_ptr<const backend> make_vulkan_backend() {
  return std::make_unique<vulkan_backend>(nullptr);
}

std::unique_ptr<const backend> make_vulkan_backend(vulkan_validation_listener listener) {
  return std::make_unique<vulkan_backend>(std::move(listener));
}

}  // namespace hocket

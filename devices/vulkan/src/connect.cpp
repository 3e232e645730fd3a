// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include <hocket/core/error.hpp>
#include <hocket/devices/vulkan.hpp>

#include "device.hpp"
#include "facts.hpp"
#include "options.hpp"

namespace hocket {

namespace {

/// The devices of the program take the places of those that are the same.
void add_adopted(std::vector<vulkan::found_device>& found, const vulkan_device& given,
                 const vulkan::options& options) {
  const auto of = vulkan::instance::adopt(static_cast<VkInstance>(given.instance));
  if (!of) throw usage_error("runtime_options::adopted: " + of.error().message());
  if (given.device == nullptr || given.queue == nullptr) {
    throw usage_error("runtime_options::adopted has a vulkan_device without a device or a queue.");
  }
  const auto is_own = [&](const vulkan::found_device& each) {
    return each.adopted && each.adopted->device == given.device;
  };
  if (std::ranges::any_of(found, is_own)) {
    throw usage_error("runtime_options::adopted has the same device of Vulkan twice.");
  }
  vulkan::facts about = vulkan::facts_of(*of.value(), given);
  const auto place = std::ranges::find_if(
      found, [&](const auto& each) { return !each.adopted && same(each.about, about); });
  if (place != found.end()) {
    place->about = std::move(about);
    place->adopted = given;
  } else {
    found.push_back({std::move(about), found.size(), options, given});
  }
}

std::vector<vulkan::found_device> listed(const vulkan::options& given,
                                         const adopted_contexts& adopted,
                                         std::vector<std::string>& left_out) {
  std::vector<vulkan::found_device> found;
  const auto looked_at = vulkan::instance::make({});
  if (looked_at) {
    for (vulkan::facts& each : vulkan::usable_devices(*looked_at.value(), &left_out)) {
      found.push_back({std::move(each), found.size(), given});
    }
  } else if (looked_at.error().code() != failure_code::no_device) {
    // Without a loader or a driver there is nothing that could be left out.
    left_out.push_back(looked_at.error().message());
  }
  for (const adopted_context& each : adopted) {
    const auto* const own = std::get_if<vulkan_device>(&each);
    if (own != nullptr) add_adopted(found, *own, given);
  }
  return found;
}

class vulkan_backend final : public backend {
 public:
  explicit vulkan_backend(vulkan_validation_listener listener) : listener_(std::move(listener)) {}

  [[nodiscard]] std::string name() const override { return "vulkan"; }

  [[nodiscard]] found_devices find(const executor& where, const std::string& configuration,
                                   const adopted_contexts& adopted) const override {
    const vulkan::options given = vulkan::parse_options(configuration, listener_);
    found_devices made;
    if (where.is_virtual()) {
      if (!any_of_backend(adopted, name())) return made;
      throw usage_error("A device of Vulkan cannot be adopted on a virtual clock.");
    }
    for (const vulkan::found_device& each : listed(given, adopted, made.left_out)) {
      if (given.device && *given.device != each.number) {
        if (!each.adopted) continue;
        throw usage_error("runtime_options::adopted has device " + std::to_string(each.number) +
                          " of Vulkan, and the configuration of vulkan asks for another.");
      }
      made.usable.push_back(std::make_unique<device_candidate>(
          describe(each.about, each.number, given),
          [each](const device_numbers& numbers, executor& on, completion_sink& sink) {
            return vulkan::connect_device(each, numbers, on, sink);
          },
          each.adopted.has_value()));
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

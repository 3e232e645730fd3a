// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "runtime/cost_keeper.hpp"

#include <algorithm>
#include <utility>

#include <hocket/core/environment.hpp>
#include <hocket/execution/tbb_executor.hpp>

namespace hocket::detail {

namespace {

/// Home folders are shared by machines: the processors say on which of them it was measured, where
/// nothing but the driver is known of the device.
std::string host_of(const executor& where) {
  const auto* const real = dynamic_cast<const tbb_executor*>(&where);
  if (real == nullptr) return "";
  const host_topology& host = real->topology();
  if (!host.is_this_machine()) return "a synthetic machine, ";
  return host.processor() + ", ";
}

}  // namespace

std::unique_ptr<cost_keeper> cost_keeper::make(const std::string& asked, const device_set& machine,
                                               const executor& where) {
  const bool are_simulated = std::ranges::all_of(machine.infos(), &device_info::is_simulated);
  if (where.is_virtual() || are_simulated) return nullptr;
  auto made = std::make_unique<cost_keeper>(
      asked.empty() ? environment_variable("HOCKET_COSTS").value_or("") : asked, machine, where);
  return made->store_.is_on() ? std::move(made) : nullptr;
}

cost_keeper::cost_keeper(const std::string& folder, const device_set& machine,
                         const executor& where)
    : store_(folder) {
  const placement::machine& told = machine.description();
  const std::string host = host_of(where);
  memories_.resize(told.memories.size());
  for (std::size_t i = 0; i < told.devices.size(); ++i) {
    const device_info& info = machine.infos()[i];
    devices_.push_back(info.is_simulated ? "" : host + identity_of(info));
    std::string& of_memory = memories_[told.devices[i].memory.value];
    if (of_memory.empty()) of_memory = devices_.back();
  }
  // This name is the same whether or not a device is in use that has the memory.
  memories_[placement::host_memory.value] = host + "host memory";
}

const cost_table& cost_keeper::kept() {
  if (!kept_) kept_ = store_.load();
  return *kept_;
}

std::vector<placement::kept_launch> cost_keeper::of_kernel(const kernel_definition& kernel,
                                                           device_id device) {
  const std::string& of_device = devices_[device.value];
  // Functions without a name cannot be told from one another.
  if (of_device.empty() || kernel.name == unlabelled_function) return {};
  const std::string& definition =
      kernels_.try_emplace(kernel.name, identity_of(kernel)).first->second;
  std::vector<placement::kept_launch> made;
  for (const launch_cost& each : kept().launches) {
    if (each.kernel != kernel.name || each.device != of_device || each.definition != definition) {
      continue;
    }
    made.push_back({each.done, each.is_wide, each.time});
  }
  return made;
}

memory_id cost_keeper::find_memory(const std::string& identity) const {
  const auto at = std::ranges::find(memories_, identity);
  if (at == memories_.end() || identity.empty()) return {};
  return memory_id{static_cast<std::size_t>(at - memories_.begin())};
}

std::vector<placement::kept_copy> cost_keeper::of_copies() {
  std::vector<placement::kept_copy> made;
  for (const copy_cost& each : kept().copies) {
    const memory_id from = find_memory(each.from), to = find_memory(each.to);
    if (from.valid() && to.valid()) made.push_back({from, to, each.bytes, each.time});
  }
  return made;
}

void cost_keeper::keep(const placement::measured_costs& measured) const {
  cost_table made;
  for (const placement::measured_costs::launch& each : measured.launches) {
    const auto known = kernels_.find(each.kernel);
    if (known == kernels_.end() || devices_[each.device.value].empty()) continue;
    made.launches.push_back({.device = devices_[each.device.value],
                             .kernel = each.kernel,
                             .definition = known->second,
                             .done = each.took.done,
                             .is_wide = each.took.is_wide,
                             .time = each.took.time});
  }
  for (const placement::kept_copy& each : measured.copies) {
    const std::string &from = memories_[each.from.value], &to = memories_[each.to.value];
    if (from.empty() || to.empty()) continue;
    made.copies.push_back({from, to, each.bytes, each.time});
  }
  store_.merge(made);
}

}  // namespace hocket::detail

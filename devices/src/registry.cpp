// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/registry.hpp>

#include <algorithm>

#include <hocket/core/environment.hpp>
#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

namespace hocket {

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

std::string names_of(const candidate_list& devices) {
  std::vector<std::string> names;
  for (const auto& d : devices) names.push_back(d->info().name);
  return joined(names);
}

/// True if names are given and each is one of a device.
bool has_all(const candidate_list& devices, std::string_view names) {
  return !names.empty() && std::ranges::all_of(split(names, ','), [&](const std::string& name) {
    return std::ranges::any_of(devices, [&](const auto& d) { return d->info().name == name; });
  });
}

/// The one of these that is the same chip, behind the driver of another API. Null: none.
const device_candidate* twin_of(const device_info& which,
                                const std::vector<const device_candidate*>& used) {
  if (which.pci.empty()) return nullptr;
  for (const device_candidate* const d : used) {
    // Devices of one API are parts of a chip that its driver has divided.
    if (d->info().pci == which.pci && d->info().backend != which.backend) return d;
  }
  return nullptr;
}

/// Memory of a chip with two devices would be given away twice, and its time planned as that of
/// two. A chip is used through the first of them, or that which the program has asked for.
void leave_out_twins(found_devices& found) {
  std::vector<const device_candidate*> used;
  for (const auto& each : found.usable) {
    if (each->is_adopted()) used.push_back(each.get());
  }
  std::vector<std::string> instead;  // of each; empty if it is used
  for (const auto& each : found.usable) {
    const auto* const twin = each->is_adopted() ? nullptr : twin_of(each->info(), used);
    instead.push_back(twin == nullptr ? "" : twin->info().name);
    if (twin == nullptr && !each->is_adopted()) used.push_back(each.get());
  }
  candidate_list kept;
  for (std::size_t i = 0; i < instead.size(); ++i) {
    if (instead[i].empty()) {
      kept.push_back(std::move(found.usable[i]));
    } else {
      found.twins.push_back({std::move(found.usable[i]), instead[i]});
    }
  }
  found.usable = std::move(kept);
}

}  // namespace

void refuse_unknown(const backend_list& backends, const backend_configurations& configurations) {
  std::vector<std::string> known;
  for (const auto& b : backends) known.push_back(b->name());
  for (const auto& [name, text] : configurations) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw usage_error("The configuration " + in_quotes(text) + " is for the backend " +
                        in_quotes(name) +
                        ", which this program does not have; it has: " + joined(known) + ".");
    }
  }
}

backend_list select_backends(backend_list all, std::string_view names, std::string_view option) {
  if (names.empty()) return all;
  const std::vector<std::string> wanted = split(names, ',');
  std::vector<std::string> known;
  for (const auto& b : all) known.push_back(b->name());
  for (const std::string& name : wanted) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw usage_error(std::string(option) + " is " + in_quotes(names) + "; there is no backend " +
                      in_quotes(name) + ", but: " + joined(known) + ".");
  }
  std::erase_if(all, [&](const auto& b) {
    return std::find(wanted.begin(), wanted.end(), b->name()) == wanted.end();
  });
  return all;
}

std::string twin_device::text() const {
  const device_info& info = device->info();
  return info.name + " (" + info.description + ") is the same chip as " + of +
         ", which is used; HOCKET_VISIBLE_DEVICES may name it.";
}

namespace {

void refuse_unknown(const backend_list& backends, const adopted_contexts& adopted) {
  for (const adopted_context& each : adopted) {
    const std::string_view name = backend_of(each);
    if (std::ranges::any_of(backends, [&](const auto& b) { return b->name() == name; })) continue;
    throw usage_error("runtime_options::adopted has an object for the backend " + in_quotes(name) +
                      ", which is not in use.");
  }
}

}  // namespace

found_devices find_devices(const backend_list& backends, const executor& where,
                           const backend_configurations& configurations, std::string_view names,
                           const adopted_contexts& adopted) {
  refuse_unknown(backends, adopted);
  found_devices found;
  for (const auto& b : backends) {
    const auto given = configurations.find(b->name());
    const bool adopts = any_of_backend(adopted, b->name());
    if (given == configurations.end() && !adopts && has_all(found.usable, names)) continue;
    found_devices own = b->find(where, given == configurations.end() ? "" : given->second, adopted);
    std::ranges::move(own.usable, std::back_inserter(found.usable));
    std::ranges::move(own.left_out, std::back_inserter(found.left_out));
  }
  if (names.empty()) leave_out_twins(found);
  return found;
}

candidate_list select_devices(found_devices found, std::string_view names,
                              std::string_view option) {
  if (names.empty()) return std::move(found.usable);
  const auto refuse = [&](const std::string& why) {
    throw usage_error(std::string(option) + " is " + in_quotes(names) + "; " + why);
  };
  std::string known = "the devices are: " + names_of(found.usable) + ".";
  for (const std::string& sentence : found.left_out) known += " " + sentence;
  candidate_list selected;
  const auto chosen = [&](const std::string& name) {
    const auto same = [&](const auto& d) { return d && d->info().name == name; };
    const auto at = std::ranges::find_if(found.usable, same);
    if (at != found.usable.end()) return std::move(*at);
    if (name.empty()) refuse("it must be names with one comma between them.");
    const bool twice = std::any_of(selected.begin(), selected.end(), same);
    refuse(twice ? "it names " + in_quotes(name) + " twice."
                 : "there is no " + in_quotes(name) + "; " + known);
    return std::unique_ptr<device_candidate>();
  };
  for (const std::string& name : split(names, ',')) selected.push_back(chosen(name));
  return selected;
}

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "checks.hpp"

#include <cblas.h>
#include <tbb/version.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <hocket/core/environment.hpp>
#include <hocket/core/printable.hpp>
#include <hocket/devices/cost_store.hpp>
#include <hocket/devices/registry.hpp>
#include <hocket/execution/tbb_executor.hpp>
#include <hocket/hocket.hpp>

#include "devices.hpp"

// One declaration for each backend that this build has.
#define HOCKET_BACKEND(name)                              \
  namespace hocket {                                      \
  std::unique_ptr<const backend> make_##name##_backend(); \
  }
#include <hocket/backends.inc>
#undef HOCKET_BACKEND

namespace tools {

hocket::backend_list backends_in_use() {
  hocket::backend_list backends;
#define HOCKET_BACKEND(name) backends.push_back(hocket::make_##name##_backend());
#include <hocket/backends.inc>
#undef HOCKET_BACKEND
  const auto named = hocket::environment_variable("HOCKET_BACKENDS");
  return select_backends(std::move(backends), named.value_or(""));
}

std::vector<std::string> twins_beside(const std::vector<hocket::device_info>& used,
                                      const hocket::runtime_options& options) {
  const auto visible = hocket::environment_variable("HOCKET_VISIBLE_DEVICES");
  if (!options.devices.empty() || visible) return {};
  const hocket::tbb_executor where(std::make_shared<const hocket::host_topology>());
  std::vector<std::string> sentences;
  for (const auto& twin : find_devices(backends_in_use(), where, options.backends).twins) {
    const auto is_used = [&](const std::string& name) {
      return std::ranges::find(used, name, &hocket::device_info::name) != used.end();
    };
    if (is_used(twin.of) && !is_used(twin.device->info().name)) sentences.push_back(twin.text());
  }
  return sentences;
}

namespace {

finding check_backend(const hocket::backend& backend, const hocket::executor& where,
                      const request& asked) {
  finding made{"backend " + backend.name(), verdict::ok, ""};
  try {
    const hocket::found_devices found =
        backend.find(where, backend.name() == "sim" ? asked.sim : "");
    std::vector<std::string> names;
    for (const auto& device : found.usable) names.push_back(device->info().name);
    made.text = names.empty() ? "It has no device. " + backend.why_none()
                              : fmt::format("It has {}.", fmt::join(names, ", "));
    for (const std::string& sentence : found.left_out) {
      made.how = verdict::warning;
      made.text += " " + sentence;
    }
  } catch (const hocket::usage_error&) {
    throw;
  } catch (const std::exception& why) {
    made.how = verdict::problem;
    made.text = fmt::format("It cannot be used: {}", why.what());
  }
  return made;
}

/// y = a x + y on the device.
finding check_axpy(hocket::runtime& rt, const hocket::device_info& device) {
  constexpr std::size_t count = 1000;
  constexpr float factor = 0.5F, tolerance = 1e-6F;
  std::vector<float> left(count), right(count);
  for (std::size_t i = 0; i < count; ++i) {
    left[i] = static_cast<float>(i);
    right[i] = 1.0F / static_cast<float>(i + 1);
  }
  finding made{"device " + device.name, verdict::ok, ""};
  try {
    const hocket::buffer<float> x{rt, {count}, std::span<const float>(left), "x"};
    const hocket::buffer<float> y{rt, {count}, std::span<const float>(right), "y"};
    hocket::task_options options;
    options.on = rt.device(device.name);
    options.label = "doctor";
    rt.submit(options, hocket::ops::axpy, factor, hocket::reads(x), hocket::updates(y)).get();
    const std::vector<float> got = y.to_vector();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const float wanted = factor * left[i] + right[i];
      if (!(std::abs(got[i] - wanted) <= tolerance * std::abs(wanted))) ++wrong;
    }
    made.text = "It computes axpy of 1000 elements as the host does.";
    if (wrong != 0) {
      made.how = verdict::problem;
      made.text = fmt::format(
          "{} of 1000 elements of axpy are wrong. Hide the device by HOCKET_VISIBLE_DEVICES.",
          wrong);
    }
  } catch (const std::exception& why) {
    made.how = verdict::problem;
    made.text = fmt::format("A small task fails: {} Hide the device by HOCKET_VISIBLE_DEVICES.",
                            why.what());
  }
  return made;
}

/// Devices that were found and that a runtime of all devices does not use, with the reason.
std::vector<finding> check_left_out(const std::vector<hocket::device_info>& used,
                                    const hocket::runtime_options& options) {
  const hocket::tbb_executor where(options.topology);
  const hocket::found_devices found = find_devices(backends_in_use(), where, options.backends);
  std::vector<finding> made;
  for (const std::string& twin : twins_beside(used, options)) {
    made.push_back({"chip", verdict::ok, twin});
  }
  for (const auto& each : found.usable) {
    const std::string& name = each->info().name;
    if (std::ranges::find(used, name, &hocket::device_info::name) != used.end()) continue;
    try {
      hocket::runtime_options only = options;
      only.devices = name;
      (void)hocket::runtime(only).devices();
    } catch (const std::exception& why) {
      made.push_back({"device " + name, verdict::warning,
                      fmt::format("It is left out, because it cannot be used: {}", why.what())});
    }
  }
  return made;
}

finding check_data_folder() {
  namespace fs = std::filesystem;
  const auto own = hocket::environment_variable("HOCKET_DATA_DIR");
  const auto xdg = hocket::environment_variable("XDG_DATA_HOME");
  const auto home = hocket::environment_variable("HOME");
  fs::path folder;
  if (own) {
    folder = *own;
  } else if (xdg && fs::path(*xdg).is_absolute()) {
    folder = fs::path(*xdg) / "hocket";
  } else if (home) {
    folder = fs::path(*home) / ".local/share/hocket";
  } else {
    return {"data", verdict::warning,
            "There is no folder for data. Set HOCKET_DATA_DIR, XDG_DATA_HOME or HOME."};
  }
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) {
    return {"data", verdict::ok, fmt::format("The examples look in \"{}\".", folder.string())};
  }
  return {"data", verdict::warning,
          fmt::format("The examples look in \"{}\", which is no folder. scripts/setup puts digits "
                      "there, and train_digits --download fetches MNIST.",
                      folder.string())};
}

finding check_costs() {
  const hocket::cost_store store(hocket::environment_variable("HOCKET_COSTS").value_or(""));
  if (!store.is_on()) {
    return {
        "costs", verdict::ok,
        "They are not kept from process to process, because HOCKET_COSTS is \"off\" or there is "
        "no home folder."};
  }
  const hocket::cost_table kept = store.load();
  if (kept.launches.empty() && kept.copies.empty()) {
    return {"costs", verdict::ok,
            fmt::format("None are kept in \"{}\" yet. Programs keep what they measure there, and "
                        "hocket calibrate measures all devices.",
                        store.file().string())};
  }
  return {"costs", verdict::ok,
          fmt::format("Those of {} kernels and sizes and {} copies are kept in \"{}\".",
                      kept.launches.size(), kept.copies.size(), store.file().string())};
}

}  // namespace

std::vector<finding> check_host(const hocket::host_topology& host) {
  std::size_t cores = 0;
  for (const hocket::numa_node& node : host.nodes()) cores += node.cores;
  std::string text = fmt::format("{} NUMA {} with {} {}.", host.nodes().size(),
                                 host.nodes().size() == 1 ? "node" : "nodes", cores,
                                 cores == 1 ? "core" : "cores");
  std::vector<finding> made;
  const std::string described = hocket::environment_variable("HWLOC_SYNTHETIC").value_or("");
  if (host.is_this_machine() && !described.empty()) {
    made.push_back({"host", verdict::warning,
                    text + " They are those of this machine, because HWLOC_SYNTHETIC is " +
                        hocket::in_quotes(described) +
                        ", which describes no other. Unset it, or describe one, as \"numa:2 core:4 "
                        "pu:1\" does."});
  } else if (host.is_this_machine()) {
    made.push_back({"host", verdict::ok, text + " They are those of this machine."});
  } else {
    made.push_back({"host", verdict::warning,
                    text + " They are synthetic: HWLOC_SYNTHETIC describes them. Unset it to use "
                           "this machine as it is."});
  }
  const auto visible = hocket::environment_variable("HOCKET_VISIBLE_DEVICES");
  made.push_back({"HOCKET_VISIBLE_DEVICES", verdict::ok,
                  visible ? fmt::format("It is \"{}\"; other devices are hidden.", *visible)
                          : std::string("It is not set, so that every device is used.")});
  return made;
}

std::vector<finding> check_backends(const std::shared_ptr<const hocket::host_topology>& host,
                                    const request& asked) {
  const hocket::tbb_executor where(host);
  std::vector<finding> made;
  for (const auto& backend : backends_in_use()) {
    made.push_back(check_backend(*backend, where, asked));
  }
  return made;
}

std::vector<finding> check_devices(const std::shared_ptr<const hocket::host_topology>& host,
                                   const request& asked) {
  hocket::runtime_options options = options_for(asked);
  options.topology = host;
  options.costs = "off";  // tasks as small as these tell nothing
  hocket::runtime rt(options);
  std::vector<finding> made;
  try {
    const std::vector<hocket::device_info> used = rt.devices();
    for (const hocket::device_info& device : used) made.push_back(check_axpy(rt, device));
    if (options.devices.empty() && !hocket::environment_variable("HOCKET_VISIBLE_DEVICES")) {
      for (finding& each : check_left_out(used, options)) made.push_back(std::move(each));
    }
  } catch (const std::exception& why) {
    made.push_back({"devices", verdict::problem, why.what()});
  }
  return made;
}

std::vector<finding> check_surroundings() {
  std::string blas = openblas_get_config();
  blas.erase(blas.find_last_not_of(' ') + 1);
  return {{"OpenBLAS", verdict::ok, fmt::format("{}.", blas)},
          {"oneTBB", verdict::ok, fmt::format("Version {}.", TBB_runtime_version())},
          check_data_folder(),
          check_costs()};
}

}  // namespace tools

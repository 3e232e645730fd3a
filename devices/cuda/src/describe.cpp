// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "describe.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include <hocket/devices/driver_text.hpp>
#include <hocket/devices/pci_address.hpp>
#include <hocket/devices/prediction.hpp>

#include "errors.hpp"

namespace hocket::cuda {

namespace {

constexpr int largest_group = 256;  // of a kernel_pass
constexpr std::uint64_t max_memory = std::uint64_t{1} << 46U;

/// Asks a driver about one device. A code other than success stays.
class questions {
 public:
  questions(const api& driver, device_number device) : driver_(driver), device_(device) {}

  int number(attribute what) {
    int answer = 0;
    const code said = driver_.cuDeviceGetAttribute(&answer, what, device_);
    if (said != success) why_ = said;
    return said == success ? answer : 0;
  }
  std::uint64_t memory() {
    std::size_t bytes = 0;
    const code said = driver_.cuDeviceTotalMem_v2(&bytes, device_);
    if (said != success) why_ = said;
    return std::min<std::uint64_t>(said == success ? bytes : 0, max_memory);
  }
  [[nodiscard]] code why() const noexcept { return why_; }

 private:
  const api& driver_;
  device_number device_;
  code why_ = success;
};

/// A size that the driver names, at least 1.
std::size_t size_of_answer(int answer) { return static_cast<std::size_t>(std::max(answer, 1)); }

std::string why_unusable(questions& ask, const described& made) {
  if (ask.number(attribute::compute_mode) == compute_mode_prohibited) {
    return "is in the compute mode that prohibits contexts";
  }
  if (ask.number(attribute::unified_addressing) == 0) {
    return "has no addresses in common with the host";
  }
  if (made.info.memory_bytes == 0) return "says that it has no memory";
  if (made.limits.max_items < largest_group) {
    return "takes blocks of at most " + std::to_string(made.limits.max_items) +
           " threads, but kernels have " + std::to_string(largest_group);
  }
  return {};
}

/// Rates by the numbers and clocks of its units, where the driver says them.
void guess(device_info& info, questions& ask) {
  guess_rates(info);
  constexpr double in_a_kilohertz = 1000, usual_khz = 1.4e6, lanes = 128;
  const double units = std::clamp(ask.number(attribute::multiprocessors), 1, 4096);
  double khz = ask.number(attribute::clock_khz);
  if (khz <= 0 || khz > 10 * usual_khz) khz = usual_khz;
  // A multiply-add in each lane and cycle; real kernels see half of it.
  info.flops_per_second = units * khz * in_a_kilohertz * lanes;
  const double memory_khz = ask.number(attribute::memory_clock_khz);
  const double bytes = ask.number(attribute::memory_bus_bits) / 8.0;
  // Two words in a cycle.
  if (memory_khz > 0 && bytes > 0) {
    info.memory_bytes_per_second = 2 * memory_khz * in_a_kilohertz * bytes;
  }
}

}  // namespace

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string name_of(const api& driver, device_number device) {
  std::array<char, 256> name{};
  if (driver.cuDeviceGetName(name.data(), static_cast<int>(name.size() - 1), device) != success) {
    name = {};
  }
  return driver_name(name);
}

described describe(const api& driver, device_number device, const std::string& version,
                   std::string& why) {
  questions ask(driver, device);
  described made;
  made.architecture =
      10 * ask.number(attribute::capability_major) + ask.number(attribute::capability_minor);
  made.limits = {{size_of_answer(ask.number(attribute::max_block_x)),
                  size_of_answer(ask.number(attribute::max_block_y)),
                  size_of_answer(ask.number(attribute::max_block_z))},
                 size_of_answer(ask.number(attribute::max_block_items))};
  device_info& info = made.info;
  info.backend = "cuda";
  info.description = name_of(driver, device) + ", CUDA " + version;
  info.formats = {kernel_format::cuda_c};
  info.style = device_style::gpu;
  info.memory_bytes = ask.memory();
  info.alignment = 256;
  info.keeps_freed_blocks = true;
  info.pins_host_memory = true;
  info.depth = 4;
  info.ahead = std::chrono::microseconds(200);
  why = why_unusable(ask, made);
  if (ask.why() != success) {
    why = "does not say what it can do: its driver says " + name_of(ask.why());
  }
  // The address and the clocks are not needed: a driver may refuse to name them.
  const auto part = [&](attribute of) { return static_cast<std::uint32_t>(ask.number(of)); };
  info.pci = pci_address(
      {part(attribute::pci_domain), part(attribute::pci_bus), part(attribute::pci_device)});
  guess(info, ask);
  return made;
}

}  // namespace hocket::cuda

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/describe.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <hocket/devices/driver_text.hpp>
#include <hocket/devices/pci_address.hpp>
#include <hocket/devices/prediction.hpp>

#include "gpu/errors.hpp"

namespace hocket::gpu {

namespace {

constexpr int largest_group = 256;  // of a kernel_pass
constexpr std::uint64_t max_memory = std::uint64_t{1} << 46U;

/// A size that the driver names, at least 1.
std::size_t size_of_answer(int answer) { return static_cast<std::size_t>(std::max(answer, 1)); }

std::string why_unusable(const described& made) {
  if (made.info.memory_bytes == 0) return "says that it has no memory";
  if (made.limits.max_items < largest_group) {
    return "takes blocks of at most " + std::to_string(made.limits.max_items) +
           " threads, but kernels have " + std::to_string(largest_group);
  }
  return {};
}

/// Rates by the numbers and clocks of its units, where the driver says them.
void guess(device_info& info, questions& ask, const attribute_numbers& numbers) {
  guess_rates(info);
  constexpr double in_a_kilohertz = 1000, usual_khz = 1.4e6;
  const double units = std::clamp(ask.number(numbers.multiprocessors), 1, 4096);
  double khz = ask.number(numbers.clock_khz);
  if (khz <= 0 || khz > 10 * usual_khz) khz = usual_khz;
  // A multiply-add in each lane and cycle; real kernels see half of it.
  info.flops_per_second = units * khz * in_a_kilohertz * numbers.lanes;
  const double memory_khz = ask.number(numbers.memory_clock_khz);
  const double bytes = ask.number(numbers.memory_bus_bits) / 8.0;
  // Two words in a cycle.
  if (memory_khz > 0 && bytes > 0) {
    info.memory_bytes_per_second = 2 * memory_khz * in_a_kilohertz * bytes;
  }
}

}  // namespace

int questions::number(int attribute) {
  int answer = 0;
  const code said = driver_.device_attribute(&answer, attribute, device_);
  if (said != success) why_ = said;
  return said == success ? answer : 0;
}

std::uint64_t questions::memory() {
  std::size_t bytes = 0;
  const code said = driver_.device_memory(&bytes, device_);
  if (said != success) why_ = said;
  return std::min<std::uint64_t>(said == success ? bytes : 0, max_memory);
}

std::string name_of(const api& driver, device_number device) {
  std::array<char, 256> name{};
  if (driver.device_name(name.data(), static_cast<int>(name.size() - 1), device) != success) {
    name = {};
  }
  return driver_name(name);
}

described describe(const api& driver, device_number device, const attribute_numbers& numbers,
                   const std::string& version, std::string& why) {
  questions ask(driver, device);
  described made;
  made.limits = {{size_of_answer(ask.number(numbers.max_block_x)),
                  size_of_answer(ask.number(numbers.max_block_y)),
                  size_of_answer(ask.number(numbers.max_block_z))},
                 size_of_answer(ask.number(numbers.max_block_items))};
  device_info& info = made.info;
  info.backend = driver.backend();
  info.description = name_of(driver, device) + ", " + driver.title() + " " + version;
  info.formats = {driver.commands(), kernel_format::cuda_c};
  info.style = device_style::gpu;
  info.memory_bytes = ask.memory();
  info.alignment = 256;
  info.pins_host_memory = true;
  info.depth = 4;
  info.ahead = std::chrono::microseconds(200);
  why = why_unusable(made);
  if (ask.why() != success) {
    why = "does not say what it can do: its driver says " + driver.name_of(ask.why());
  }
  // The address and the clocks are not needed: a driver may refuse to name them.
  const auto part = [&](int of) { return static_cast<std::uint32_t>(ask.number(of)); };
  info.pci =
      pci_address({part(numbers.pci_domain), part(numbers.pci_bus), part(numbers.pci_device)});
  guess(info, ask, numbers);
  return made;
}

}  // namespace hocket::gpu

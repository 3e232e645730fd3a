// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/submit_compared.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "runtime/runtime_core.hpp"

namespace hocket::detail {

namespace {

using counter = std::atomic<std::uint64_t> check_counts::*;

void count_in(const compare_options& options, counter what) {
  if (options.counts != nullptr) ++((*options.counts).*what);
}

/// Calls f with a value of the type; with one of another type if that is a structure.
template <class F>
auto with_type(element_type type, const F& f) {
  switch (type) {
    case element_type::f32:
      return f(float{});
    case element_type::f64:
      return f(double{});
    case element_type::i8:
      return f(std::int8_t{});
    case element_type::u8:
      return f(std::uint8_t{});
    case element_type::i16:
      return f(std::int16_t{});
    case element_type::u16:
      return f(std::uint16_t{});
    case element_type::i32:
      return f(std::int32_t{});
    case element_type::u32:
      return f(std::uint32_t{});
    case element_type::i64:
      return f(std::int64_t{});
    case element_type::u64:
      return f(std::uint64_t{});
    case element_type::f16:
      return f(float16{});
    case element_type::bf16:
      return f(bfloat16{});
    case element_type::f8e4m3:
      return f(float8_e4m3{});
    case element_type::f8e5m2:
      return f(float8_e5m2{});
    case element_type::c64:
      return f(std::complex<float>{});
    case element_type::c128:
      return f(std::complex<double>{});
    default:
      return f(std::uint8_t{});
  }
}

template <class T>
T element_at(const std::byte* base, std::size_t at) {
  T value;
  std::memcpy(&value, base + at * sizeof(T), sizeof value);
  return value;
}

template <class T>
bool are_near(T a, T b, double tolerance) {
  const auto left = static_cast<double>(a);
  const auto right = static_cast<double>(b);
  if (std::isnan(left) && std::isnan(right)) return true;
  return std::abs(left - right) <= tolerance * std::max(std::abs(left), std::abs(right));
}

template <class T>
bool are_near(std::complex<T> a, std::complex<T> b, double tolerance) {
  const T difference = std::abs(a - b);
  if (difference <= tolerance * std::max(std::abs(a), std::abs(b))) return true;
  return std::isnan(difference) && are_near(a.real(), b.real(), tolerance) &&
         are_near(a.imag(), b.imag(), tolerance);
}

/// Of two runs of elements, the first at which they differ.
std::optional<std::size_t> first_in_run(element_type type, const std::byte* a, const std::byte* b,
                                        std::size_t count, double tolerance) {
  const std::size_t size = size_of(type);
  if (std::memcmp(a, b, count * size) == 0) return std::nullopt;
  if (is_structure(type)) {
    std::size_t i = 0;
    while (std::memcmp(a + i * size, b + i * size, size) == 0) ++i;
    return i;
  }
  return with_type(type, [&]<class T>(T) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < count; ++i) {
      const bool same = std::memcmp(a + i * sizeof(T), b + i * sizeof(T), sizeof(T)) == 0;
      const bool near =
          tolerance > 0 && are_near(element_at<T>(a, i), element_at<T>(b, i), tolerance);
      if (!same && !near) return i;
    }
    return std::nullopt;
  });
}

/// The number, in row-major order, of the first element that differs.
std::optional<std::size_t> first_difference(const run_values& a, const run_values& b,
                                            double tolerance) {
  std::optional<std::size_t> found;
  const loop_nest<2> nest(a.extents, {&a.strides, &b.strides});
  const std::size_t size = size_of(a.type);
  const std::size_t together = nest.dense() ? nest.run_length() : 1;
  std::size_t done = 0;
  nest.for_runs(0, nest.size(), [&](const auto& offset, std::size_t count) {
    for (std::size_t i = 0; i < count && !found; i += together) {
      const auto place = [&](const run_values& of, std::size_t which) {
        return static_cast<const std::byte*>(of.base) +
               (offset[which] + i * nest.run_strides()[which]) * size;
      };
      const auto first =
          first_in_run(a.type, place(a, 0), place(b, 1), std::min(together, count), tolerance);
      if (first) found = done + i + *first;
    }
    done += count;
  });
  return found;
}

void replace(const run_values& target, const run_values& by) {
  const loop_nest<2> nest(target.extents, {&target.strides, &by.strides});
  const std::size_t size = size_of(target.type);
  nest.for_runs(0, nest.size(), [&](const auto& offset, std::size_t count) {
    auto* const to = static_cast<std::byte*>(target.base) + offset[0] * size;
    const auto* const from = static_cast<const std::byte*>(by.base) + offset[1] * size;
    if (nest.dense()) {
      std::memcpy(to, from, count * size);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(to + i * nest.run_strides()[0] * size, from + i * nest.run_strides()[1] * size,
                  size);
    }
  });
}

index_list index_of(const run_values& in, std::size_t number) {
  index_list index(in.extents.size(), 0);
  for (std::size_t d = index.size(); d-- > 0; number /= in.extents[d]) {
    index[d] = number % in.extents[d];
  }
  return index;
}

template <class T>
std::string text_of(T value) {
  if constexpr (std::is_integral_v<T>) {
    return fmt::format("{}", value);
  } else {
    return fmt::format("{:.17g}", static_cast<double>(value));
  }
}
template <class T>
std::string text_of(std::complex<T> value) {
  return fmt::format("({:.17g}, {:.17g})", value.real(), value.imag());
}

/// The first bytes of a structure.
std::string text_of_bytes(const std::byte* first, std::size_t size) {
  constexpr std::size_t most = 16;
  std::string text = "the bytes";
  for (std::size_t i = 0; i < std::min(size, most); ++i) {
    text += fmt::format(" {:02x}", static_cast<unsigned>(first[i]));
  }
  return text + (size > most ? " and so on" : "");
}

std::string text_at(const run_values& of, const index_list& index) {
  std::size_t at = 0;
  for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * of.strides[d];
  const auto* const base = static_cast<const std::byte*>(of.base);
  const std::size_t size = size_of(of.type);
  if (is_structure(of.type)) return text_of_bytes(base + at * size, size);
  return with_type(of.type, [&]<class T>(T) { return text_of(element_at<T>(base, at)); });
}

/// values: of one region, of the three runs.
failure runs_differ(std::span<const run_values> values, std::size_t number,
                    const compare_options& options, const std::string& kernel,
                    const std::string& buffer) {
  const index_list index = index_of(values[0], number);
  std::string place;
  for (const std::size_t i : index) place += (place.empty() ? "" : ", ") + std::to_string(i);
  const std::string task =
      options.task.label.empty() ? kernel : std::string(options.task.label.text());
  return {failure_code::data_corrupted,
          "Task \"" + task + "\" has given three results in three runs: in buffer \"" + buffer +
              "\" element (" + place + ") of its region is " + text_at(values[0], index) + ", " +
              text_at(values[1], index) + " and " + text_at(values[2], index) + "."};
}

bool are_alike(const device_info& a, const device_info& b) {
  return a.backend == b.backend && a.description == b.description && a.formats == b.formats &&
         a.style == b.style;
}

void check_regions(const kernel_definition& kernel, const std::vector<compared_region>& regions) {
  for (const compared_region& read : regions) {
    if (read.mode != access_mode::read) continue;
    for (const compared_region& written : regions) {
      if (written.mode == access_mode::read || written.what->data != read.what->data) continue;
      if (!overlap(written.what->where(), read.what->where())) continue;
      throw usage_error("Kernel \"" + kernel.name + "\" reads what it writes of buffer \"" +
                        read.what->data->label() +
                        "\", so that it cannot be run twice: the first run replaces what the "
                        "second one reads. Give it another buffer to write.");
    }
  }
}

void check_options(const compare_options& options) {
  if (!(options.tolerance >= 0 && options.tolerance < 1)) {
    throw usage_error("compare_options::tolerance is " + std::to_string(options.tolerance) +
                      "; it must be at least 0 and less than 1.");
  }
  if (options.task.takes || !options.task.returns.empty()) {
    throw usage_error(
        "compare_options::task has a budget, which is for single tasks: each run would take or "
        "return all of it.");
  }
}

/// The devices that can run the kernel and whose results compare: as many as possible, or with the
/// one that is named, which comes first. None if that one cannot run it.
std::vector<device_id> comparable(const device_set& all, const compare_options& options,
                                  const kernel_definition& kernel) {
  const std::vector<device_info>& infos = all.infos();
  const auto alike_to = [&](std::size_t first) {
    std::vector<device_id> found;
    for (std::size_t i = 0; i < infos.size(); ++i) {
      const std::size_t at = (first + i) % infos.size();
      const bool runs = all.description().devices[at].runs(kernel);
      const bool compares = options.tolerance > 0 || are_alike(infos[first], infos[at]);
      if (runs && compares) found.push_back(device_id{at});
    }
    return found;
  };
  if (options.task.on) {
    const std::size_t named = options.task.on->id.value;
    const bool runs = named < infos.size() && all.description().devices[named].runs(kernel);
    return runs ? alike_to(named) : std::vector<device_id>();
  }
  std::vector<device_id> most;
  for (std::size_t i = 0; i < infos.size(); ++i) {
    std::vector<device_id> found = alike_to(i);
    if (found.size() > most.size()) most = std::move(found);
  }
  return most;
}

}  // namespace

std::array<device_handle, 3> devices_for_runs(submitter& to, const compare_options& options,
                                              const kernel_definition& kernel,
                                              const std::vector<compared_region>& regions) {
  check_options(options);
  check_regions(kernel, regions);
  const device_set& machine = to.home().core()->connection().machine();
  const std::vector<device_id> found = comparable(machine, options, kernel);
  if (found.empty()) {
    throw usage_error("No device of this runtime, or not the one that is named, can run kernel \"" +
                      kernel.name + "\", so that its runs cannot be compared.");
  }
  // Different tasks begin with different devices, the same ones each time.
  std::size_t first = 0;
  if (!options.task.on && !regions.empty()) first = regions.back().what->data->id().value;
  std::array<device_handle, 3> made;
  for (std::size_t run = 0; run < made.size(); ++run) {
    const device_id chosen = found[(first + run) % found.size()];
    made[run] = to.home().device(machine.infos()[chosen.value].name);
  }
  return made;
}

bool any_pair_differs(std::span<const run_values> pairs, const compare_options& options) {
  for (std::size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (!first_difference(pairs[i], pairs[i + 1], options.tolerance)) continue;
    count_in(options, &check_counts::differed);
    return true;
  }
  return false;
}

void decide(std::span<const run_values> values, const compare_options& options,
            const std::string& kernel, std::span<const std::string> buffers) {
  count_in(options, &check_counts::repeated);
  const auto third_differs_from = [&](std::size_t run) {
    std::optional<std::pair<std::size_t, std::size_t>> found;  // a region and an element
    for (std::size_t r = 0; r < buffers.size() && !found; ++r) {
      const auto first =
          first_difference(values[3 * r + run], values[3 * r + 2], options.tolerance);
      if (first) found = {r, *first};
    }
    return found;
  };
  const auto from_first = third_differs_from(0);
  if (!from_first) return;
  if (!third_differs_from(1)) {
    for (std::size_t r = 0; r < buffers.size(); ++r) replace(values[3 * r], values[3 * r + 1]);
    return;
  }
  count_in(options, &check_counts::failed);
  throw error(runs_differ(values.subspan(3 * from_first->first, 3), from_first->second, options,
                          kernel, buffers[from_first->first]));
}

}  // namespace hocket::detail

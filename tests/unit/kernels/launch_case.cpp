// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include "launch_case.hpp"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include <hocket/core/shape.hpp>

#include "support.hpp"

namespace hocket::testing {

namespace {

/// Calls f(T{}) for the type of an element.
template <class F>
auto with_type(element_type type, F f) {
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
    case element_type::boolean:
      return f(false);
    default:
      break;
  }
  throw std::logic_error("no such element type");
}

bool is_same(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return true;
  return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

}  // namespace

buffer_argument device_array::on_host() {
  const index_list strides = dense_strides(whole);
  std::size_t offset = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) offset += region.begin[d] * strides[d];
  return {bytes.data() + offset * size_of(type), type, region.extents(), strides};
}

double device_array::at(std::size_t position) const {
  return with_type(type, [&]<class T>(T value) {
    std::memcpy(&value, bytes.data() + position * sizeof value, sizeof value);
    return static_cast<double>(value);
  });
}

void device_array::set(std::size_t position, double wanted) {
  with_type(type, [&]<class T>(T) {
    const T value = static_cast<T>(wanted);
    std::memcpy(bytes.data() + position * sizeof value, &value, sizeof value);
  });
}

device_array make_array(element_type type, const index_list& extents, std::size_t padding) {
  device_array made{type, extents, {}, {}};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    made.whole[d] += 2 * padding;
    made.region.begin.push_back(padding);
    made.region.end.push_back(padding + extents[d]);
  }
  made.bytes.resize(volume(made.whole) * size_of(type));
  return made;
}

void launch_case::complete() {
  if (kernel->result) buffers.push_back(make_array(*kernel->result, {1}, 0));
}

launch_shape launch_case::shape() const {
  launch_shape made;
  for (const device_array& b : buffers) made.push_back(b.region.extents());
  return made;
}

std::string launch_case::name() const {
  std::string made = kernel->name;
  for (const device_array& b : buffers) {
    made += std::string(", ") + std::string(to_string(b.type)) + " " + to_string(b.region) +
            " of " + to_string(b.whole);
  }
  return made;
}

std::vector<device_array> run_on_host(const launch_case& launch) {
  std::vector<device_array> copy = launch.buffers;
  std::vector<buffer_argument> arguments;
  for (device_array& b : copy) arguments.push_back(b.on_host());
  shuffled_lanes lanes(1);
  launch.kernel->host({arguments, launch.scalars, lanes});
  return copy;
}

std::string difference(const launch_case& launch, const std::vector<device_array>& device,
                       const std::vector<device_array>& host) {
  for (std::size_t b = 0; b < host.size(); ++b) {
    for (std::size_t i = 0; i < host[b].size(); ++i) {
      if (is_same(device[b].at(i), host[b].at(i), launch.tolerance)) continue;
      return launch.name() + ": element " + std::to_string(i) + " of buffer " + std::to_string(b) +
             " is " + std::to_string(device[b].at(i)) + " on the device and " +
             std::to_string(host[b].at(i)) + " on the host";
    }
  }
  return "";
}

}  // namespace hocket::testing

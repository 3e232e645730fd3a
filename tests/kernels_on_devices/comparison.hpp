// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <hocket/hocket.hpp>

namespace hocket::testing {

template <class T>
constexpr double eps = std::is_integral_v<T>
                           ? 0
                           : static_cast<double>(std::numeric_limits<T>::epsilon());

/// A buffer twice, with the same values: what a kernel does on the host and on a device. The kernel
/// is given a region that begins and ends `padding` inside.
template <class T, std::size_t R>
class twin {
 public:
  twin(runtime& rt, std::mt19937_64& random, const shape<R>& extents, std::size_t padding,
       double low, double high)
      : twin(rt, padding, extents, values(random, size_of_whole(extents, padding), low, high)) {}

  [[nodiscard]] region<T, R> host() const { return part(host_); }
  [[nodiscard]] region<T, R> device() const { return part(device_); }

  /// The first difference beyond the tolerance, relative to the larger of one and the magnitude;
  /// empty if there is none. Whole buffers are compared, and NaN equals NaN.
  [[nodiscard]] std::string difference(double tolerance) const {
    const std::vector<T> expected = host_.to_vector(), found = device_.to_vector();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto a = static_cast<double>(expected[i]), b = static_cast<double>(found[i]);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      if (std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a))) continue;
      return "element " + std::to_string(i) + " is " + std::to_string(b) + " on the device and " +
             std::to_string(a) + " on the host";
    }
    return "";
  }

 private:
  twin(runtime& rt, std::size_t padding, const shape<R>& extents, const std::vector<T>& values)
      : padding_(padding),
        extents_(extents),
        host_(rt, whole(extents, padding), std::span<const T>(values)),
        device_(rt, whole(extents, padding), std::span<const T>(values)) {}

  static shape<R> whole(shape<R> extents, std::size_t padding) {
    for (std::size_t& extent : extents) extent += 2 * padding;
    return extents;
  }
  static std::size_t size_of_whole(const shape<R>& extents, std::size_t padding) {
    std::size_t size = 1;
    for (const std::size_t extent : whole(extents, padding)) size *= extent;
    return size;
  }
  static std::vector<T> values(std::mt19937_64& random, std::size_t count, double low,
                               double high) {
    std::vector<T> made(count);
    std::uniform_real_distribution<double> any(low, high);
    for (T& value : made) value = static_cast<T>(any(random));
    return made;
  }

  [[nodiscard]] region<T, R> part(const buffer<T, R>& of) const {
    shape<R> first, last;
    for (std::size_t d = 0; d < R; ++d) {
      first[d] = padding_;
      last[d] = padding_ + extents_[d];
    }
    if (padding_ == 0) return of;
    return of.tile(first, last);
  }

  std::size_t padding_;
  shape<R> extents_;
  buffer<T, R> host_, device_;
};

/// Arguments of a comparison.
template <class T, std::size_t R>
struct read_twin {
  const twin<T, R>& of;
  [[nodiscard]] auto host() const { return reads(of.host()); }
  [[nodiscard]] auto device() const { return reads(of.device()); }
  [[nodiscard]] std::string difference(double) const { return of.difference(0); }
};
template <class T, std::size_t R>
struct write_twin {
  const twin<T, R>& of;
  [[nodiscard]] auto host() const { return writes(of.host()); }
  [[nodiscard]] auto device() const { return writes(of.device()); }
  [[nodiscard]] std::string difference(double tolerance) const { return of.difference(tolerance); }
};
template <class T, std::size_t R>
struct update_twin {
  const twin<T, R>& of;
  [[nodiscard]] auto host() const { return updates(of.host()); }
  [[nodiscard]] auto device() const { return updates(of.device()); }
  [[nodiscard]] std::string difference(double tolerance) const { return of.difference(tolerance); }
};
template <class T>
struct number_twin {
  T value;
  [[nodiscard]] T host() const { return value; }
  [[nodiscard]] T device() const { return value; }
  [[nodiscard]] std::string difference(double) const { return ""; }
};

template <class T, std::size_t R>
read_twin<T, R> reads(const twin<T, R>& of) {
  return {of};
}
template <class T, std::size_t R>
write_twin<T, R> writes(const twin<T, R>& of) {
  return {of};
}
template <class T, std::size_t R>
update_twin<T, R> updates(const twin<T, R>& of) {
  return {of};
}
template <class T>
number_twin<T> number(T value) {
  return {value};
}

/// For elements of unlike types.
inline const auto converted = elementwise("converted", [](const auto& x, auto& y) { y = x; });

/// A step whose every operation is one of floats, and whose result is rounded once.
inline const auto mixed = elementwise("mixed", [](const auto& x, auto a, auto& y) {
  y = select(x > a, x * a - 0.25F, max(x, -a)) + abs(x);
});

/// The devices of this machine that read OpenCL C or GLSL, each against the first CPU.
class kernels_on_devices : public ::testing::Test {
 protected:
  kernels_on_devices();

  void SetUp() override;

  template <class T, std::size_t R>
  twin<T, R> make(const shape<R>& extents, std::size_t padding, double low = -1, double high = 1) {
    return {rt_, random_, extents, padding, low, high};
  }

  /// Whether all the types can be used on the device that is compared.
  template <class... T>
  [[nodiscard]] bool has() const {
    return (... && (std::ranges::find(device_->lacks, element_type_of<T>) == device_->lacks.end()));
  }

  /// Runs the kernel on the host and on the device.
  template <class K, class... A>
  void compare(const char* name, double tolerance, const K& kernel, const A&... arguments) {
    const auto expected = rt_.submit({.on = host_}, kernel, arguments.host()...);
    const auto found = rt_.submit({.on = handle_}, kernel, arguments.device()...);
    found.wait();
    expected.wait();
    const auto check = [&](const std::string& difference) {
      EXPECT_EQ(difference, "") << name << " on " << device_->name << ", " << device_->description;
    };
    (check(arguments.difference(tolerance)), ...);
  }
  /// The same for a kernel with a value.
  template <class K, class... A>
  void compare_value(const char* name, double tolerance, const K& kernel, const A&... arguments) {
    const auto expected = rt_.submit({.on = host_}, kernel, arguments.host()...).get();
    const auto found = rt_.submit({.on = handle_}, kernel, arguments.device()...).get();
    const auto a = static_cast<double>(expected), b = static_cast<double>(found);
    EXPECT_TRUE(a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a)))
        << name << " on " << device_->name << " gives " << b << ", on the host " << a;
  }

  /// Fused on the device, steps(rt, submitter, options, x, result) give what they give apart on the
  /// host, from values between -amplitude and amplitude.
  template <class T, class Steps>
  void compare_fused(float amplitude, const Steps& steps) {
    runtime rt;
    constexpr std::size_t count = 5003;
    const buffer<T> x{rt, count};
    const buffer<float> y{rt, count}, z{rt, count};
    {
      const auto values = x.write();
      for (std::size_t i = 0; i < count; ++i) {
        values[i] = amplitude * std::sin(static_cast<float>(i));
      }
    }
    const graph fused = rt.record({.fuse = true}, [&](submitter& s) {
      steps(rt, s, task_options{.on = rt.device(name())}, x, y);
    });
    EXPECT_EQ(fused.size(), 1U);
    rt.run(fused);
    const graph apart = rt.record(
        [&](submitter& s) { steps(rt, s, task_options{.on = rt.device("NUMA0")}, x, z); });
    rt.run(apart);
    EXPECT_EQ(y.to_vector(), z.to_vector());
  }

  [[nodiscard]] const std::string& name() const { return device_->name; }
  [[nodiscard]] const std::string& backend() const { return device_->backend; }

  /// Calls f() for each device, which is then the one that is compared.
  template <class F>
  void for_each_device(F f) {
    for (std::size_t d = 0; d < devices_.size(); ++d) {
      device_ = &devices_[d];
      if (!reads_text(*device_)) continue;
      SCOPED_TRACE(device_->name);
      handle_ = rt_.device(device_->name);
      f();
    }
  }

 private:
  static bool reads_text(const device_info& info);

  std::uint64_t seed_ = std::random_device{}();
  std::mt19937_64 random_{seed_};
  runtime rt_;
  std::vector<device_info> devices_ = rt_.devices();
  device_handle host_;
  device_handle handle_;
  const device_info* device_ = nullptr;
  ::testing::ScopedTrace trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)};
};

}  // namespace hocket::testing

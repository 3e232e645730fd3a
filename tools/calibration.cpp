// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "calibration.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <hocket/devices/prediction.hpp>

namespace tools {

namespace {

using hocket::device_info;
using hocket::nanoseconds;

constexpr std::size_t most_samples = 15;  // what the placement engine takes the median of
constexpr std::size_t element_counts[] = {1U << 10U, 1U << 13U, 1U << 16U, 1U << 19U, 1U << 22U};
constexpr std::size_t matrix_sides[] = {32, 64, 128, 256, 512, 1024};
constexpr std::uint64_t least_copy = std::uint64_t{4} << 10U, most_copy = std::uint64_t{64} << 20U;

/// Does nothing: what its launch takes is what any launch takes. Its buffer is brought to where it
/// runs, and is valid there alone afterwards.
const hocket::kernel<hocket::inout_buffer<float>>& empty_kernel() {
  const auto once = [](const hocket::launch_shape&) { return hocket::grid{1, 1, 1}; };
  static const auto made =
      hocket::kernel<hocket::inout_buffer<float>>{
          "empty", hocket::host_body{[](const hocket::buffer_view<float>&) {}}}
          .with(hocket::opencl_c{"x", ";", {1, 1, 1}, once})
          .with(hocket::glsl{"x", ";", {1, 1, 1}, once})
          .with(hocket::cuda_c{"x", ";", {1, 1, 1}, once})
          .cost([](const hocket::launch_shape&) { return hocket::launch_work{}; });
  return made;
}

/// A kind of task, in one size.
struct subject {
  measured_launch result;
  std::function<hocket::future<void>(const hocket::task_options&)> submit;
  nanoseconds last{0};  ///< what it took with all that belongs to it
};

template <class... Descriptors, class Kernel>
const hocket::kernel_definition& definition_of(const Kernel& of) {
  return *hocket::resolve<Descriptors...>(of).definition();
}

class measurement {
 public:
  measurement(hocket::runtime& rt, nanoseconds time, const std::stop_token& stop,
              const std::function<void(std::string_view)>& show)
      : rt_(rt), end_(rt.now() + time), stop_(stop), show_(show) {
    made_.devices = rt.devices();
  }

  calibration all() {
    std::vector<std::function<void(hocket::time_stamp end)>> parts;
    for (const device_info& device : made_.devices) {
      parts.emplace_back([&](hocket::time_stamp end) { one_device(device, end); });
    }
    for (const device_info& from : made_.devices) {
      for (const device_info& to : made_.devices) {
        if (&from == &to || !has_own_memory(from) || !has_own_memory(to)) continue;
        parts.emplace_back([&](hocket::time_stamp end) {
          in_all_sizes(to, end, [&](std::uint64_t bytes, hocket::time_stamp end_of_size) {
            return copy_across(from, to, bytes, end_of_size);
          });
        });
      }
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const nanoseconds share = (end_ - rt_.now()) / static_cast<std::int64_t>(parts.size() - i);
      try {
        parts[i](rt_.now() + share);
      } catch (const hocket::error& why) {
        made_.problems.emplace_back(why.what());
      }
    }
    made_.was_interrupted = stop_.stop_requested();
    return std::move(made_);
  }

 private:
  [[nodiscard]] bool is_over(hocket::time_stamp end) const {
    return stop_.stop_requested() || rt_.now() >= end;
  }

  void one_device(const device_info& device, hocket::time_stamp end) {
    const auto begin = rt_.now();
    const hocket::time_stamp end_of_copies = begin + (end - begin) / 3;
    in_all_sizes(device, end_of_copies, [&](std::uint64_t bytes, hocket::time_stamp end_of_size) {
      return copy_both_ways(device, bytes, end_of_size);
    });
    launch_all(device, end);
  }

  [[nodiscard]] hocket::task_options on(const device_info& device) const {
    hocket::task_options options;
    options.on = rt_.device(device.name);
    return options;
  }

  /// The time of the last span of that kind on the device since that moment, on the stream if one
  /// is named.
  [[nodiscard]] std::optional<nanoseconds> last_span(hocket::trace_kind kind,
                                                     const device_info& device,
                                                     hocket::time_stamp since,
                                                     std::string_view stream = "") const {
    const hocket::trace_snapshot trace = rt_.trace();
    for (auto at = trace.records.rbegin(); at != trace.records.rend(); ++at) {
      if (at->kind != kind || at->begin < since) continue;
      if (trace.device_names[at->device.value] != device.name) continue;
      if (!stream.empty() && trace.stream_names[at->stream.value] != stream) continue;
      return at->end - at->begin;
    }
    return {};
  }

  // ---- copies

  [[nodiscard]] static bool has_own_memory(const device_info& device) {
    return !device.shares_host_memory && !device.imports_host_memory;
  }

  [[nodiscard]] static bool has_room(const device_info& device, double bytes) {
    return device.memory_bytes == 0 || bytes <= static_cast<double>(device.memory_bytes) / 4;
  }

  /// Calls copy(bytes, end), from small to large, until it returns false. What is left of the time
  /// is shared among the sizes that are left. Two sizes, which make a line, are copied in any case.
  template <class Copy>
  void in_all_sizes(const device_info& to, hocket::time_stamp end, Copy&& copy) {
    constexpr std::uint64_t copied_in_any_case = 2 * least_copy;
    std::int64_t left = std::bit_width(most_copy) - std::bit_width(least_copy) + 1;
    for (std::uint64_t bytes = least_copy; bytes <= most_copy; bytes *= 2, --left) {
      const bool has_ended = bytes <= copied_in_any_case ? stop_.stop_requested() : is_over(end);
      if (has_ended || !has_room(to, static_cast<double>(bytes))) return;
      show_(fmt::format("{}: copies of {} KiB", to.name, bytes >> 10U));
      const hocket::time_stamp now = rt_.now();
      if (!copy(bytes, now + (end - now) / left)) return;
    }
  }

  /// Calls copy() as often as is useful, and until it returns false.
  template <class Copy>
  void often(hocket::time_stamp end, Copy&& copy) const {
    constexpr std::size_t least_samples = 3;
    for (std::size_t i = 0; i <= most_samples; ++i) {
      if (stop_.stop_requested() || (i >= least_samples && is_over(end)) || !copy()) return;
    }
  }

  void use_on(const device_info& device, const hocket::buffer<float>& data) {
    rt_.submit(on(device), empty_kernel(), hocket::updates(data)).get();
  }

  void note_copy(measured_copy& to, const device_info& device, const char* way,
                 hocket::time_stamp since) const {
    const auto took = last_span(hocket::trace_kind::transfer, device, since,
                                fmt::format("{} {}", device.name, way));
    if (took) to.times.push_back(*took);
  }

  /// Returns false if nothing is copied between the host and the device.
  bool copy_both_ways(const device_info& device, std::uint64_t bytes, hocket::time_stamp end) {
    const nanoseconds predicted = hocket::predicted_copy(device, bytes);
    measured_copy in{"host", device.name, bytes, predicted};
    measured_copy out{device.name, "host", bytes, predicted};
    const hocket::buffer<float> data{rt_, bytes / sizeof(float), 1.0F, "copied"};
    often(end, [&] {
      const auto begin = rt_.now();
      data.update()(0) = 1.0F;
      use_on(device, data);
      (void)data.read()(0);
      note_copy(in, device, "in", begin);
      note_copy(out, device, "out", begin);
      return !in.times.empty();
    });
    const bool is_linked = !in.times.empty();
    keep(in, made_.copies);
    keep(out, made_.copies);
    return is_linked;
  }

  /// Returns false if copies from one device to the other go through the host.
  bool copy_across(const device_info& from, const device_info& to, std::uint64_t bytes,
                   hocket::time_stamp end) {
    measured_copy across{from.name, to.name, bytes, hocket::predicted_peer_copy(to, bytes)};
    const hocket::buffer<float> data{rt_, bytes / sizeof(float), 1.0F, "copied"};
    often(end, [&] {
      use_on(from, data);
      const auto begin = rt_.now();
      use_on(to, data);
      measured_copy to_host;
      note_copy(to_host, from, "out", begin);
      if (to_host.times.empty()) note_copy(across, to, "in", begin);
      return !across.times.empty();
    });
    const bool is_linked = !across.times.empty();
    keep(across, made_.copies);
    return is_linked;
  }

  /// The first one may be slower than all that follow.
  template <class Measured>
  static void keep(Measured& one, std::vector<Measured>& among) {
    if (one.times.empty()) return;
    if (one.times.size() > 1) one.times.erase(one.times.begin());
    among.push_back(std::move(one));
  }

  // ---- launches

  [[nodiscard]] subject subject_of(const device_info& device, const std::string& size,
                                   const hocket::kernel_definition& kernel,
                                   const hocket::launch_shape& shape) const {
    const hocket::launch_work done = kernel.work_of(shape);
    const hocket::body_width width = kernel.width_of(shape);
    return {.result = {device.name, kernel.name, size, done, width == hocket::body_width::wide,
                       hocket::predicted_launch(device, done, width, kernel.name)},
            .submit = {}};
  }

  void add_elementwise(std::vector<subject>& to, const device_info& device, std::size_t count) {
    using hocket::in_buffer, hocket::inout_buffer, hocket::reads, hocket::updates;
    const hocket::buffer<float> x{rt_, count, 1.0F, "x"}, y{rt_, count, 0.0F, "y"};
    const std::string size = std::to_string(count);
    to.push_back(
        subject_of(device, size,
                   definition_of<float, in_buffer<float>, inout_buffer<float>>(hocket::ops::axpy),
                   {{count}, {count}}));
    to.back().submit = [this, x, y](const hocket::task_options& options) {
      return rt_.submit(options, hocket::ops::axpy, 0.5F, reads(x), updates(y));
    };
    to.push_back(subject_of(device, size, definition_of<in_buffer<float>>(hocket::ops::sum),
                            {{count}, {1}}));
    to.back().submit = [this, x](const hocket::task_options& options) {
      return rt_.submit(options, hocket::ops::sum, reads(x)).then([](float) {});
    };
  }

  void add_product(std::vector<subject>& to, const device_info& device, std::size_t side) {
    using hocket::in_buffer, hocket::out_buffer, hocket::reads, hocket::writes;
    const hocket::buffer<float, 2> a{rt_, {side, side}, 1.0F, "a"}, b{rt_, {side, side}, "b"};
    const hocket::index_list square{side, side};
    to.push_back(
        subject_of(device, fmt::format("{0}x{0}", side),
                   definition_of<in_buffer<float, 2>, in_buffer<float, 2>, out_buffer<float, 2>>(
                       hocket::ops::gemm_nn),
                   {square, square, square}));
    to.back().submit = [this, a, b](const hocket::task_options& options) {
      return rt_.submit(options, hocket::ops::gemm_nn, reads(a), reads(a), writes(b));
    };
  }

  [[nodiscard]] std::vector<subject> subjects_of(const device_info& device) {
    std::vector<subject> made;
    const hocket::buffer<float> one{rt_, 1, 0.0F, "one"};
    made.push_back(subject_of(device, "", *empty_kernel().definition(), {{1}}));
    made.back().submit = [this, one](const hocket::task_options& options) {
      return rt_.submit(options, empty_kernel(), hocket::updates(one));
    };
    for (const std::size_t count : element_counts) add_elementwise(made, device, count);
    for (const std::size_t side : matrix_sides) add_product(made, device, side);
    std::erase_if(made, [&](const subject& s) { return !has_room(device, s.result.done.bytes); });
    return made;
  }

  /// All sizes of all kernels, again and again, so that time that runs out leaves few samples of
  /// each and not many of some. The smallest size of each is launched in any case.
  void launch_all(const device_info& device, hocket::time_stamp end) {
    std::vector<subject> subjects = subjects_of(device);
    launch_smallest(subjects, device);
    for (std::size_t pass = 0; pass <= most_samples && !is_over(end); ++pass) {
      for (std::size_t i = 0; i < subjects.size() && !is_over(end); ++i) {
        if (expected(subjects, i) < end - rt_.now()) launch(subjects[i], device);
      }
    }
    for (subject& each : subjects) keep(each.result, made_.launches);
  }

  void launch_smallest(std::vector<subject>& all, const device_info& device) {
    constexpr int launches = 3;  // the first is not counted, and one alone is not kept
    std::set<std::string> known;
    for (subject& each : all) {
      if (!known.insert(each.result.kernel).second) continue;
      for (int i = 0; i < launches && !stop_.stop_requested(); ++i) launch(each, device);
    }
  }

  /// The time that the next launch takes, by the last one or by that of a smaller size.
  [[nodiscard]] static nanoseconds expected(const std::vector<subject>& all, std::size_t at) {
    const subject& wanted = all[at];
    if (wanted.last > nanoseconds{0}) return wanted.last;
    const auto smaller = std::find_if(
        std::make_reverse_iterator(all.begin() + static_cast<std::ptrdiff_t>(at)), all.rend(),
        [&](const subject& each) { return each.result.kernel == wanted.result.kernel; });
    if (smaller == all.rend()) return nanoseconds{0};
    const double times = wanted.result.done.flops / std::max(smaller->result.done.flops, 1.0);
    return std::chrono::duration_cast<nanoseconds>(smaller->last * times);
  }

  void launch(subject& what, const device_info& device) {
    show_(fmt::format("{}: {} {}", device.name, what.result.kernel, what.result.size));
    const auto begin = rt_.now();
    what.submit(on(device)).get();
    if (const auto took = last_span(hocket::trace_kind::kernel, device, begin)) {
      what.result.times.push_back(*took);
    }
    what.last = rt_.now() - begin;
  }

  hocket::runtime& rt_;
  const hocket::time_stamp end_;
  const std::stop_token& stop_;
  const std::function<void(std::string_view)>& show_;
  calibration made_;
};

/// The line through the points (bytes, time) with the least squares of relative errors, so that
/// small copies count as much as large ones.
measured_link line_through(const std::vector<const measured_copy*>& points) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (const measured_copy* each : points) {
    const auto x = static_cast<double>(each->bytes);
    const double y = std::max(static_cast<double>(median(each->times).count()), 1.0);
    const double weight = 1 / (y * y);
    w += weight;
    wx += weight * x;
    wy += weight * y;
    wxx += weight * x * x;
    wxy += weight * x * y;
  }
  const double slope = std::max((w * wxy - wx * wy) / (w * wxx - wx * wx), 1e-6);
  const double latency = std::max((wy - slope * wx) / w, 0.0);
  return {points.front()->from, points.front()->to, 1e9 / slope,
          nanoseconds(static_cast<std::int64_t>(latency))};
}

}  // namespace

nanoseconds median(std::vector<nanoseconds> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

std::vector<measured_link> links_of(const std::vector<measured_copy>& copies) {
  std::vector<measured_link> made;
  for (const measured_copy& first : copies) {
    const auto is_same = [&](const auto& each) {
      return each.from == first.from && each.to == first.to;
    };
    if (std::ranges::any_of(made, is_same)) continue;
    std::vector<const measured_copy*> points;
    for (const measured_copy& each : copies) {
      if (is_same(each)) points.push_back(&each);
    }
    if (points.size() > 1) made.push_back(line_through(points));
  }
  return made;
}

calibration measure(hocket::runtime& rt, nanoseconds time, const std::stop_token& stop,
                    const std::function<void(std::string_view)>& show) {
  return measurement(rt, time, stop, show).all();
}

}  // namespace tools

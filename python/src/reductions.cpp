// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <hocket/kernels/loop_nest.hpp>
#include <hocket/kernels/ranges.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "element_types.hpp"
#include "expressions.hpp"
#include "runtimes.hpp"
#include "value_program.hpp"

namespace hocket::python {

namespace {

/// Values of one type, one behind the other.
class value_list {
 public:
  value_list(std::size_t count, std::size_t size)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(count * size)), size_(size) {}
  [[nodiscard]] std::byte* at(std::size_t i) const { return bytes_.get() + i * size_; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_;
};

/// A reduction on the host, of expressions that no compiler has seen. The order of the elements
/// depends on their number alone: blocks are combined place by place, the places of what is left
/// of a range of blocks by halves, and so are the ranges.
class value_reduction {
 public:
  /// map: of the elements of the inputs; combined: of the parameters 0 and 1 of the type of start.
  value_reduction(const std::vector<element_type>& inputs, const scalar_argument& start,
                  const detail::expression& map, const detail::expression& combined)
      : start_(start),
        size_(size_of(start.type)),
        map_(parameters_of(inputs, start.type), {{inputs.size(), map}}),
        combine_(parameters_of({start.type, start.type}, start.type), {{2, combined}}) {}

  /// Leaves the value in the last buffer of the launch.
  void run(const host_launch& launch) const {
    const auto inputs = launch.buffers.first(launch.buffers.size() - 1);
    nest::offsets_of strides;
    for (const buffer_argument& each : inputs) strides.push_back(&each.strides);
    const nest elements(inputs.front().extents, strides);
    void* const result = launch.buffers.back().base;
    const std::size_t ranges = (elements.size() + range - 1) / range;
    if (ranges == 0) {
      std::memcpy(result, start_.bytes, size_);
      return;
    }
    const value_list partial(ranges, size_);
    detail::for_ranges(launch.lanes, ranges, 1, [&](std::size_t first, std::size_t last) {
      for (std::size_t r = first; r < last; ++r) {
        std::memcpy(partial.at(r), reduced(inputs, elements, r * range).at(0), size_);
      }
    });
    halve(partial, ranges);
    std::memcpy(result, partial.at(0), size_);
  }

 private:
  static constexpr std::size_t block = 4096;
  static constexpr std::size_t range = 16 * block;

  struct nest : loop_nest<std::dynamic_extent> {
    using offsets_of = boost::container::small_vector<const index_list*, 8>;
    using loop_nest::loop_nest;
  };

  static std::vector<parameter> parameters_of(const std::vector<element_type>& inputs,
                                              element_type result) {
    std::vector<parameter> made;
    for (const element_type each : inputs) made.push_back({parameter::kind::buffer, each});
    made.push_back({parameter::kind::buffer, result, access_mode::write});
    return made;
  }

  /// Reduces the elements of one range to one, in the first place of what it returns.
  [[nodiscard]] value_list reduced(std::span<const buffer_argument> inputs, const nest& elements,
                                   std::size_t first) const {
    const std::size_t end = std::min(first + range, elements.size());
    const std::size_t count = std::min(block, end - first);
    value_list all(count, size_);
    map(inputs, elements, first, first + count, all);
    if (end - first > block) {
      const value_list more(block, size_);
      for (std::size_t next = first + block; next < end; next += block) {
        const std::size_t last = std::min(next + block, end);
        map(inputs, elements, next, last, more);
        combine(all.at(0), more.at(0), last - next);
      }
    }
    halve(all, count);
    return all;
  }

  void map(std::span<const buffer_argument> inputs, const nest& elements, std::size_t first,
           std::size_t last, const value_list& to) const {
    std::vector<void*> buffers(inputs.size() + 1);
    std::vector<std::size_t> strides(elements.run_strides().begin(), elements.run_strides().end());
    strides.push_back(1);
    std::size_t done = 0;
    elements.for_runs(first, last, [&](const auto& offsets, std::size_t count) {
      for (std::size_t b = 0; b < inputs.size(); ++b) {
        buffers[b] = static_cast<std::byte*>(inputs[b].base) + offsets[b] * size_of(inputs[b].type);
      }
      buffers.back() = to.at(done);
      map_.run({buffers.data(), strides.data(), elements.dense(), nullptr, 0, count});
      done += count;
    });
  }

  /// to[i] = combine(to[i], from[i])
  void combine(std::byte* to, std::byte* from, std::size_t count) const {
    const std::array<void*, 3> buffers{to, from, to};
    constexpr std::array<std::size_t, 3> strides{1, 1, 1};
    combine_.run({buffers.data(), strides.data(), true, nullptr, 0, count});
  }

  void halve(const value_list& values, std::size_t count) const {
    while (count > 1) {
      const std::size_t kept = (count + 1) / 2;
      combine(values.at(0), values.at(kept), count - kept);
      count = kept;
    }
  }

  scalar_argument start_;
  std::size_t size_;
  value_program map_;
  value_program combine_;
};

/// map: none where the elements themselves are combined.
text_kernel reduction_of(const std::string& name, const std::vector<std::string>& dtypes,
                         const nb::object& start, const std::string& dtype,
                         const text_value& combined, const std::optional<text_value>& map) {
  const element_type type = numbers_named(dtype);
  const scalar_argument first = number_of(start, type, "The start of \"" + name + "\"");
  detail::traced_map mapped;
  const auto made = std::make_shared<kernel_definition>();
  made->name = name;
  made->result = type;
  std::size_t bytes = 0;
  for (const std::string& each : dtypes) {
    mapped.inputs.push_back(numbers_named(each));
    made->parameters.push_back({parameter::kind::buffer, mapped.inputs.back()});
    bytes += size_of(mapped.inputs.back());
  }
  if (map) mapped.value = map->node;
  const detail::expression value = map ? map->node : detail::make_parameter(type, 0);
  const auto body =
      std::make_shared<const value_reduction>(mapped.inputs, first, value, combined.node);
  made->host = [body](const host_launch& launch) { body->run(launch); };
  made->sources = detail::reduction_sources(first, combined.node, mapped);
  made->check = [name, count = dtypes.size()](const launch_shape& shape) {
    detail::require_equal_extents(name, std::span(shape).first(count));
  };
  made->width = [bytes](const launch_shape& shape) {
    const auto all = static_cast<double>(volume(shape.front()) * bytes);
    return all >= detail::wide_bytes ? body_width::wide : body_width::serial;
  };
  return {made};
}

}  // namespace

void bind_reductions(nb::module_& to) {
  to.def("reduction_kernel", &reduction_of, nb::arg("name"), nb::arg("dtypes"), nb::arg("start"),
         nb::arg("dtype"), nb::arg("combined"), nb::arg("map").none(),
         "A kernel that combines what map is for the elements of buffers of the dtypes.");
}

}  // namespace hocket::python

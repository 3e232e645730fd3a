// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "kernels.hpp"

#include <array>
#include <numeric>
#include <span>
#include <stdexcept>

namespace hocket::testing {

namespace {

constexpr std::array text_formats{kernel_format::opencl_c, kernel_format::glsl,
                                  kernel_format::cuda_c};

/// The kernel with the text as its body in each language.
template <class... Sig>
kernel<Sig...> with_text(const kernel<Sig...>& to, kernel_source source) {
  kernel<Sig...> made = to;
  for (const kernel_format format : text_formats) {
    source.format = format;
    made = made.with(source);
  }
  return made;
}

template <class... Sig>
kernel<Sig...> with_text(const kernel<Sig...>& to, std::vector<std::string> names, std::string text,
                         std::function<grid(const launch_shape&)> items = {},
                         grid local = {64, 1, 1}) {
  kernel_source source;
  source.names = std::move(names);
  source.passes = {{std::move(text), local, std::move(items)}};
  return with_text(to, std::move(source));
}

/// Each group adds a piece and writes its sum to scratch; one group adds those.
kernel_source sum_source() {
  constexpr std::size_t group = 64, each = 256;
  const auto groups = [](const launch_shape& shape) {
    return (volume(shape[0]) + each - 1) / each;
  };
  const std::string add_up =
      "part[LOCAL_ITEM(0)] = sum;"
      "for (uint half_way = 32u; half_way > 0u; half_way /= 2u) {"
      "  BARRIER();"
      "  if (LOCAL_ITEM(0) < half_way) part[LOCAL_ITEM(0)] += part[LOCAL_ITEM(0) + half_way];"
      "}";
  kernel_source source;
  source.names = {"x", "total"};
  source.functions = "#define EACH 256u\n";
  source.scratch = groups;
  kernel_pass pieces, rest;
  pieces.text =
      "uint sum = 0u;"
      "for (uint k = LOCAL_ITEM(0); k < EACH; k += 64u) {"
      "  uint i = GROUP(0) * EACH + k;"
      "  if (i < x_extent0) sum += x(i);"
      "}" +
      add_up + "if (LOCAL_ITEM(0) == 0u) scratch[GROUP(0)] = part[0];";
  pieces.items = [groups](const launch_shape& shape) { return grid{groups(shape) * group, 1, 1}; };
  pieces.shared = {"u32 part[64]"};
  rest.text =
      "uint sum = 0u;"
      "uint pieces = (x_extent0 + EACH - 1u) / EACH;"
      "for (uint k = LOCAL_ITEM(0); k < pieces; k += 64u) sum += scratch[k];" +
      add_up + "if (LOCAL_ITEM(0) == 0u) total() = part[0];";
  rest.items = [](const launch_shape&) { return grid{group, 1, 1}; };
  rest.shared = pieces.shared;
  source.passes = {std::move(pieces), std::move(rest)};
  return source;
}

}  // namespace

kernel<> do_nothing() {
  return with_text(kernel<>{"nothing", host_body{[] {}}}, {}, "", [](const launch_shape&) {
    return grid{1, 1, 1};
  });
}

kernel<inout_buffer<std::uint32_t>> triple_plus_one() {
  const kernel<inout_buffer<std::uint32_t>> made{"triple_plus_one",
                                                 host_body{[](buffer_view<std::uint32_t> x) {
                                                   for (std::uint32_t& e : x) e = 3 * e + 1;
                                                 }}};
  return with_text(made, {"x"}, "uint i = ITEM(0); if (i < x_extent0) x(i) = 3u * x(i) + 1u;");
}

kernel<float, in_buffer<float>, inout_buffer<float>> add_scaled() {
  const kernel<float, in_buffer<float>, inout_buffer<float>> made{
      "add_scaled", host_body{[](float a, buffer_view<const float> x, buffer_view<float> y) {
        for (std::size_t i = 0; i < y.extent(0); ++i) y(i) += a * x(i);
      }}};
  return with_text(made, {"a", "x", "y"}, "uint i = ITEM(0); if (i < x_extent0) y(i) += a * x(i);");
}

kernel<out_buffer<std::int32_t, 2>> number_places() {
  const kernel<out_buffer<std::int32_t, 2>> made{
      "number_places", host_body{[](buffer_view<std::int32_t, 2> y) {
        for (std::size_t i = 0; i < y.extent(0); ++i) {
          for (std::size_t j = 0; j < y.extent(1); ++j) {
            y(i, j) = static_cast<std::int32_t>(100 * i + j);
          }
        }
      }}};
  return with_text(made, {"y"},
                   "uint i = ITEM(1); uint j = ITEM(0);"
                   "if (i < y_extent0 && j < y_extent1) y(i, j) = AS(i32, 100u * i + j);",
                   [](const launch_shape& shape) {
                     return grid{shape[0][1], shape[0][0], 1};
                   },
                   {8, 4, 1});
}

kernel<std::int32_t, out_buffer<std::int32_t, any_rank>> number_elements() {
  const kernel<std::int32_t, out_buffer<std::int32_t, any_rank>> made{
      "number_elements", host_body{[](std::int32_t a, strided_view<std::int32_t> y) {
        std::int32_t next = 1000 * a;
        y.for_each_run([&](std::span<std::int32_t> run) {
          for (std::int32_t& e : run) e = next++;
        });
      }}};
  return with_text(made, {"a", "y"},
                   "uint i = ITEM(0); if (i < y_count) y(i) = 1000 * a + AS(i32, i);");
}

kernel<returns<std::uint32_t>, in_buffer<std::uint32_t>> sum_in_passes() {
  const kernel<returns<std::uint32_t>, in_buffer<std::uint32_t>> made{
      "sum_in_passes", host_body{[](buffer_view<const std::uint32_t> x) {
        return std::accumulate(x.begin(), x.end(), std::uint32_t{0});
      }}};
  return with_text(made, sum_source());
}

template <element T>
kernel<T, out_buffer<T>> fill() {
  const kernel<T, out_buffer<T>> made{"fill", host_body{[](T a, buffer_view<T> y) {
                                        for (T& e : y) e = a;
                                      }}};
  return with_text(made, {"a", "y"}, "uint i = ITEM(0); if (i < y_extent0) y(i) = a;");
}
template kernel<float, out_buffer<float>> fill<float>();
template kernel<double, out_buffer<double>> fill<double>();
template kernel<std::int8_t, out_buffer<std::int8_t>> fill<std::int8_t>();
template kernel<std::uint8_t, out_buffer<std::uint8_t>> fill<std::uint8_t>();
template kernel<std::int16_t, out_buffer<std::int16_t>> fill<std::int16_t>();
template kernel<std::uint16_t, out_buffer<std::uint16_t>> fill<std::uint16_t>();
template kernel<std::int32_t, out_buffer<std::int32_t>> fill<std::int32_t>();
template kernel<std::uint32_t, out_buffer<std::uint32_t>> fill<std::uint32_t>();
template kernel<std::int64_t, out_buffer<std::int64_t>> fill<std::int64_t>();
template kernel<std::uint64_t, out_buffer<std::uint64_t>> fill<std::uint64_t>();

kernel_ref add_many(std::size_t numbers) {
  kernel_definition made;
  made.name = "add_many";
  kernel_source source;
  kernel_pass pass;
  for (std::size_t i = 0; i < numbers; ++i) {
    made.parameters.push_back({parameter::kind::scalar, element_type::u32, access_mode::read, 0});
    source.names.push_back("a" + std::to_string(i));
    pass.text += "sum += a" + std::to_string(i) + ";";
  }
  made.result = element_type::u32;
  made.host = [](const host_launch& launch) {
    std::uint32_t sum = 0;
    for (const scalar_argument& a : launch.scalars) sum += a.as<std::uint32_t>();
    *static_cast<std::uint32_t*>(launch.buffers.back().base) = sum;
  };
  source.names.push_back("total");
  pass.text = "uint sum = 0u;" + pass.text + "if (ITEM(0) == 0u) total() = sum;";
  pass.items = [](const launch_shape&) { return grid{1, 1, 1}; };
  source.passes = {std::move(pass)};
  for (const kernel_format format : text_formats) {
    source.format = format;
    made.sources.push_back(source);
  }
  return std::make_shared<const kernel_definition>(std::move(made));
}

kernel<inout_buffer<float>> nonsense() {
  const kernel<inout_buffer<float>> made{"nonsense", host_body{[](buffer_view<float>) {
                                           throw std::logic_error("This is no body.");
                                         }}};
  return with_text(made, {"x"}, "surely_no_body = 1;");
}

launch_command launch_of(const kernel_ref& kernel, placed_buffers buffers,
                         scalar_arguments scalars) {
  return {kernel, std::move(buffers), std::move(scalars), {}, body_width::serial};
}

}  // namespace hocket::testing

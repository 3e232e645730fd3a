// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <stdexcept>
#include <string>

#include <hocket/hocket.hpp>

#include "program.hpp"

namespace hocket::seeded {

using number = std::int64_t;
using matrix = buffer<number, 2>;
using tile = region<number, 2>;
using source = buffer_view<const number, 2>;
using target = buffer_view<number, 2>;

struct planned_failure : std::runtime_error {
  planned_failure() : std::runtime_error("planned") {}
};

inline void read_all(mixer& m, const source& from) {
  for (std::size_t r = 0; r < from.extent(0); ++r) {
    for (std::size_t c = 0; c < from.extent(1); ++c) m.read(from(r, c));
  }
}

inline void write_all(const mixer& m, const target& to, bool updates) {
  for (std::size_t r = 0; r < to.extent(0); ++r) {
    for (std::size_t c = 0; c < to.extent(1); ++c) {
      to(r, c) = m.write(r * to.extent(1) + c, updates ? to(r, c) : 0);
    }
  }
}

/// A body that writes half of its output before it throws, so that torn results would show.
template <bool Updates, class... Sources>
void mix_into(number constant, number throws, const target& to, const Sources&... from) {
  mixer m(constant);
  (read_all(m, from), ...);
  if (throws != 0) {
    if (to.size() > 0) to(0, 0) = -1;
    throw planned_failure();
  }
  write_all(m, to, Updates);
}

inline number mix_value(number constant, number throws, const source& from) {
  if (throws != 0) throw planned_failure();
  mixer m(constant);
  read_all(m, from);
  return m.result();
}

using write_body_0 = kernel<number, number, out_buffer<number, 2>>;
using write_body_1 = kernel<number, number, in_buffer<number, 2>, out_buffer<number, 2>>;
using write_body_2 =
    kernel<number, number, in_buffer<number, 2>, in_buffer<number, 2>, out_buffer<number, 2>>;
using update_body_0 = kernel<number, number, inout_buffer<number, 2>>;
using update_body_1 = kernel<number, number, in_buffer<number, 2>, inout_buffer<number, 2>>;
using update_body_2 =
    kernel<number, number, in_buffer<number, 2>, in_buffer<number, 2>, inout_buffer<number, 2>>;
using value_body = kernel<returns<number>, number, number, in_buffer<number, 2>>;

/// The statements of mixer::read() in the languages of devices.
inline std::string mixing(const std::string& value) {
  return "s = (s ^ AS(u64, " + value + ")) * 0x9e3779b97f4a7c15ul; s ^= s >> 29; ";
}

/// Mixes all elements of the parameter, row by row.
inline std::string mixing_all(const std::string& name) {
  return "for (uint r = 0u; r < " + name + "_extent0; ++r) for (uint k = 0u; k < " + name +
         "_extent1; ++k) { " + mixing(name + "(r, k)") + "} ";
}

/// The texts of mix_into and mix_value, which never throw there. The parameters are a number, a
/// number that is not used, matrices to be read, and the target or the result.
inline std::string mixing_text(std::size_t sources, bool updates, bool has_result) {
  std::string text = "u64 s = AS(u64, x0); ";
  for (std::size_t i = 0; i < sources; ++i) text += mixing_all("x" + std::to_string(2 + i));
  const std::string to = "x" + std::to_string(2 + sources);
  if (has_result) return "if (ITEM(0) == 0u) { " + text + to + "(0) = AS(i64, s >> 8); }";
  text += mixing("i") + mixing(updates ? to + "(i / n, i % n)" : "0");
  return "uint i = ITEM(0); uint n = " + to + "_extent1; if (i < " + to + "_extent0 * n) { " +
         text + to + "(i / n, i % n) = AS(i64, s >> 8); }";
}

/// The kernel with texts for other devices too, so that the scheduler knows that it waits for
/// nothing; C++ alone may wait. Simulated devices run the C++.
template <class Kernel>
Kernel computing(const Kernel& made, std::size_t sources, bool updates, bool has_result = false) {
  kernel_source text;
  const kernel_definition& known = *made.definition();
  for (std::size_t i = 0; i < known.parameters.size() + (known.result ? 1 : 0); ++i) {
    text.names.push_back("x" + std::to_string(i));
  }
  text.passes.push_back({mixing_text(sources, updates, has_result)});
  text.types = {element_type_of<std::uint64_t>};
  text.format = kernel_format::opencl_c;
  kernel_source glsl = text, cuda = text;
  glsl.format = kernel_format::glsl;
  cuda.format = kernel_format::cuda_c;
  return made.with(std::move(cuda)).with(std::move(glsl)).with(std::move(text));
}

struct bodies {
  static constexpr auto wide = [](const launch_shape& shape) {
    return volume(shape.back()) % 3 == 0;
  };
  write_body_0 w0 = write_body_0{
      "w0", host_body{[](number c, number t, const target& o) {
        mix_into<false>(c, t, o);
      }}}.wide(wide);
  write_body_1 w1 =
      computing(write_body_1{"w1", host_body{[](number c, number t, const source& a,
                                                const target& o) { mix_into<false>(c, t, o, a); }}}
                    .wide(wide),
                1, false);
  write_body_2 w2 = computing(
      write_body_2{"w2", host_body{[](number c, number t, const source& a, const source& b,
                                      const target& o) { mix_into<false>(c, t, o, a, b); }}}
          .wide(wide),
      2, false);
  update_body_0 u0 = update_body_0{
      "u0", host_body{[](number c, number t, const target& o) {
        mix_into<true>(c, t, o);
      }}}.wide(wide);
  update_body_1 u1 =
      computing(update_body_1{"u1", host_body{[](number c, number t, const source& a,
                                                 const target& o) { mix_into<true>(c, t, o, a); }}}
                    .wide(wide),
                1, true);
  update_body_2 u2 = computing(
      update_body_2{"u2", host_body{[](number c, number t, const source& a, const source& b,
                                       const target& o) { mix_into<true>(c, t, o, a, b); }}}
          .wide(wide),
      2, true);
  value_body v = computing(value_body{"v", host_body{mix_value}}, 1, false, true);
};

inline const bodies& all_bodies() {
  static const bodies made;
  return made;
}

}  // namespace hocket::seeded

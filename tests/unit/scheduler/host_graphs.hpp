// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <gmock/gmock.h>

#include <stdexcept>

#include <hocket/hocket.hpp>

namespace hocket {

// Kernels of one number.
inline const kernel<inout_buffer<int>> one_more{"one_more",
                                                host_body{[](buffer_view<int> x) { ++x(0); }}};
inline const kernel<in_buffer<int>, out_buffer<int>> take_over{
    "take_over",
    host_body{[](buffer_view<const int> from, buffer_view<int> to) { to(0) = from(0); }}};
inline const kernel<in_buffer<int>, inout_buffer<int>> add_to{
    "add_to", host_body{[](buffer_view<const int> from, buffer_view<int> to) {
      to(0) = (to(0) + from(0)) % 1000;
    }}};
inline const kernel<inout_buffer<int>> fail_always{
    "fail_always", host_body{[](buffer_view<int>) { throw std::runtime_error("no luck"); }}};

/// Graphs of such on the cores of the host alone.
class host_graphs : public ::testing::Test {
 protected:
  explicit host_graphs(data_path path) : rt(options_of(path)) {}

  [[nodiscard]] static runtime_options options_of(data_path path) {
    runtime_options options;
    options.devices = "NUMA0";
    options.data_tasks = path;
    options.backends = {{"cpu", ""}};
    return options;
  }

  [[nodiscard]] buffer<int> cell(int value) { return {rt, 1, value}; }

  runtime rt;
};

}  // namespace hocket

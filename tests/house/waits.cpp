// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Functions of a user that may be bodies of tasks: what each does before a wait happens on one
// thread, what it does afterwards perhaps on another. See thread_locals.cmake.
#include <hocket/hocket.hpp>

namespace hocket {

void one_after_another(runtime& rt) {
  const auto first = rt.async([] {});
  first.get();
  const auto second = rt.async([] {});
  second.get();
}

void in_a_loop(runtime& rt, int n) {
  for (int i = 0; i < n; ++i) rt.async([i] { return i; }).wait();
}

float with_data(runtime& rt, const buffer<float>& x, buffer<float>& y, int n) {
  float total = 0;
  for (int i = 0; i < n; ++i) {
    rt.submit(ops::axpy, 2.0f, reads(x), updates(y));
    rt.submit([](buffer_view<float> all) { all[0] = 1.0f; }, updates(y)).get();
    total += rt.submit(ops::sum, reads(y)).then([](float sum) { return sum; }).get();
  }
  return total;
}

}  // namespace hocket

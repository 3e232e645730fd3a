// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <cstdio>

#include <hocket/hocket.hpp>

#include "common/ending.hpp"

using namespace hocket;

int main() try {
  runtime rt;  // drivers connect on first use: async-only programs never pay for them
  buffer<float> x{rt, 1 << 20, 1.0f}, y{rt, 1 << 20, 2.0f};

  rt.submit(ops::axpy, 2.0f, reads(x), updates(y));     // runs where it finishes first
  future<float> total = rt.submit(ops::sum, reads(y));  // ordered after it, by y
  std::printf("%g\n", total.get());
  examples::flush_output();
} catch (...) {
  return examples::end_of_program("01_hello");
}

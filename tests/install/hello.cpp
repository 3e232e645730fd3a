// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The hello program of the README, word for word.
#include <hocket/hocket.hpp>

#include <cstdio>

using namespace hocket;

int main() {
  runtime rt;
  buffer<float> x{rt, 1 << 20, 1.0f}, y{rt, 1 << 20, 2.0f};

  rt.submit(ops::axpy, 2.0f, reads(x), updates(y));     // runs where it finishes first
  future<float> total = rt.submit(ops::sum, reads(y));  // ordered after it, by y
  std::printf("%g\n", total.get());
}

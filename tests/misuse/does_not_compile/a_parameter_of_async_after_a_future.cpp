// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: The function that async is given takes no parameter

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(runtime& rt, const future<int>& f) {
  const future<int> next = rt.async(f, [](int v) { return v + 1; });
}

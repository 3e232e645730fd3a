// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: A function without accesses is given to async

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(runtime& rt) {
  const future<int> answer = rt.submit([] { return 42; });
}

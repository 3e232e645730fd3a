// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: The function that then is given takes one parameter, the result of the future

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(const future<int>& f) {
  const future<int> next = f.then([] { return 1; });
}

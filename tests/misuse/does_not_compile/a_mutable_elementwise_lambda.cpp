// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: An elementwise lambda is not mutable

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(submitter& s, const buffer<float>& x) {
  const auto count = elementwise("count", [n = 0](auto& v) mutable { v = v + ++n; });
  s.submit(count, updates(x));
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: The function of when cannot be called with its arguments

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(submitter& s, const graph& body, const buffer<float>& x) {
  s.run_while(when([](buffer_view<float> r) { return r(0) > 0; }, reads(x)), body);
}

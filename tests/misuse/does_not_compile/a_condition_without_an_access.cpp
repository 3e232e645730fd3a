// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: An argument of a task is a number, a future or a parameter of one, or an access

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(submitter& s, const graph& body, const buffer<float>& x) {
  s.run_while(when([](buffer_view<const float> r) { return r(0) > 0; }, x), body);
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: The function of a task cannot be called with its arguments

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(submitter& s, const buffer<float>& x) {
  s.submit([](buffer_view<float>, int) {}, updates(x));
}

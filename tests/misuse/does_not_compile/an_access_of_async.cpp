// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: async takes no arguments behind the function

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(runtime& rt, const buffer<float>& x) {
  rt.async([](buffer_view<const float>) {}, reads(x)).get();
}

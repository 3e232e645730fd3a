// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: traced<bool>.*bool

#include <hocket/hocket.hpp>

using namespace hocket;

const auto clamp = elementwise("clamp", [](auto a, auto& x) {
  if (x > a) x = a;
});

void wrong(submitter& s, const buffer<float>& x) { s.submit(clamp, 2.0f, updates(x)); }

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: throws where a value does not fit, which no device can

#include <hocket/hocket.hpp>

using namespace hocket;

const auto pack = elementwise("pack", [](const auto& x, auto& y) { y.set(0, x); });

void wrong(submitter& s, const buffer<int>& x, const buffer<packed_i4>& y) {
  s.submit(pack, reads(x), writes(y));
}

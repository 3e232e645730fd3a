// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: in<> is read, out<> is written, inout<> is updated

#include <hocket/hocket.hpp>

using namespace hocket;

const kernel<float, in<float>, out<float>> scaled{"scaled"};

void wrong(submitter& s, const buffer<float>& x, const buffer<float>& y) {
  s.submit(scaled, 2.0f, writes(x), writes(y));
}

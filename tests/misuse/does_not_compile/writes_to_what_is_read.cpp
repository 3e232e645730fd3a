// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: in_buffer<> is read, out_buffer<> is written, inout_buffer<> is updated

#include <hocket/hocket.hpp>

using namespace hocket;

const kernel<float, in_buffer<float>, out_buffer<float>> scaled{"scaled"};

void wrong(submitter& s, const buffer<float>& x, const buffer<float>& y) {
  s.submit(scaled, 2.0f, writes(x), writes(y));
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: Argument 2 has another element type than the kernel's

#include <hocket/hocket.hpp>

using namespace hocket;

const kernel<float, in_buffer<float>, out_buffer<float>> scaled{"scaled"};

void wrong(submitter& s, const buffer<double>& x, const buffer<float>& y) {
  s.submit(scaled, 2.0f, reads(x), writes(y));
}

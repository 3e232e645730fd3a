// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: The operation has no kernel for this element type

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(submitter& s, const buffer<int, 2>& x) {
  s.submit(ops::gemm_nn, reads(x), reads(x), writes(x));
}

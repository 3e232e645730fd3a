// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: No access is to be cut

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(submitter& s, const buffer<float>& x, const buffer<float>& y) {
  split_rows(s, ops::bias_backward, whole(reads(x)), reduces(y, plus{}));
}

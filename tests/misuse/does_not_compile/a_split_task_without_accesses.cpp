// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: An argument of a task is a number, a future or a parameter of one, or an access

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(submitter& s, const buffer<float>& x, const buffer<float>& y) {
  split_rows(s, ops::axpy, 2.0f, x, y);
}

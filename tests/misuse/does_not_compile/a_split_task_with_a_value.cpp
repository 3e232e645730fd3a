// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: Each piece would have a value of its own

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(submitter& s, const buffer<float>& x) { split_rows(s, ops::sum, reads(x)); }

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: The kernel takes another number of arguments

#include <hocket/hocket.hpp>

using namespace hocket;

const kernel<float, in_buffer<float>, out_buffer<float>> scaled{"scaled"};

void wrong(submitter& s, const buffer<float>& x) { s.submit(scaled, 2.0f, reads(x)); }

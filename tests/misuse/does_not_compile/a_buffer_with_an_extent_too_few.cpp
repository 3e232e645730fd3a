// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: A buffer has one extent for each dimension

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(runtime& rt) { const buffer<float, 2> x{rt, {100}, 1.0f}; }

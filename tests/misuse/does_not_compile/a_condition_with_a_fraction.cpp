// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: A condition is a function without parameters, when.function, accesses

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(submitter& s, const graph& body, const future<float>& x) { s.run_if(x, body); }

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: constraint.* .*buffer

#include <string>

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(runtime& rt) { const buffer<std::string> names{rt, 10}; }

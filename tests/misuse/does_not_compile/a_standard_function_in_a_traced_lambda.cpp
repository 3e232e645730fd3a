// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: no matching function for call to .*exp

#include <cmath>

#include <hocket/hocket.hpp>

using namespace hocket;

const auto logistic = elementwise("logistic", [](auto& x) { x = std::exp(x); });

void wrong(submitter& s, const buffer<float>& x) { s.submit(logistic, updates(x)); }

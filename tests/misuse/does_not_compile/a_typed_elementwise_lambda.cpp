// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: All parameters of an elementwise lambda are auto

#include <hocket/hocket.hpp>

using namespace hocket;

const auto scale = elementwise("scale", [](float by, auto& x) { x = by * x; });

void wrong(submitter& s, const buffer<float>& x) { s.submit(scale, 2.0f, updates(x)); }

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: no matching function for call to .*reduces

#include <functional>

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(submitter& s, const buffer<float>& x) {
  s.submit([](buffer_view<float>) {}, reduces(x, std::multiplies<>{}));
}

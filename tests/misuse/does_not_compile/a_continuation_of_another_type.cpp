// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: The function that then is given takes one parameter, the result of the future

#include <string>

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(const future<int>& f) {
  f.then({.label = "length"}, [](const std::string& text) { return text.size(); }).get();
}

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
// Expected: when_all copies results, and one of these types can only be moved

#include <memory>

#include <hocket/hocket.hpp>

using namespace hocket;

void wrong(const future<std::unique_ptr<int>>& owned) { (void)when_all(owned, owned); }

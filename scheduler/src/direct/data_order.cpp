// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "direct/data_order.hpp"

#include "direct/host_storage.hpp"

namespace hocket::detail {

data_order::data_order(std::shared_ptr<host_storage> home, const box& whole, std::uint64_t bytes)
    : home_(std::move(home)), bytes_(bytes) {
  // No node stands for the content that is not there.
  nodes_.append(
      {}, whole, access_mode::write, [](const auto&) { return true; },
      [](const auto&, heart::edge_kind) {});
}

data_order::~data_order() { home_->give_back(*this); }

std::byte* data_order::obtain(const completion& on_behalf_of) {
  if (address() == nullptr) home_->obtain(*this, on_behalf_of);
  return address();
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "direct/data_order.hpp"

#include "direct/host_storage.hpp"

namespace hocket::detail {

data_order::data_order(std::shared_ptr<host_storage> home, const box& whole, std::uint64_t bytes,
                       buffer_argument&& argument)
    : home_(std::move(home)), bytes_(bytes), extent_(whole), argument_(std::move(argument)) {}

data_order::~data_order() { home_->give_back(*this); }

data_order::chain& data_order::nodes() {
  if (parts_ != nullptr) return *parts_;
  auto made = std::make_unique<chain>();
  const auto add = [&](const direct_node_ptr& node, access_mode mode) {
    made->append(
        node, extent_, mode, [](const auto&) { return true; },
        [](const auto&, heart::edge_kind) {});
  };
  // No node stands for content that is not there.
  if (whole_.writer != nullptr || !whole_.is_written) add(whole_.writer, access_mode::write);
  for (const direct_node_ptr& reader : whole_.readers) add(reader, access_mode::read);
  whole_.writer = nullptr;
  whole_.readers.clear();
  parts_ = std::move(made);
  return *parts_;
}

void data_order::begin_anew(direct_node_ptr writer) noexcept {
  parts_ = nullptr;
  whole_.writer = std::move(writer);
  whole_.is_written = true;
  whole_.readers.clear();
}

void data_order::obtain(const completion& on_behalf_of) {
  if (address() == nullptr) home_->obtain(*this, on_behalf_of);
}

}  // namespace hocket::detail

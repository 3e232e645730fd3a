// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/in_place_history.hpp"

#include "data/host_storage.hpp"

namespace hocket::detail {

in_place_history::in_place_history(std::shared_ptr<host_storage> home, const box& whole,
                                   std::uint64_t bytes, buffer_argument&& argument)
    : home_(std::move(home)), bytes_(bytes), extent_(whole), argument_(std::move(argument)) {}

in_place_history::~in_place_history() { home_->give_back(*this); }

in_place_history::chain& in_place_history::nodes() {
  if (parts_ != nullptr) return *parts_;
  auto made = std::make_unique<chain>();
  const auto add = [&](const in_place_node_ptr& node, access_mode mode) {
    made->append(
        node, extent_, mode, [](const auto&) { return true; }, [](const auto&, edge_kind) {});
  };
  // No node stands for content that is not there.
  if (whole_.writer != nullptr || !whole_.is_written) add(whole_.writer, access_mode::write);
  for (const in_place_node_ptr& reader : whole_.readers) add(reader, access_mode::read);
  whole_.writer = nullptr;
  whole_.readers.clear();
  parts_ = std::move(made);
  return *parts_;
}

void in_place_history::begin_anew(in_place_node_ptr writer) noexcept {
  parts_ = nullptr;
  whole_.writer = std::move(writer);
  whole_.is_written = true;
  whole_.readers.clear();
}

void in_place_history::obtain(const task_state& on_behalf_of) {
  if (address() == nullptr) home_->obtain(*this, on_behalf_of);
}

}  // namespace hocket::detail

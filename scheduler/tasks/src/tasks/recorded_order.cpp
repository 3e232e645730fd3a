// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/detail/recorded_order.hpp>

#include <algorithm>
#include <stdexcept>

namespace hocket::detail {

std::uint32_t recorded_order::add(plan_function& function, std::span<const std::uint32_t> before) {
  make_room(1, before.size());
  std::ranges::copy(before, after_.data() + edges_);
  edges_ += before.size();
  places_[size_ + 1] = {&function, static_cast<std::uint32_t>(before.size()), 0};
  return size_++;
}

void recorded_order::make_room(std::size_t functions, std::size_t edges) {
  constexpr std::size_t most = std::size_t{1} << 31U;
  const auto enlarge = [=](auto& list, std::size_t used, std::size_t more) {
    if (more > most - used) {
      throw std::length_error("A graph has at most 2^31 tasks, and so many edges.");
    }
    if (used + more <= list.size()) return;
    // By so much that it costs little for each.
    const std::size_t wanted = std::max({used + more, 2 * list.size(), std::size_t{16}});
    list.resize(std::min(wanted, most), boost::container::default_init);
  };
  enlarge(places_, size_ + std::size_t{1}, functions);
  enlarge(after_, edges_, edges);
}

}  // namespace hocket::detail

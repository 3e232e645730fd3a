// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "placement/policies/policies.hpp"

namespace hocket::placement {

namespace {

/// The larger side of the squarest grid of so many devices.
std::size_t columns_of(std::size_t devices) {
  std::size_t rows = 1;
  for (std::size_t each = 1; each * each <= devices; ++each) {
    if (devices % each == 0) rows = each;
  }
  return devices / rows;
}

/// The place of the tile in dimension d, if all tiles are as large as this one.
std::size_t place_of_tile(const box& tile, std::size_t d) {
  return tile.begin[d] / std::max<std::size_t>(tile.end[d] - tile.begin[d], 1);
}

std::size_t owner_of(const placement_access& what, std::size_t devices) {
  const box& tile = *what.region;
  const std::size_t rank = tile.rank();
  const bool begins_buffer = std::ranges::all_of(tile.begin, [](auto at) { return at == 0; });
  if (rank == 0 || begins_buffer) return what.buffer % devices;
  const std::size_t column = place_of_tile(tile, rank - 1);
  if (rank == 1) return (what.buffer + column) % devices;
  const std::size_t columns = columns_of(devices), rows = devices / columns;
  const std::size_t row = place_of_tile(tile, rank - 2);
  return (what.buffer + row % rows * columns + column % columns) % devices;
}

class owner_computes final : public placement_policy {
  [[nodiscard]] std::size_t choose(const placement_task& task) override {
    if (task.accesses.empty()) return task.options[task.number % task.options.size()].device;
    const auto written = std::ranges::find_if(
        task.accesses, [](const placement_access& a) { return writes_content(a.mode); });
    const placement_access& owned =
        written == task.accesses.end() ? task.accesses.front() : *written;
    return task.options[owner_of(owned, task.options.size())].device;
  }
};

}  // namespace

std::unique_ptr<placement_policy> make_owner_computes() {
  return std::make_unique<owner_computes>();
}

}  // namespace hocket::placement

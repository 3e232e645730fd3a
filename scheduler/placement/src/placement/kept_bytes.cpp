// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/kept_bytes.hpp"

#include <cstring>
#include <new>

namespace hocket::placement {

namespace {

/// Calls row(indices) with the first element of each row of an array of these sizes, in order.
template <class Row>
void each_row(const index_list& sizes, const Row& row) {
  if (volume(sizes) == 0) return;
  const std::size_t last = sizes.size() - 1;
  index_list at(sizes.size(), 0);
  while (true) {
    row(at);
    std::size_t d = last;
    while (d > 0 && ++at[d - 1] == sizes[d - 1]) at[--d] = 0;
    if (d == 0) return;
  }
}

std::size_t offset_of(const index_list& at, const index_list& strides) {
  std::size_t sum = 0;
  for (std::size_t d = 0; d < at.size(); ++d) sum += at[d] * strides[d];
  return sum;
}

}  // namespace

void kept_bytes::read_from(const std::byte* replica) noexcept {
  const std::size_t element_size = size_of(part->type());
  try {
    bytes.reserve(part->elements() * element_size);
  } catch (const std::bad_alloc&) {
    lacks_memory = true;
    return;
  }
  const std::size_t row_bytes = part->sizes()[part->sizes().size() - 1] * element_size;
  each_row(part->sizes(), [&](const index_list& at) {
    const std::byte* const first =
        replica + part->first_byte() + offset_of(at, part->strides()) * element_size;
    bytes.insert(bytes.end(), first, first + row_bytes);
  });
  was_read = true;
}

bool kept_bytes::write_to(std::byte* replica, const box& region) const noexcept {
  if (!was_read) return false;
  const std::size_t element_size = size_of(part->type());
  const index_list sizes = region.extents();
  const index_list strides = dense_strides(part->sizes());
  const std::size_t row_bytes = sizes[sizes.size() - 1] * element_size;
  std::size_t from = 0;
  std::size_t to = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    const std::size_t begin = region.begin[d] - part->region().begin[d];
    from += begin * strides[d];
    to += begin * part->strides()[d];
  }
  each_row(sizes, [&](const index_list& at) {
    std::byte* const row =
        replica + part->first_byte() + (to + offset_of(at, part->strides())) * element_size;
    std::memcpy(row, bytes.data() + (from + offset_of(at, strides)) * element_size, row_bytes);
  });
  return true;
}

}  // namespace hocket::placement

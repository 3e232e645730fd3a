// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>

#include <hocket/core/shape.hpp>

namespace hocket {

/// A band is a box of a dense row-major array whose elements lie together: one index in some of the
/// outer dimensions, some of the next one, and all of the rest. By itself it is a dense array of
/// its own extents.
///
/// The least band of an array of these extents that has all of the region. Precondition: the region
/// is not empty and lies in the array.
[[nodiscard]] box band_around(const box& region, const index_list& extents);

/// The least band, or a larger one of at most so many bytes, which is then one of those that divide
/// the array evenly: regions beside one another mostly have one in common.
[[nodiscard]] box band_around(const box& region, const index_list& extents,
                              std::size_t element_size, std::uint64_t bytes);

/// The place of a box of the array in its band. Precondition: the band has all of it.
[[nodiscard]] box place_in(const box& band, const box& region);

/// How many elements of the array lie before the band.
[[nodiscard]] std::size_t elements_before(const box& band, const index_list& extents);

}  // namespace hocket

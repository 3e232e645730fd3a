// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <vector>

#include <hocket/kernels/kernel.hpp>
#include <hocket/streams/command.hpp>

namespace hocket::testing {

/// Kernels with a body in every format, which do the same in each.

/// Takes nothing, does nothing.
[[nodiscard]] kernel<> do_nothing();

/// x = 3 x + 1, modulo 2^32: which shows how often and in which order it was run.
[[nodiscard]] kernel<inout_buffer<std::uint32_t>> triple_plus_one();

/// y += a x.
[[nodiscard]] kernel<float, in_buffer<float>, inout_buffer<float>> add_scaled();

/// y(i, j) = 100 i + j: places in the region.
[[nodiscard]] kernel<out_buffer<std::int32_t, 2>> number_places();

/// y = 1000 a + the number of the element, in any rank.
[[nodiscard]] kernel<std::int32_t, out_buffer<std::int32_t, any_rank>> number_elements();

/// The sum of x, in two passes with words shared between them, groups and barriers.
[[nodiscard]] kernel<returns<std::uint32_t>, in_buffer<std::uint32_t>> sum_in_passes();

/// y = a, for numbers of one type.
template <element T>
[[nodiscard]] kernel<T, out_buffer<T>> fill();

/// More numbers than fit into the push constants of most devices, added.
[[nodiscard]] kernel_ref add_many(std::size_t numbers);

/// A body that no compiler takes.
[[nodiscard]] kernel<inout_buffer<float>> nonsense();

/// A launch of it; cost and width as given.
[[nodiscard]] launch_command launch_of(const kernel_ref& kernel, placed_buffers buffers,
                                       scalar_arguments scalars = {});

}  // namespace hocket::testing

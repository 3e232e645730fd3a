// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>

#include <hocket/streams/command.hpp>

namespace hocket::faults {

/// Flips some bits of what the copy has written, in one word of 32 bits of every 64 bytes, as
/// faults of memories and buses do. The first bytes are always changed. Host addresses.
/// Which bits depends on the number, of which those that follow one another differ: a copy that is
/// made twice is not changed alike.
void flip_bits(const copy_command& written, std::uint64_t number = 0);

/// The kernels that do the same in the memory of devices with kernels from texts, one for each size
/// of elements.
class flip_kernels {
 public:
  flip_kernels();

  /// The launch, with flips in all that it writes. on_host: the device runs bodies in C++.
  [[nodiscard]] launch_ref corrupted(launch_ref launch, bool on_host) const;

 private:
  [[nodiscard]] launch_ref flipped_by_device(const launch_ref& launch) const;
  [[nodiscard]] const kernel_ref& for_size(std::size_t bytes) const;

  std::array<kernel_ref, 3> of_size_;  ///< 1, 2 and 4 bytes
};

}  // namespace hocket::faults

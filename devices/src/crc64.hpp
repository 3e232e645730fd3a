// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>

namespace hocket {

/// The CRC-64 of the archiver XZ, of bytes that come in pieces. Tells any change of up to 64
/// neighbouring bits, and all but one in 2^64 of other changes.
class crc64 {
 public:
  void add(const void* bytes, std::size_t count) noexcept;
  [[nodiscard]] std::uint64_t value() const noexcept { return ~state_; }

 private:
  std::uint64_t state_ = ~std::uint64_t{0};
};

}  // namespace hocket

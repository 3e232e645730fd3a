// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

/// The element types of the concepts in ops.hpp, for which families are instantiated: each list
/// calls EACH(T) for every type.
#define HOCKET_FOR_FULL_WIDTH(EACH) \
  EACH(float)                       \
  EACH(double)                      \
  EACH(std::int32_t)                \
  EACH(std::uint32_t)               \
  EACH(std::int64_t)                \
  EACH(std::uint64_t)

#define HOCKET_FOR_COMPUTABLE(EACH) \
  HOCKET_FOR_FULL_WIDTH(EACH)       \
  EACH(float16)                     \
  EACH(bfloat16)

#define HOCKET_FOR_STORABLE(EACH) \
  HOCKET_FOR_COMPUTABLE(EACH)     \
  EACH(std::int8_t)               \
  EACH(std::uint8_t)              \
  EACH(std::int16_t)              \
  EACH(std::uint16_t)             \
  EACH(float8_e4m3)               \
  EACH(float8_e5m2)               \
  EACH(bool)

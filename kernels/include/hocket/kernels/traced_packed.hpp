// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <hocket/core/packed.hpp>
#include <hocket/kernels/traced.hpp>

namespace hocket {

namespace detail {

/// A lambda may be traced with parameters of that type.
template <class T>
concept traceable = number_element<T> || is_packed<T>;

}  // namespace detail

/// A packed_i4 or the like while a lambda is traced: a byte. get() and set_saturated() are recorded
/// as arithmetic of integers, of which compilers make shifts.
template <unsigned Bits, bool IsSigned>
class traced<packed_integers<Bits, IsSigned>> {
  using plain = packed_integers<Bits, IsSigned>;

 public:
  traced(plain value)  // NOLINT(*-explicit-*)
      : whole_(detail::make_literal(scalar_argument::of(value.bits()))) {}
  explicit traced(detail::expression recorded) : whole_(std::move(recorded)) {}

  /// The byte: what the value was made from unless an integer of it was given a value.
  [[nodiscard]] detail::expression recorded() const {
    const bool is_changed = std::ranges::any_of(
        stored_, [](const std::optional<traced<std::uint32_t>>& each) { return each.has_value(); });
    if (!is_changed) return whole_;
    traced<std::uint32_t> sum = stored(0);
    for (std::size_t i = 1; i < plain::count; ++i) sum += stored(i) * unit(i);
    return detail::as_expression<std::uint8_t>(sum);
  }

  /// The integer with that number; see packed_integers.
  [[nodiscard]] traced<std::int32_t> get(std::size_t index) const {
    const traced<std::int32_t> found = stored(checked(index));
    if constexpr (!IsSigned) return found;
    return found - found / (plain::greatest + 1) * static_cast<int>(values);
  }

  /// Gives an integer the nearest value that fits, as on the host.
  template <detail::operand Value>
  void set_saturated(std::size_t index, const Value& value) {
    using type = decltype(+detail::computed_t<detail::element_behind_t<Value>>{});
    const traced<type> given(detail::as_expression<type>(value));
    traced<type> near = select(given < plain::greatest, given, +plain::greatest);
    if constexpr (std::is_signed_v<type>) {
      near = select(given > plain::lowest, near, +plain::lowest);
    }
    stored_[checked(index)] =
        cast<std::uint32_t>(cast<std::int32_t>(near) + static_cast<int>(values)) % values;
  }

  /// Not for devices.
  template <class Value>
  void set(std::size_t, const Value&) {
    static_assert(sizeof(Value) == 0,
                  "set() throws where a value does not fit, which no device can. A lambda that is "
                  "traced calls set_saturated().");
  }

 private:
  /// How many different values each integer has.
  static constexpr std::uint32_t values = 1U << Bits;
  static std::uint32_t unit(std::size_t index) { return 1U << (Bits * index); }

  static std::size_t checked(std::size_t index) {
    (void)plain().get(index);
    return index;
  }
  /// The bits of an integer, as a number without a sign.
  [[nodiscard]] traced<std::uint32_t> stored(std::size_t index) const {
    if (stored_[index]) return *stored_[index];
    return cast<std::uint32_t>(traced<std::uint8_t>(whole_)) / unit(index) % values;
  }

  detail::expression whole_;
  /// Of those that were given a value.
  std::array<std::optional<traced<std::uint32_t>>, plain::count> stored_;
};

}  // namespace hocket

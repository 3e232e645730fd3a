// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/core/never_destroyed.hpp>
#include <hocket/kernels/elementwise.hpp>
#include <hocket/scheduler/submitter.hpp>

namespace hocket {

namespace detail {

template <class Op>
[[nodiscard]] const auto& combiner() {
  static const never_destroyed family = elementwise("combine", [](const auto& part, auto& whole) {
    if constexpr (std::is_same_v<Op, plus<void>>)
      whole = whole + part;
    else if constexpr (std::is_same_v<Op, maximum>)
      whole = select(whole < part, part, whole);
    else
      whole = select(part < whole, part, whole);
  });
  return family.get();
}

}  // namespace detail

template <element T, std::size_t R, class Op>
auto submitter::prepare(const reduction_access<T, R, Op>& wanted) {
  detail::partial<T, R, Op> made{buffer<T, R>(home(), wanted.what.extents(), "partial"),
                                 wanted.what};
  submit_part(ops::fill, detail::start_of<Op, T>, writes(made.values));
  return made;
}

template <element T, std::size_t R, class Op>
void submitter::conclude(const detail::partial<T, R, Op>& partial) {
  submit_part(detail::combiner<Op>(), reads(partial.values), updates(partial.into));
}

}  // namespace hocket

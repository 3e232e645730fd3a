// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <ranges>
#include <type_traits>
#include <utility>

#include <hocket/scheduler/buffer.hpp>
#include <hocket/scheduler/detail/lent_memory.hpp>

namespace hocket {

namespace detail {

/// A range of contiguous elements that outlives the expression that names it.
template <class C>
concept holds_elements = std::ranges::contiguous_range<C> && std::ranges::sized_range<C> &&
    (std::is_lvalue_reference_v<C> ||
     std::ranges::borrowed_range<C>)&&element<std::ranges::range_value_t<C>>;

}  // namespace detail

/// Memory of the program itself, for a buffer to lie over instead of memory of the runtime:
///
/// ```cpp
/// std::vector<float> mine(1000, 1.0f);
/// const std::vector<float> constant(100, 3.0f);
/// runtime rt;  // ends before the memory does
/// {
///   const buffer<float> x{rt, user_memory(mine), "x"};  // has the content of mine
///   rt.submit(ops::fill, 2.0f, writes(x.rows(0, 10)));
///   std::printf("%g\n", x.read()(0));  // waits for the task; the view is mine itself
/// }
/// const auto shared = std::make_shared<std::vector<float>>(1000, 2.0f);
/// const buffer<float> y{rt, user_memory(*shared).kept_by(shared), "y"};
/// const buffer<float> z{rt, user_memory(constant).given_back([] { std::printf("free\n"); }), "z"};
/// ```
///
/// The memory is the replica of the host: nothing is copied for host bodies, host views, and
/// devices that use the host's memory. It must stay, and only tasks and views may use it, until the
/// runtime has given it back: after the last handle of the buffer and the last task that uses it
/// are gone, or when the runtime ends, whichever comes first. A runtime with detached views, such
/// as tensors of to_dlpack, ends after the last of them. Before that all content which only other
/// memories have is copied there. Then the function of given_back is called, and what kept_by was
/// given is destroyed; once, on any thread, also if making the buffer throws. It must neither throw
/// nor wait for a task. Memory of constants is never written: accesses that write throw
/// usage_error. Parts of what one buffer lies over cannot be lent to the same runtime meanwhile,
/// and must not be lent to another one.
template <element T, std::size_t R = 1>
class user_memory {
 public:
  /// The elements of a vector, an array, a span, ... in one dimension.
  template <detail::holds_elements C>
  requires(R == 1 &&
           !std::same_as<std::remove_cvref_t<C>, user_memory>) explicit user_memory(C&& elements)
      : user_memory(std::ranges::data(elements), shape<1>{std::ranges::size(elements)}) {}

  /// So many elements from an address on, row by row without gaps.
  user_memory(T* first, const shape<R>& extents)
      : user_memory(first, false, extents, index_list(extents.begin(), extents.end())) {}
  user_memory(const T* first, const shape<R>& extents)
      : user_memory(const_cast<T*>(first), true, extents,
                    index_list(extents.begin(), extents.end())) {}

  /// Memory with gaps: strides are the distances of neighbours along each dimension, in elements,
  /// slowest first. The last one is 1, and each is a multiple of the next one. Bytes in the gaps
  /// are not touched. Throws usage_error for other strides.
  user_memory(T* first, const shape<R>& extents, const shape<R>& strides)
      : user_memory(first, false, extents, with_gaps(extents, strides)) {}
  user_memory(const T* first, const shape<R>& extents, const shape<R>& strides)
      : user_memory(const_cast<T*>(first), true, extents, with_gaps(extents, strides)) {}

  /// Keeps an object, of any type that can be moved, until the memory is given back.
  template <class Owner>
  [[nodiscard]] user_memory kept_by(Owner owner) && {
    offer_.owner =
        std::make_unique<detail::kept_owner<Owner>>(std::move(owner), std::move(offer_.owner));
    return std::move(*this);
  }

  /// Calls the function when the memory is given back.
  template <std::invocable F>
  [[nodiscard]] user_memory given_back(F function) && {
    offer_.owner =
        std::make_unique<detail::called_owner<F>>(std::move(function), std::move(offer_.owner));
    return std::move(*this);
  }

  [[nodiscard]] detail::memory_offer& offer() noexcept { return offer_; }

 private:
  user_memory(T* first, bool is_constant, const shape<R>& extents, index_list array)
      : offer_{first,
               element_type_of<T>,
               index_list(extents.begin(), extents.end()),
               std::move(array),
               is_constant,
               nullptr} {}
  [[nodiscard]] static index_list with_gaps(const shape<R>& extents, const shape<R>& strides) {
    return detail::array_with(index_list(extents.begin(), extents.end()),
                              index_list(strides.begin(), strides.end()));
  }

  detail::memory_offer offer_;
};

template <class C>
user_memory(C&&) -> user_memory<std::ranges::range_value_t<C>, 1>;
template <class T, std::size_t R>
user_memory(T*, const std::size_t (&)[R]) -> user_memory<std::remove_const_t<T>, R>;
template <class T, std::size_t R>
user_memory(T*, const std::size_t (&)[R], const std::size_t (&)[R])
    -> user_memory<std::remove_const_t<T>, R>;
template <class T, std::size_t R>
user_memory(T*, const std::array<std::size_t, R>&) -> user_memory<std::remove_const_t<T>, R>;
template <class T, std::size_t R>
user_memory(T*, const std::array<std::size_t, R>&, const std::array<std::size_t, R>&)
    -> user_memory<std::remove_const_t<T>, R>;

}  // namespace hocket

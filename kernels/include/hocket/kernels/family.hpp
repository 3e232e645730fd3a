// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>

#include <hocket/kernels/kernel.hpp>

namespace hocket {

/// The base of a family of kernels. A family has the member
/// `template <class... Descriptors> const auto& resolve() const`, which returns the kernel for a
/// call with these arguments; the reference stays valid as long as the family.
struct family_base {};

template <class T>
concept kernel_family = std::derived_from<T, family_base>;

namespace detail {

template <class T>
inline constexpr bool is_kernel = false;
template <class... Sig>
inline constexpr bool is_kernel<kernel<Sig...>> = true;

}  // namespace detail

template <class T>
concept typed_kernel = detail::is_kernel<std::remove_cv_t<T>>;

/// The kernel for a call with arguments of these descriptors: itself, or the family's member.
template <class... Descriptors, class K>
requires(typed_kernel<K> || kernel_family<K>) [[nodiscard]] const auto& resolve(const K& of) {
  if constexpr (typed_kernel<K>) {
    return of;
  } else {
    return of.template resolve<Descriptors...>();
  }
}

namespace detail {

/// The kernels that one family has made so far, one of each type. Looking one up takes no lock.
class kernel_cache {
 public:
  kernel_cache() = default;
  kernel_cache(const kernel_cache&) = delete;
  kernel_cache& operator=(const kernel_cache&) = delete;
  ~kernel_cache() {
    for (const entry* next = first_.load(std::memory_order_relaxed); next != nullptr;) {
      const entry* gone = std::exchange(next, next->next);
      delete gone;
    }
  }

  /// make() returns the kernel where there is none yet.
  template <class Kernel, class Make>
  const Kernel& get(Make&& make) {
    if (const void* found = find(&key<Kernel>)) return *static_cast<const Kernel*>(found);
    const std::lock_guard adding(adding_);
    if (const void* found = find(&key<Kernel>)) return *static_cast<const Kernel*>(found);
    auto made = std::make_shared<const Kernel>(make());
    const Kernel& kept = *made;
    // Pairs with the acquire in find(): who sees the entry sees its content.
    first_.store(new entry{&key<Kernel>, std::move(made), first_.load(std::memory_order_relaxed)},
                 std::memory_order_release);
    return kept;
  }

 private:
  struct entry {
    const void* key;
    std::shared_ptr<const void> kernel;
    const entry* next;
  };

  template <class Kernel>
  static inline const char key = 0;

  [[nodiscard]] const void* find(const void* wanted) const noexcept {
    for (const entry* at = first_.load(std::memory_order_acquire); at != nullptr; at = at->next) {
      if (at->key == wanted) return at->kernel.get();
    }
    return nullptr;
  }

  std::atomic<const entry*> first_{nullptr};
  std::mutex adding_;
};

/// The element type of the first buffer among the descriptors; void if there is none.
template <class... D>
struct first_element {
  using type = void;
};
template <class First, class... Rest>
struct first_element<First, Rest...> : first_element<Rest...> {};
template <class First, class... Rest>
requires(parameter_traits<First>::is_buffer) struct first_element<First, Rest...> {
  using type = typename parameter_traits<First>::element;
};
template <class... D>
using first_element_t = typename first_element<D...>::type;

template <class D>
consteval bool holds_numbers() {
  if constexpr (parameter_traits<D>::is_buffer) {
    using element = typename parameter_traits<D>::element;
    return number_element<element> && !std::is_same_v<element, bool>;
  } else {
    return false;
  }
}

/// The element type of the first buffer of numbers that are no truths; None if there is none.
template <class None, class... D>
struct first_number {
  using type = None;
};
template <class None, class First, class... Rest>
struct first_number<None, First, Rest...> : first_number<None, Rest...> {};
template <class None, class First, class... Rest>
requires(holds_numbers<First>()) struct first_number<None, First, Rest...> {
  using type = typename parameter_traits<First>::element;
};

}  // namespace detail
}  // namespace hocket

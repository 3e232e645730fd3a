// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <hocket/core/dtype.hpp>
#include <hocket/core/shape.hpp>

namespace hocket::detail {

/// An owner that is destroyed when the runtime no longer uses the memory of a program.
class lent_owner {
 public:
  lent_owner(const lent_owner&) = delete;
  lent_owner& operator=(const lent_owner&) = delete;
  virtual ~lent_owner() = default;

 protected:
  lent_owner() = default;
};

/// Keeps what owns the memory.
template <class Owner>
class kept_owner final : public lent_owner {
 public:
  kept_owner(Owner&& owner, std::unique_ptr<lent_owner>&& before)
      : before_(std::move(before)), owner_(std::move(owner)) {}

 private:
  std::unique_ptr<lent_owner> before_;
  Owner owner_;
};

/// Calls a function when it goes. A function that throws ends the program.
template <class F>
class called_owner final : public lent_owner {
 public:
  called_owner(F&& function, std::unique_ptr<lent_owner>&& before)
      : before_(std::move(before)), function_(std::move(function)) {}
  ~called_owner() override { function_(); }

 private:
  std::unique_ptr<lent_owner> before_;
  F function_;
};

/// Memory of a program, as it is given to a buffer. The array that a buffer lies in has its rows
/// one behind the other, in memory that may have gaps between them: extents are those of the
/// content, array those with the gaps.
struct memory_offer {
  void* address = nullptr;
  element_type type = element_type::f32;
  index_list extents;
  index_list array;
  bool is_constant = false;
  std::unique_ptr<lent_owner> owner;
};

/// The memory that programs have lent to one runtime. Thread-safe.
class lent_ranges {
 public:
  /// Throws usage_error, naming both buffers, if a part of the memory is lent already.
  void add(std::uintptr_t first, std::uintptr_t end, const std::string& label);
  void remove(std::uintptr_t first) noexcept;
  [[nodiscard]] bool is_empty();

 private:
  struct range {
    std::uintptr_t end = 0;
    std::string label;
  };
  std::mutex guard_;  // for what follows
  std::map<std::uintptr_t, range> ranges_;
};

/// Memory of a program that is the host's replica of one buffer.
class lent_memory : public boost::intrusive_ref_counter<lent_memory> {
 public:
  /// Throws usage_error if there cannot be a buffer there. The label names it.
  lent_memory(std::shared_ptr<lent_ranges> home, memory_offer&& offer, const std::string& label);
  lent_memory(const lent_memory&) = delete;
  lent_memory& operator=(const lent_memory&) = delete;
  ~lent_memory() { give_back(); }

  [[nodiscard]] std::byte* address() const noexcept { return address_; }
  /// Up to the last element.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] bool is_constant() const noexcept { return is_constant_; }

  /// The runtime has ended all use of the memory. Only the first call does anything. It calls code
  /// of the program: not under a lock.
  void give_back() noexcept;

 private:
  std::shared_ptr<lent_ranges> home_;
  std::byte* address_;
  std::size_t bytes_ = 0;
  bool is_constant_;
  std::mutex guard_;  // for what follows
  std::unique_ptr<lent_owner> owner_;
  bool is_lent_ = false;
};
using lent_memory_ptr = boost::intrusive_ptr<lent_memory>;

/// The extents of an array whose rows have these strides, in elements, slowest first. Throws
/// usage_error if there is none.
[[nodiscard]] index_list array_with(const index_list& extents, const index_list& strides);

}  // namespace hocket::detail

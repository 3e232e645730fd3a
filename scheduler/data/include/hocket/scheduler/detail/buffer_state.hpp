// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/core/array_part.hpp>
#include <hocket/core/dtype.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/core/shape.hpp>
#include <hocket/scheduler/detail/lent_memory.hpp>

namespace hocket::detail {

class in_place_history;
class data_runtime;

/// A buffer without its C++ type. Counted: handles and pending tasks keep it alive, and when the
/// last of them is gone its memory comes back. May outlive its runtime, as an empty shell.
class buffer_state {
 public:
  buffer_state(const std::shared_ptr<data_runtime>& owner, element_type type,
               const index_list& extents, std::string label);
  /// Over memory of the program. Throws usage_error if there cannot be a buffer there.
  buffer_state(const std::shared_ptr<data_runtime>& owner, memory_offer&& offer, std::string label);
  ~buffer_state();
  buffer_state(const buffer_state&) = delete;
  buffer_state& operator=(const buffer_state&) = delete;

  [[nodiscard]] data_id id() const noexcept { return id_; }
  [[nodiscard]] element_type type() const noexcept { return all_->type(); }
  [[nodiscard]] const index_list& extents() const noexcept { return all_->extents(); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] const std::string& label() const noexcept { return label_; }
  [[nodiscard]] const box& whole() const noexcept { return all_->region(); }
  /// In elements, of a dense row-major array.
  [[nodiscard]] const index_list& strides() const noexcept { return all_->strides(); }
  /// All of it, as part of itself.
  [[nodiscard]] const array_part_ref& all() const noexcept { return all_; }
  [[nodiscard]] std::size_t elements() const noexcept { return elements_; }

  /// Null if the runtime has more memories than the host's.
  [[nodiscard]] in_place_history* order() const noexcept { return order_.get(); }

  /// How many have it; right only where no other thread has.
  [[nodiscard]] std::size_t references() const noexcept {
    return references_.load(std::memory_order_relaxed);
  }

  /// True if it lies over memory that is not to be written.
  [[nodiscard]] bool is_constant() const noexcept { return is_constant_; }

  /// Throws usage_error if the runtime is gone.
  [[nodiscard]] std::shared_ptr<data_runtime> owner() const;
  [[nodiscard]] bool belongs_to(const data_runtime& home) const noexcept {
    // Where that one is gone another may have taken its place.
    return home_ == &home && !owner_.expired();
  }

 private:
  struct parts {
    element_type type;
    const index_list& extents;
    memory_offer* offer;  ///< null: memory of the runtime
  };
  buffer_state(const std::shared_ptr<data_runtime>& owner, const parts& from, std::string label);

  friend void intrusive_ptr_add_ref(const buffer_state* s) noexcept {
    // A new reference comes from an old one, which keeps the object alive: nothing to order.
    s->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(const buffer_state* s) noexcept {
    // Release and acquire pair with one another: the deletion comes after all uses.
    if (s->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete s;
  }

  mutable std::atomic<std::uint32_t> references_{0};
  std::weak_ptr<data_runtime> owner_;
  const data_runtime* home_;
  const array_part_ref all_;
  std::unique_ptr<in_place_history> order_;  // refers to the box of it
  data_id id_;
  std::size_t elements_;
  std::uint64_t bytes_ = 0;
  std::string label_;
  bool is_constant_ = false;
};

using buffer_ref = boost::intrusive_ptr<const buffer_state>;

/// A region of a buffer.
class region_ref {
 public:
  /// All of it.
  explicit region_ref(buffer_ref all) noexcept : data(std::move(all)) {}
  /// The box lies within the buffer.
  region_ref(buffer_ref of, const box& where) : data(std::move(of)) {
    if (where != data->whole()) part_ = where;
  }
  // Mostly it is all of it, and that is copied without a call.
  region_ref(const region_ref& other) : data(other.data) {
    if (other.part_) [[unlikely]]
      copy_part(*other.part_);
  }
  region_ref(region_ref&&) noexcept = default;
  region_ref& operator=(const region_ref&) = default;
  region_ref& operator=(region_ref&&) noexcept = default;
  ~region_ref() = default;

  [[nodiscard]] const box& where() const noexcept { return part_ ? *part_ : data->whole(); }
  /// Null if it is all of the buffer.
  [[nodiscard]] const box* part() const noexcept { return part_ ? &*part_ : nullptr; }

  buffer_ref data;

 private:
  [[gnu::noinline]] void copy_part(const box& where) { part_ = where; }

  std::optional<box> part_;
};

/// Throws usage_error: the handle names no buffer.
[[noreturn]] void refuse_empty_buffer();
/// Throws usage_error: the buffer lies over memory that is not to be written.
[[noreturn]] void refuse_constant_buffer(const buffer_state& data);

/// Throws usage_error, naming the buffer, unless part lies within whole.
void check_region(const buffer_state& data, const box& whole, const box& part);

}  // namespace hocket::detail

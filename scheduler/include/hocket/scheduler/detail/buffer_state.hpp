// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <hocket/core/dtype.hpp>
#include <hocket/core/ids.hpp>
#include <hocket/core/shape.hpp>

namespace hocket::detail {

class data_order;
class runtime_core;

/// A buffer without its C++ type. Counted: handles and pending tasks keep it alive, and when the
/// last of them is gone its memory comes back. May outlive its runtime, as an empty shell.
class buffer_state {
 public:
  buffer_state(const std::shared_ptr<runtime_core>& owner, element_type type,
               const index_list& extents, std::string label);
  ~buffer_state();
  buffer_state(const buffer_state&) = delete;
  buffer_state& operator=(const buffer_state&) = delete;

  [[nodiscard]] data_id id() const noexcept { return id_; }
  [[nodiscard]] element_type type() const noexcept { return type_; }
  [[nodiscard]] const index_list& extents() const noexcept { return extents_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] const std::string& label() const noexcept { return label_; }
  [[nodiscard]] const box& whole() const noexcept { return whole_; }
  /// In elements, of a dense row-major array.
  [[nodiscard]] const index_list& strides() const noexcept { return strides_; }

  /// Null if the runtime has more memories than the host's.
  [[nodiscard]] data_order* order() const noexcept { return order_.get(); }

  /// Throws usage_error if the runtime is gone.
  [[nodiscard]] std::shared_ptr<runtime_core> owner() const;
  [[nodiscard]] bool belongs_to(const std::weak_ptr<runtime_core>& home) const noexcept {
    return !owner_.owner_before(home) && !home.owner_before(owner_);
  }

 private:
  std::weak_ptr<runtime_core> owner_;
  std::unique_ptr<data_order> order_;
  data_id id_;
  element_type type_;
  index_list extents_;
  box whole_;
  index_list strides_;
  std::uint64_t bytes_ = 0;
  std::string label_;
};

using buffer_ref = std::shared_ptr<const buffer_state>;

/// A region of a buffer.
struct region_ref {
  buffer_ref data;
  box where;
};

/// Throws usage_error, naming the buffer, unless part lies within whole.
void check_region(const buffer_state& data, const box& whole, const box& part);

}  // namespace hocket::detail

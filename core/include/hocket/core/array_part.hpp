// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <hocket/core/dtype.hpp>
#include <hocket/core/shape.hpp>

namespace hocket {

/// A region of a dense row-major array, and what follows from that. It does not change and is
/// counted: who passes a launch on copies a pointer. A region of nothing has no place in its array,
/// and begins at zero.
class array_part : public boost::intrusive_ref_counter<array_part> {
 public:
  /// Throws usage_error if there are more elements than a size_t can count.
  array_part(element_type type, const index_list& extents, const box& region)
      : type_(type),
        extents_(extents),
        strides_(dense_strides(extents)),
        sizes_(region.extents()),
        region_(region.empty() ? box::whole(sizes_) : region),
        elements_(volume(sizes_)) {
    for (std::size_t d = 0; d < strides_.size(); ++d) first_byte_ += region_.begin[d] * strides_[d];
    first_byte_ *= size_of(type_);
  }
  array_part(const array_part&) = delete;
  array_part& operator=(const array_part&) = delete;
  ~array_part() = default;

  [[nodiscard]] element_type type() const noexcept { return type_; }
  [[nodiscard]] const index_list& extents() const noexcept { return extents_; }  ///< of the array
  [[nodiscard]] const index_list& strides() const noexcept { return strides_; }  ///< in elements
  [[nodiscard]] const index_list& sizes() const noexcept { return sizes_; }      ///< of the region
  [[nodiscard]] const box& region() const noexcept { return region_; }
  [[nodiscard]] std::size_t elements() const noexcept { return elements_; }  ///< of the region
  /// How far behind the array's first element the region's is, in bytes.
  [[nodiscard]] std::size_t first_byte() const noexcept { return first_byte_; }
  /// How far behind the region's first byte its last one ends. Precondition: it has elements.
  [[nodiscard]] std::size_t spanned_bytes() const noexcept {
    std::size_t last = 0;
    for (std::size_t d = 0; d < strides_.size(); ++d) last += (sizes_[d] - 1) * strides_[d];
    return (last + 1) * size_of(type_);
  }

  /// Keeps another one for as long as this one lives: the same region of a larger array.
  void keep(boost::intrusive_ptr<const array_part> of_more) noexcept {
    of_more_ = std::move(of_more);
  }

  friend bool operator==(const array_part& a, const array_part& b) noexcept {
    return a.type_ == b.type_ && a.extents_ == b.extents_ && a.region_ == b.region_;
  }

 private:
  element_type type_;
  index_list extents_;
  index_list strides_;
  index_list sizes_;
  box region_;
  std::size_t elements_;
  std::size_t first_byte_ = 0;
  boost::intrusive_ptr<const array_part> of_more_;
};

using array_part_ref = boost::intrusive_ptr<const array_part>;

[[nodiscard]] inline array_part_ref part_of_array(element_type type, const index_list& extents,
                                                  const box& region) {
  return {new array_part(type, extents, region)};
}

}  // namespace hocket

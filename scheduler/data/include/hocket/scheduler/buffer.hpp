// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hocket/core/access.hpp>
#include <hocket/core/dtype.hpp>
#include <hocket/core/saturating.hpp>
#include <hocket/scheduler/detail/buffer_state.hpp>
#include <hocket/scheduler/host_view.hpp>

namespace hocket {

class runtime;
template <element T, std::size_t R>
class buffer;
template <element T, std::size_t R>
class user_memory;

/// Extents of R dimensions, slowest first.
template <std::size_t R>
using shape = std::array<std::size_t, R>;

/// A rectangular part of a buffer. A handle, cheap to copy; keeps the buffer alive.
template <element T, std::size_t R = 1>
class region {
 public:
  /// An empty handle; everything but valid() throws usage_error.
  region() noexcept : ref_(detail::buffer_ref()) {}
  region(detail::region_ref ref) : ref_(std::move(ref)) {}  // NOLINT(*-explicit-*)
  region(const region&) = default;
  region(region&&) noexcept = default;
  // Not for x.rows(0, 5) = y.rows(0, 5), which would copy no content.
  region& operator=(const region&) & = default;
  region& operator=(region&&) & noexcept = default;
  ~region() = default;

  [[nodiscard]] bool valid() const noexcept { return ref_.data != nullptr; }

  /// Rows first to last - 1 of this region, counted from its own beginning. Throws usage_error if
  /// there are not so many.
  [[nodiscard]] region rows(std::size_t first, std::size_t last) const {
    index_list begin(R, 0);
    index_list end = ref().where().extents();
    begin[0] = first;
    end[0] = last;
    return part(begin, end);
  }

  /// The box from first to last (exclusive) of this region, counted from its own beginning.
  [[nodiscard]] region tile(const shape<R>& first, const shape<R>& last) const {
    return part(index_list(first.begin(), first.end()), index_list(last.begin(), last.end()));
  }
  // Otherwise numbers that are left out would be zeros, and the tile empty.
  template <std::size_t First, std::size_t Last>
  requires(First != R || Last != R) [[nodiscard]] region
      tile(const std::size_t (&)[First], const std::size_t (&)[Last]) const {
    static_assert(First == R && Last == R,
                  "The first and the last place of a tile have one number for each dimension.");
    return {};
  }

  [[nodiscard]] shape<R> extents() const {
    shape<R> made{};
    const box& where = ref().where();
    for (std::size_t d = 0; d < R; ++d) made[d] = where.end[d] - where.begin[d];
    return made;
  }
  [[nodiscard]] std::size_t extent(std::size_t dimension) const { return extents()[dimension]; }
  [[nodiscard]] std::size_t size() const { return ref().where().elements(); }

  /// Looks at the content on the host. Blocks until every earlier task that writes it has ended and
  /// the content is in host memory; while the view lives, later tasks that write it wait. Throws
  /// what the writing task failed with. Not in a recording.
  [[nodiscard]] host_view<const T, R> read() const {
    return host_view<const T, R>(detail::open_view(ref(), access_mode::read));
  }
  /// Replaces the content; the old one is not brought to the host. Otherwise as read().
  [[nodiscard]] host_view<T, R> write() const {
    return host_view<T, R>(detail::open_view(writable_ref(), access_mode::write));
  }
  /// Reads and changes the content. Otherwise as read().
  [[nodiscard]] host_view<T, R> update() const {
    return host_view<T, R>(detail::open_view(writable_ref(), access_mode::update));
  }

  /// The content, row by row. Blocks as read() does.
  [[nodiscard]] std::vector<T> to_vector() const {
    const host_view<const T, R> v(
        detail::open_view(ref(), access_mode::read, detail::view_span::brief));
    if (v.contiguous()) return std::vector<T>(v.begin(), v.end());
    std::vector<T> all;
    all.reserve(v.size());
    v.for_each([&all](const T& element) { all.push_back(element); });
    return all;
  }

  /// Throws usage_error if this is empty.
  [[nodiscard]] const detail::region_ref& ref() const {
    if (ref_.data == nullptr) [[unlikely]]
      detail::refuse_empty_buffer();
    return ref_;
  }
  /// Throws usage_error if this is empty, or must not be written.
  [[nodiscard]] const detail::region_ref& writable_ref() const {
    if (ref().data->is_constant()) [[unlikely]]
      detail::refuse_constant_buffer(*ref_.data);
    return ref_;
  }

 private:
  [[nodiscard]] region part(const index_list& first, const index_list& last) const {
    box wanted = ref().where();
    for (std::size_t d = 0; d < R; ++d) {
      wanted.end[d] = saturating_add(wanted.begin[d], last[d]);
      wanted.begin[d] = saturating_add(wanted.begin[d], first[d]);
    }
    detail::check_region(*ref_.data, ref_.where(), wanted);
    return region(detail::region_ref(ref_.data, wanted));
  }

  detail::region_ref ref_;
};

/// Logical data of R dimensions. It has no address: the runtime keeps copies where they are needed.
/// A handle: copies name the same data, and tasks that were submitted keep it alive.
///
/// A new buffer has no content; a task that reads what no earlier task writes fails.
template <element T, std::size_t R = 1>
///
/// ```cpp
/// runtime rt;
/// const buffer<float, 2> image{rt, {64, 128}, 0.0f, "image"};
/// rt.submit(ops::fill, 1.0f, writes(image.rows(0, 8)));
/// rt.submit(ops::fill, 2.0f, writes(image.tile({8, 0}, {16, 16})));  // beside the other
/// std::printf("%g\n", image.read()(8, 0));
/// ```
class buffer : public region<T, R> {
 public:
  /// An empty handle, to which another one is assigned later; everything but valid() throws
  /// usage_error.
  buffer() = default;

  buffer(runtime& home, const shape<R>& extents, std::string label = {});

  /// Submits a task that fills the buffer with value.
  buffer(runtime& home, const shape<R>& extents, T value, std::string label = {});

  buffer(runtime& home, std::size_t extent, std::string label = {}) requires(R == 1)
      : buffer(home, shape<1>{extent}, std::move(label)) {}
  buffer(runtime& home, std::size_t extent, T value, std::string label = {}) requires(R == 1)
      : buffer(home, shape<1>{extent}, value, std::move(label)) {}

  // A number is a value, also where it has to be converted to a class, and a text is a label,
  // though it converts to bool.
  template <class Number>
  requires(std::is_arithmetic_v<Number>&& std::convertible_to<Number, T> &&
           (!std::is_arithmetic_v<T> || std::same_as<T, bool>))
      buffer(runtime& home, const shape<R>& extents, Number value, std::string label = {})
      : buffer(home, extents, static_cast<T>(value), std::move(label)) {}
  template <class Number>
  requires(R == 1 && std::is_arithmetic_v<Number> && std::convertible_to<Number, T> &&
           (!std::is_arithmetic_v<T> || std::same_as<T, bool>))
      buffer(runtime& home, std::size_t extent, Number value, std::string label = {})
      : buffer(home, shape<1>{extent}, static_cast<T>(value), std::move(label)) {}
  buffer(runtime& home, const shape<R>& extents, const char* label) requires(std::same_as<T, bool>)
      : buffer(home, extents, std::string(label)) {}
  buffer(runtime& home, std::size_t extent,
         const char* label) requires(R == 1 && std::same_as<T, bool>)
      : buffer(home, shape<1>{extent}, std::string(label)) {}

  // Otherwise extents that are left out would be zero.
  template <std::size_t N, class... Rest>
  requires(N != R) buffer(runtime& /*home*/, const std::size_t (&)[N], const Rest&...) {
    static_assert(N == R, "A buffer has one extent for each dimension.");
  }

  /// A buffer with a copy of values, row by row. Throws usage_error unless there are as many as
  /// extents say.
  buffer(runtime& home, const shape<R>& extents, std::span<const T> values, std::string label = {});
  /// A buffer of one dimension with a copy of values, those of a vector for example, and as many
  /// elements.
  buffer(runtime& home, std::span<const T> values, std::string label = {}) requires(R == 1)
      : buffer(home, shape<1>{values.size()}, values, std::move(label)) {}

  /// A buffer over memory of the program, which it has for its content and which is not copied: see
  /// user_memory. Throws usage_error if the address is null, or no multiple of
  /// alignment_of() the elements, if there are no elements, and if a part of the memory is lent
  /// already.
  buffer(runtime& home, user_memory<T, R> over, std::string label = {});

  [[nodiscard]] const std::string& label() const { return this->ref().data->label(); }
};

}  // namespace hocket

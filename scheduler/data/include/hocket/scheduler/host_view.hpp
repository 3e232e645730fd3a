// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include <hocket/core/access.hpp>
#include <hocket/kernels/view.hpp>
#include <hocket/scheduler/detail/buffer_state.hpp>

namespace hocket {

namespace detail {

/// A view that is open: ends when it is destroyed.
class open_host_view {
 public:
  virtual ~open_host_view() = default;
  [[nodiscard]] virtual const buffer_argument& content() const noexcept = 0;
  /// See host_view::detach.
  virtual void detach() = 0;
};

/// How long a view stays open.
enum class view_span : std::uint8_t {
  open,  ///< as long as the program likes
  brief  ///< the thread that opens it closes it, and waits for nothing in between
};

/// Submits the view and waits until its content is there.
[[nodiscard]] std::unique_ptr<open_host_view> open_view(const region_ref& what, access_mode mode,
                                                        view_span span = view_span::open);

}  // namespace detail

/// A region of a buffer in host memory, for as long as this object lives. It stands in the order of
/// tasks where it was opened. To be used by one thread at a time; may be moved, which leaves an
/// empty view, and ends on any thread. Waiting for a task that this view holds up throws
/// usage_error.
///
/// ```cpp
/// runtime rt;
/// const buffer<int> x{rt, 4, 0, "x"};
/// {
///   const host_view<int> v = x.update();  // waits for the tasks before it; those after it wait
///   v(2) = 5;
/// }
/// std::printf("%d\n", x.read()(2));
/// ```
template <class T, std::size_t R = 1>
class [[nodiscard]] host_view : public buffer_view<T, R> {
 public:
  explicit host_view(std::unique_ptr<detail::open_host_view> open)
      : buffer_view<T, R>(open->content()), open_(std::move(open)) {}
  host_view(host_view&& from) noexcept
      : buffer_view<T, R>(std::exchange(static_cast<buffer_view<T, R>&>(from), nothing())),
        open_(std::move(from.open_)) {}
  host_view& operator=(host_view&& from) noexcept {
    static_cast<buffer_view<T, R>&>(*this) =
        std::exchange(static_cast<buffer_view<T, R>&>(from), nothing());
    open_ = std::move(from.open_);
    return *this;
  }
  ~host_view() = default;

  /// From here on the view belongs to no thread, so that another one may end it, at a time that
  /// this one need not know: waits for what the view holds up are not refused, they wait, but for
  /// those on the virtual clock, which nothing else could end. The memory outlives the runtime: if
  /// that ends first, it waits for its tasks, and the rest of it ends with the last detached view:
  /// its memory goes, the memory of the program that its buffers lie over is given back, traces and
  /// costs are written. Tasks that such a view holds up are tasks
  /// that the end of the runtime waits for. Does nothing to an empty view.
  void detach() {
    if (open_ != nullptr) open_->detach();
  }

 private:
  [[nodiscard]] static buffer_view<T, R> nothing() noexcept { return {nullptr, {}, {}}; }

  std::unique_ptr<detail::open_host_view> open_;
};

}  // namespace hocket

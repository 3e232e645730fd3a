// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <nanobind/nanobind.h>

#include <hocket/kernels/argument.hpp>
#include <hocket/scheduler/host_view.hpp>
#include <memory>
#include <vector>

#include "runtimes.hpp"

namespace hocket::python {

/// Memory that numpy lays an array over, by __array_interface__: the array keeps this object. It is
/// a view of a buffer, which this keeps open, or an argument of a function, which the task keeps.
class array_view {
 public:
  /// An open view. Keeps the runtime, whose end would take the memory away.
  array_view(runtime_ref home, std::shared_ptr<const void> counted,
             std::unique_ptr<detail::open_host_view> open, bool read_only)
      : home_(std::move(home)),
        counted_(std::move(counted)),
        open_(std::move(open)),
        content_(open_->content()),
        read_only_(read_only) {}
  /// An argument of a function, for as long as that runs.
  array_view(const buffer_argument& content, bool read_only)
      : content_(content), read_only_(read_only) {}
  array_view(const array_view&) = delete;
  array_view& operator=(const array_view&) = delete;
  ~array_view() { close(); }

  /// The dictionary that numpy asks for.
  [[nodiscard]] nb::dict array_interface() const;

  /// An object for consumers of DLPack: it has __dlpack__ and keeps `self`.
  [[nodiscard]] static nb::object tensor(const nb::object& self);

  [[nodiscard]] const buffer_argument& content() const noexcept { return content_; }

  /// See host_view::detach.
  void detach() {
    if (open_ != nullptr) open_->detach();
    home_.reset();
  }

  /// Ends the view; what lies over it must not be used any more. With the GIL.
  void close();
  [[nodiscard]] bool is_closed() const noexcept { return closed_; }

 private:
  runtime_ref home_;  // outlives the view, unless that is detached
  std::shared_ptr<const void> counted_;
  std::unique_ptr<detail::open_host_view> open_;
  buffer_argument content_;
  bool read_only_;
  bool closed_ = false;
};

}  // namespace hocket::python

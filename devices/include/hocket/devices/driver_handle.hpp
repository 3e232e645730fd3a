// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <utility>

namespace hocket {

/// Owns an object of a driver, or one reference to it. Api is the table of the driver's functions,
/// which outlives it; where its member `gone` is true the driver has ended, and nothing is given
/// back any more.
template <class Api, class Object, void (*Release)(const Api&, Object)>
class driver_handle {
 public:
  using object_type = Object;

  driver_handle() = default;
  driver_handle(const Api& api, Object object) noexcept : api_(&api), object_(object) {}
  driver_handle(driver_handle&& other) noexcept
      : api_(other.api_), object_(std::exchange(other.object_, Object{})) {}
  driver_handle& operator=(driver_handle&& other) noexcept {
    std::swap(api_, other.api_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~driver_handle() {
    if (object_ != Object{} && !api_->gone) Release(*api_, object_);
  }

  [[nodiscard]] Object get() const noexcept { return object_; }
  [[nodiscard]] explicit operator bool() const noexcept { return object_ != Object{}; }

 private:
  const Api* api_ = nullptr;
  Object object_{};
};

}  // namespace hocket

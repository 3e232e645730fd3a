// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <utility>

namespace hocket {

/// A static object that outlives all others: tasks of a static runtime use it while the objects of
/// the process are destroyed.
template <class T>
class never_destroyed {
 public:
  never_destroyed(T made) : object_(new T(std::move(made))) {}  // NOLINT(*-explicit-*)

  [[nodiscard]] const T& get() const noexcept { return *object_; }
  operator const T&() const noexcept { return *object_; }  // NOLINT(*-explicit-*)

 private:
  const T* object_;
};

}  // namespace hocket

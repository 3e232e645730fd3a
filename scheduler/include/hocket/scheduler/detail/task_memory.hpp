// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/scheduler/detail/completion.hpp>

namespace hocket::detail {

/// Where tasks lie that are made and destroyed all the time, mostly in another thread than they
/// were made in. Each thread keeps some blocks of each size, and threads exchange them by the
/// magazine; what nobody needs goes back to the system.
class task_memory {
 public:
  struct block {
    void* place;
    std::uint8_t kind;
  };

  /// Throws std::bad_alloc.
  [[nodiscard]] static block take(std::size_t bytes, std::size_t alignment);
  static void give_back(void* place, std::uint8_t kind) noexcept;

  /// Makes a task with so many bytes behind it.
  template <class Task, class... Args>
  [[nodiscard]] static boost::intrusive_ptr<Task> make(std::size_t more, Args&&... args) {
    const block own = take(sizeof(Task) + more, alignof(Task));
    try {
      auto* const made = ::new (own.place) Task(std::forward<Args>(args)...);
      static_cast<completion*>(made)->block_ = own.kind;
      return boost::intrusive_ptr<Task>(made);
    } catch (...) {
      give_back(own.place, own.kind);
      throw;
    }
  }
};

template <class Task, class... Args>
[[nodiscard]] boost::intrusive_ptr<Task> make_task(std::size_t more, Args&&... args) {
  return task_memory::make<Task>(more, std::forward<Args>(args)...);
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <boost/container/vector.hpp>

#include <hocket/scheduler/detail/task_handle.hpp>

namespace hocket::detail {

class plan_function;

/// The functions of one recording and what each comes after, as they come: what a plan is made of.
class recorded_order {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  recorded_order() = default;
  recorded_order(const recorded_order&) = delete;
  recorded_order& operator=(const recorded_order&) = delete;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Adds a function that comes after some of those that were added before. Returns its number.
  std::uint32_t add(plan_function& function, std::span<const std::uint32_t> before);

  /// The same for futures of the recording of that number. Does nothing and returns `none` if there
  /// is no room, or the place of one is not to be seen from its handle. It calls nothing.
  template <class Futures>
  [[nodiscard]] std::uint32_t try_add(plan_function& function, const Futures& before,
                                      std::uint32_t number) {
    if (size_ + 1 == places_.size()) return none;
    std::uint32_t* const first = after_.data() + edges_;
    std::uint32_t* const end = after_.data() + after_.size();
    std::uint32_t* to = first;
    for (const auto& each : before) {
      const std::uint64_t index = each.handle().index_in(number);
      if (index >= size_ || to == end) return none;
      *to++ = static_cast<std::uint32_t>(index);
    }
    const auto edges = static_cast<std::uint32_t>(to - first);
    places_[size_ + 1] = {&function, edges, 0};
    edges_ += edges;
    return size_++;
  }

  /// Makes room for so many more functions, with so many edges.
  void make_room(std::size_t functions, std::size_t edges);

 protected:
  struct place {
    plan_function* function;
    std::uint32_t before;    ///< how many others the function comes after
    std::uint32_t next_end;  ///< of a plan: where the list ends of those that come after it
  };

  ~recorded_order() = default;

  std::uint32_t size_ = 0;
  std::size_t edges_ = 0;
  /// One that stands before the first, those of all functions, and room for more.
  boost::container::vector<place> places_{1, place{}};
  /// What the functions come after, the lists one after the other, and room for more.
  boost::container::vector<std::uint32_t> after_;
};

}  // namespace hocket::detail

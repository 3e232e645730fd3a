// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include "data/argument_tail.hpp"
#include "data/in_place_control.hpp"

namespace hocket::detail {

class in_place_runtime;

/// Makes tasks in place and gives them their places in the order of their buffers.
class in_place_starter {
 public:
  /// Starts a task without anything else, numbers of futures and rare arguments, in a context that
  /// only counts. The caller has to care for one reference.
  [[nodiscard]] static task_state* start_new(in_place_runtime& home, const borrowed_launch& what);
  /// The same without these conditions but the first two.
  [[nodiscard]] static task_state* start_with_more(in_place_runtime& home,
                                                   const borrowed_launch& what);
  /// Starts any task, and its time.
  [[nodiscard]] static task_state_ptr start(in_place_runtime& home, const borrowed_launch& what,
                                            in_place_content&& from);

 private:
  template <class... Node>
  [[nodiscard]] static task_state* make_and_start(const tail_layout& behind, in_place_runtime& home,
                                                  const borrowed_launch& what, Node&&... node);
  [[nodiscard]] static boost::intrusive_ptr<in_place_task> make(in_place_runtime& home,
                                                                const borrowed_launch& what,
                                                                in_place_content& from);
  static void take_place(in_place_task& task, const in_place_content& from,
                         const tail_layout& behind);
  static void begin(in_place_runtime& home, in_place_task& task, nanoseconds timeout);
};

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <oneapi/tbb/spin_mutex.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <boost/container/static_vector.hpp>

#include <hocket/scheduler/detail/graph_use.hpp>
#include <hocket/scheduler/detail/recorded_function.hpp>
#include <hocket/scheduler/detail/recorded_order.hpp>

namespace hocket::detail {

struct run_state;

/// A part of a plan that runs only if a choice says so, and as often: the functions that follow the
/// one that makes the choice, in arrays of their own order. The last of them lead back to it.
struct plan_body {
  std::uint32_t tasks = 0;   ///< functions in it, those of bodies within it too
  std::uint32_t starts = 0;  ///< of those, the ones that follow nothing but the choice
  std::uint32_t ends = 0;    ///< of those, the ones that only the choice follows
};

/// A function of a plan whose result counts.
struct plan_choice {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  choice_rule rule = choice_rule::always;  ///< always: its result is only kept
  std::uint64_t at_most = 1;
  bool asks_first = true;
  bool is_unsigned = false;     ///< how an answer is printed that chooses no graph
  std::uint32_t known = none;   ///< the place of the number that answers; none: the function does
  std::uint32_t kept = none;    ///< the place of the number where the result goes
  std::uint32_t rounds = none;  ///< the place of the number of rounds
  std::vector<plan_body> bodies = {};
  std::uint32_t tasks = 0;  ///< of all bodies
};

/// Recorded host functions and the order between them, in arrays; and what runs of it leave for the
/// next ones, so that those need not allocate for each task.
class host_plan : public recorded_order {
 public:
  /// One that comes after a function; it may have come after others too.
  class successor {
   public:
    successor() = default;  // without a value
    successor(std::uint32_t node, bool waits_for_others)
        : word_(node | (waits_for_others ? shared_bit : 0)) {}
    [[nodiscard]] std::uint32_t node() const noexcept { return word_ & ~shared_bit; }
    [[nodiscard]] bool waits_for_others() const noexcept { return (word_ & shared_bit) != 0; }

   private:
    static constexpr std::uint32_t shared_bit = std::uint32_t{1} << 31U;
    std::uint32_t word_;
  };

  /// Keeps the functions, which are those of the recording and of graphs within it.
  explicit host_plan(recorded_functions_ptr owner);
  virtual ~host_plan();

  using recorded_order::add;
  std::uint32_t add(plan_function& function, std::span<const std::uint32_t> before,
                    const task_label& label);

  /// The function that was added last makes a choice.
  void choose(plan_choice made);
  /// What is added from here on, until close_body(), is the next body of the choice that node
  /// makes. It begins with what comes after node, and leads back to node from these ends.
  struct body_mark {
    std::uint32_t tasks;
    std::size_t edges;
  };
  [[nodiscard]] body_mark open_body() const noexcept { return {size_, edges_}; }
  void close_body(std::uint32_t node, body_mark begin, std::span<const std::uint32_t> ends);

  /// What all functions were added after, the lists one after the other. Before seal(); after it,
  /// of a plan without choices.
  [[nodiscard]] std::vector<std::uint32_t> after() const;

  /// Everything was added.
  void seal();

  /// The function comes after something outside of the plan too, of which each run is told. Before
  /// seal().
  void wait_outside(std::uint32_t node);

  [[nodiscard]] plan_function& function(std::uint32_t node) const noexcept {
    return *places_[node + 1].function;
  }
  [[nodiscard]] task_label label(std::uint32_t node) const noexcept {
    return node < labels_.size() ? labels_[node] : task_label();
  }
  /// How many functions a function comes after; from seal() on, with what is outside of the plan.
  [[nodiscard]] std::uint32_t before(std::uint32_t node) const noexcept {
    return places_[node + 1].before;
  }
  [[nodiscard]] std::span<const successor> next(std::uint32_t node) const noexcept {
    const std::uint32_t first = places_[node].next_end;
    return {&next_[first], places_[node + 1].next_end - first};
  }
  /// True if the results of some functions count.
  [[nodiscard]] bool has_choices() const noexcept { return !choices_.empty(); }
  /// Null for a function whose result does not count.
  [[nodiscard]] const plan_choice* choice(std::uint32_t node) const noexcept {
    const std::uint32_t index = choice_of_[node];
    return index == plan_choice::none ? nullptr : &choices_[index];
  }
  /// Of a choice: what begins one of its bodies, and what comes after it.
  [[nodiscard]] std::span<const successor> next(std::uint32_t node, const plan_choice& choice,
                                                std::size_t body) const noexcept;
  [[nodiscard]] std::span<const successor> next_after(std::uint32_t node,
                                                      const plan_choice& choice) const noexcept;
  /// How many numbers a run keeps for choices.
  [[nodiscard]] std::uint32_t numbers() const noexcept { return numbers_; }
  [[nodiscard]] std::uint32_t new_number() noexcept { return numbers_++; }

  /// Those that come after no other.
  [[nodiscard]] std::span<const std::uint32_t> starts() const noexcept { return starts_; }
  /// True if some function comes after something outside of the plan.
  [[nodiscard]] bool waits_outside() const noexcept { return !waits_outside_.empty(); }
  /// True if some function looks at its stop token.
  [[nodiscard]] bool listens() const noexcept { return owner_->listens(); }

  /// What one run needs, ready to be used.
  [[nodiscard]] std::unique_ptr<run_state> state_for_run();
  void give_back(std::unique_ptr<run_state> state) noexcept;

 private:
  struct way_back {
    std::uint32_t from;
    std::uint32_t to;
    bool alone;  // no other one leads there
  };

  recorded_functions_ptr owner_;
  std::vector<task_label> labels_;     // as far as the last function with one
  std::unique_ptr<successor[]> next_;  // of all functions, one after the other
  std::vector<std::uint32_t> starts_;

  std::vector<plan_choice> choices_;
  std::vector<std::uint32_t> choice_of_;  // of each function, if there are choices
  std::vector<way_back> back_;            // until seal()
  std::vector<bool> waits_outside_;       // of each function, if some do
  std::uint32_t numbers_ = 0;

  static constexpr std::size_t max_spare_states = 8;
  tbb::spin_mutex guard_;  // for what follows
  boost::container::static_vector<std::unique_ptr<run_state>, max_spare_states> spare_;
};

}  // namespace hocket::detail

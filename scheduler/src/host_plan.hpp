// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <hocket/scheduler/detail/recorded_function.hpp>

namespace hocket::detail {

struct run_state;

/// Recorded host functions and the order between them, in arrays; and what runs of it leave for the
/// next ones, so that those need not allocate for each task.
class host_plan {
 public:
  /// One that comes after a function; it may have come after others too.
  class successor {
   public:
    successor() = default;
    successor(std::uint32_t node, bool waits_for_others)
        : word_(node | (waits_for_others ? shared_bit : 0)) {}
    [[nodiscard]] std::uint32_t node() const noexcept { return word_ & ~shared_bit; }
    [[nodiscard]] bool waits_for_others() const noexcept { return (word_ & shared_bit) != 0; }

   private:
    static constexpr std::uint32_t shared_bit = std::uint32_t{1} << 31U;
    std::uint32_t word_ = 0;
  };

  explicit host_plan(recorded_functions_ptr functions);
  host_plan(const host_plan&) = delete;
  host_plan& operator=(const host_plan&) = delete;
  ~host_plan();

  /// The next function comes after one of those that were added before.
  void comes_after(std::uint32_t node) { after_.push_back(node); }
  /// The next function comes after none.
  void forget_next() noexcept { after_.resize(edges_); }
  /// Adds the next one of the functions.
  void add(const task_label& label) {
    const std::size_t edges = after_.size();
    if (size_ >= most - 1 || edges >= most) refuse_more();
    if (!label.empty()) keep_label(label);
    order_.push_back({static_cast<std::uint32_t>(edges - edges_), 0});
    if (edges == edges_) ++without_edges_;
    edges_ = edges;
    ++size_;
  }

  /// What all functions were added after, the lists one after the other. Before seal().
  [[nodiscard]] std::span<const std::uint32_t> after() const noexcept { return after_; }

  /// Everything was added.
  void seal();

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// After seal().
  [[nodiscard]] recorded_function& function(std::uint32_t node) const noexcept {
    return *functions_[node];
  }
  [[nodiscard]] task_label label(std::uint32_t node) const noexcept {
    return node < labels_.size() ? labels_[node] : task_label();
  }
  /// How many functions a function comes after.
  [[nodiscard]] std::uint32_t before(std::uint32_t node) const noexcept {
    return order_[node].before;
  }
  [[nodiscard]] std::span<const successor> next(std::uint32_t node) const noexcept {
    const std::uint32_t first = order_[node].first_next;
    return {next_.data() + first, order_[node + 1].first_next - first};
  }
  /// Those that come after no other.
  [[nodiscard]] std::span<const std::uint32_t> starts() const noexcept { return starts_; }
  /// True if some function looks at its stop token.
  [[nodiscard]] bool listens() const noexcept { return owner_->listens(); }

  /// What one run needs, ready to be used.
  [[nodiscard]] std::unique_ptr<run_state> state_for_run();
  void give_back(std::unique_ptr<run_state> state) noexcept;

 private:
  static constexpr std::size_t most = std::size_t{1} << 31U;

  struct place {
    std::uint32_t before = 0;
    std::uint32_t first_next = 0;
  };

  [[noreturn]] static void refuse_more();
  void keep_label(const task_label& label);

  recorded_functions_ptr owner_;
  recorded_function* const* functions_ = nullptr;  // of the owner
  std::size_t size_ = 0;
  std::size_t edges_ = 0;  // of those that were added
  std::size_t without_edges_ = 0;
  std::vector<task_label> labels_;  // as far as the last function with one
  std::vector<place> order_;        // and one more, for its first_next
  std::vector<successor> next_;     // of all functions, one after the other
  std::vector<std::uint32_t> starts_;
  std::vector<std::uint32_t> after_;  // until seal(): the lists, one after the other

  std::mutex guard_;
  std::vector<std::unique_ptr<run_state>> spare_;
};

}  // namespace hocket::detail

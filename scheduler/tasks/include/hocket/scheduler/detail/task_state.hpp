// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <hocket/core/duration.hpp>
#include <hocket/core/error.hpp>
#include <hocket/scheduler/detail/continuation_list.hpp>
#include <hocket/scheduler/detail/host_context.hpp>
#include <hocket/scheduler/task_label.hpp>

namespace hocket::detail {

class task_state;
class ready_list;
class parked_wait;
class wait_visitor;
class waiting_room;
struct helping;

using task_state_ptr = boost::intrusive_ptr<task_state>;

/// Where a task is that runs only when its graph does.
struct place_in_recording {
  std::uint32_t number = 0;  ///< of the recording, among all of the process; 0 for a task that runs
  std::uint32_t index = 0;   ///< of the task in it, less than 2^31
};

enum class task_status : std::uint8_t { pending, ready, running, done };

/// What is to be done when a task has ended. It is no owner of anything: a node lives until it is
/// run, and may then delete itself.
class continuation {
 public:
  /// Runs in the thread that ended the source; short, and does not throw. Tasks that become ready
  /// by it go to next.
  virtual void run(task_state& source, ready_list& next) noexcept = 0;

  /// The task that waits, by this, for the end of the one it is attached to. Null if it is no task
  /// that does.
  [[nodiscard]] virtual task_state* follower() const noexcept { return nullptr; }

  continuation* link = nullptr;

 protected:
  continuation() = default;
  continuation(const continuation&) = default;
  continuation& operator=(const continuation&) = default;
  ~continuation() = default;
};

/// The shared, counted state of one task, host or device: how it ends, and what is attached to its
/// end. A thread claims the task (once; how is the business of the kind of task), runs it, writes
/// the result and calls finish().
class task_state {
 public:
  /// Without a context nothing is counted anywhere, and what follows runs where this one ends.
  explicit task_state(host_context* context, task_label label = {})
      : keeps_context_(context != nullptr && context->is_scope()),
        context_(context),
        label_(std::move(label)) {
    if (keeps_context_) context_->kept();
  }
  /// The same in a runtime.
  task_state(in_runtime /*mark*/, host_context& context) noexcept
      : keeps_context_(false), context_(&context) {}
  task_state(const task_state&) = delete;
  task_state& operator=(const task_state&) = delete;
  virtual ~task_state() {
    // No other thread has this any more: relaxed.
    if (room_.load(std::memory_order_relaxed) != nullptr) drop_room();
    if (keeps_context_) context_->dropped();
  }

  [[nodiscard]] const task_label& label() const noexcept { return label_; }

  /// What the label says, or what stands for one.
  [[nodiscard]] virtual std::string_view label_text() const noexcept { return label_.text(); }

  /// `Task "label"`, the way sentences begin with it.
  [[nodiscard]] std::string name() const;

  /// Only for a task that has not ended.
  [[nodiscard]] host_context* context() const noexcept { return context_; }

  /// The runtime, only to be compared: that of a task that has ended may be gone.
  [[nodiscard]] const host_context* home() const noexcept {
    return keeps_context_ ? &context_->home() : context_;
  }

  /// Where its data may be, if it has run, for tasks that follow it in the same runtime.
  [[nodiscard]] virtual std::uint32_t arena() const noexcept { return no_arena; }

  [[nodiscard]] bool done() const noexcept { return continuations_.closed(); }
  [[nodiscard]] virtual task_status status() const noexcept {
    return done() ? task_status::done : task_status::pending;
  }

  /// Empty if all went well. Only for a task that has ended.
  [[nodiscard]] const failure& error() const noexcept { return why_; }

  /// The result, of the type that its future has; null for void. Only for a task that has ended
  /// well.
  [[nodiscard]] const void* value() const noexcept { return value_; }

  /// Returns false, and does not keep the node, if the task has ended.
  [[nodiscard]] bool attach(continuation& node) noexcept { return continuations_.push(node); }

  /// The same for the place of the task in the order of its buffers, which it may leave later than
  /// it ends.
  [[nodiscard]] virtual bool attach_to_place(continuation& node) noexcept { return attach(node); }

  /// The task has ended; to be called once, by the thread that claimed it. The context, if there is
  /// one, must have been told that the task started. The caller holds a reference.
  void finish(failure why = {}) noexcept;

  /// The same; the tasks that became ready are left to the caller.
  void finish(failure why, ready_list& next) noexcept {
    settle(std::move(why));
    announce(next);
  }

  /// Asks for the task not to run, or to end early. It ends in its own time.
  virtual void request_cancel() noexcept {}

  /// Runs the task here if it is ready and no thread has claimed it, else such a task among its
  /// predecessors. Returns whether it ran one.
  virtual bool help(helping& by) noexcept;

  /// If not empty, how the sentence about this task goes on that somebody is told who wants to wait
  /// for it or to continue from it.
  [[nodiscard]] virtual std::string_view not_waitable() const noexcept { return {}; }

  [[nodiscard]] virtual place_in_recording recorded() const noexcept { return {}; }

  /// Tells the search which tasks this one waits for. Any thread, at any time.
  virtual void tell_awaited(wait_visitor& /*to*/) {}
  /// False for a task that runs, or is about to end for another reason than the ends of others.
  [[nodiscard]] virtual bool is_waiting() const noexcept { return !done(); }
  /// Calls visit for each task that waits for this one. Only while this one is sure not to end.
  virtual void each_follower(const std::function<void(task_state&)>& visit) const {
    each_follower(continuations_, visit);
  }
  /// Of the end of a scope, the scope: this ends with all tasks of that.
  [[nodiscard]] virtual const host_context* ends_with() const noexcept { return nullptr; }

  /// Waits until the task has ended, helping where that is possible. Throws usage_error if waiting
  /// makes no sense.
  void wait();

  /// The same where the executor cannot wait: the thread stands still, worker or not.
  void wait_without_executor() noexcept;

  /// Waits, without helping; returns false if the time came first.
  [[nodiscard]] bool wait_for(nanoseconds duration);

  /// Throws usage_error if not_waitable().
  void check_waitable() const;
  /// Throws usage_error if not_waitable(), or if the task has ended and its runtime has gone.
  void check_continuable() const;

  /// Makes known that a thread has looked at how the task ended, so that its failure, and the one
  /// that it comes from, need not be reported. Only for a task that has ended.
  void look() noexcept;
  [[nodiscard]] bool looked() const noexcept { return looked_; }

  /// True if the task failed, and neither because of another nor because it was cancelled: then
  /// the failure is to be reported, unless looked(). Only for a task that has ended.
  [[nodiscard]] bool failed_itself() const noexcept {
    return why_ && root_ == nullptr && why_.code() != failure_code::cancelled;
  }

  /// The same, for a thread that waits for more than this task. Only for a task that has ended.
  [[nodiscard]] bool is_first_to_fail() const noexcept {
    return failed_itself() && why_.code() != failure_code::dependency_failed;
  }
  [[nodiscard]] bool is_seen() const noexcept { return looked_ || why_.seen(); }

  /// The failure of this task because of that of a predecessor: names both, and the way between.
  /// Only for the thread that claimed the task; the halves are for threads that cannot know whether
  /// one has.
  [[nodiscard]] failure downfall(task_state& predecessor);
  /// What the failure says. Any thread, whether or not the task has ended.
  [[nodiscard]] failure told_downfall(task_state& predecessor) const;
  /// That it comes from the predecessor. Only for the thread that claimed the task.
  void comes_after(task_state& predecessor) noexcept;

  /// The failure of this task is that of the other, unchanged.
  [[nodiscard]] failure same_failure(task_state& other);

  /// How much memory the runtime keeps for the task until it has ended: the task itself, its
  /// function with what that holds by value, and lists of what it follows and accesses. Roughly,
  /// but always the same.
  [[nodiscard]] virtual std::size_t held_bytes() const noexcept;

 protected:
  /// The two halves of finish(): how the task ended, and that it has.
  void settle(failure&& why) noexcept { why_ = std::move(why); }
  void announce(ready_list& next) noexcept;

  /// True if the caller's reference is the only one: then no other thread learns what becomes of
  /// this.
  [[nodiscard]] bool is_unshared() const noexcept {
    // Acquire: pairs with the releases of the references that are gone.
    return references_.load(std::memory_order_acquire) == 1;
  }
  /// The caller's reference is the only one, and there are to be so many, which it has to care for.
  void set_references(std::uint32_t count) noexcept {
    // What makes this known to others publishes it: relaxed.
    references_.store(count, std::memory_order_relaxed);
  }
  /// Whether it is so, and nothing is attached.
  [[nodiscard]] bool has_no_followers() const noexcept { return continuations_.untouched(); }

  /// The parts of announce(), for a task that ended well and has a context. The first returns what
  /// was attached, in the order that tell() wants.
  [[nodiscard]] continuation* close() noexcept { return continuations_.close_as_pushed(); }
  void tell(continuation* newest, ready_list& next) noexcept;
  /// It has not ended any more. Only while no other thread knows it.
  void reopen() noexcept { continuations_.reopen(); }
  void count_end(host_context& context, after_end next) noexcept {
    if (!context.only_counted_end(next)) context.ended(*this);
  }

  /// Nothing is left in this that has to be destroyed, but what others may have made since.
  void leave_nothing() noexcept { leaves_nothing_ = true; }
  [[nodiscard]] bool leaves_nothing() const noexcept { return leaves_nothing_; }
  /// Instead of giving back the only reference.
  void destroy() noexcept;
  /// What it does where something is left: with the destructor.
  virtual void destroy_all() noexcept;

  static void each_follower(const continuation_list<continuation>& list,
                            const std::function<void(task_state&)>& visit) {
    for (const continuation* node = list.newest(); node != nullptr; node = node->link) {
      if (task_state* const next = node->follower()) visit(*next);
    }
  }

  /// To be called before finish().
  void set_value(const void* value) noexcept { value_ = value; }
  void set_context(host_context& context) noexcept { context_ = &context; }
  [[nodiscard]] bool same_root(task_state& other) noexcept { return root_ == &other.root(); }

 private:
  friend class task_memory;
  friend void intrusive_ptr_add_ref(task_state* c) noexcept {
    // A new reference comes from an old one, which keeps the object alive: nothing to order.
    c->references_.fetch_add(1, std::memory_order_relaxed);
  }
  friend void intrusive_ptr_release(task_state* c) noexcept {
    // Release and acquire pair with one another: the deletion comes after all uses.
    if (c->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) c->destroy();
  }

  [[nodiscard]] task_state& root() noexcept { return root_ ? *root_ : *this; }
  void park();
  void park_and_check(parked_wait& by);
  [[nodiscard]] bool park_until(time_stamp until);
  [[nodiscard]] bool park_until(time_stamp until, executor& where);
  [[nodiscard]] host_context& context_to_wait_in(parked_wait& by);
  [[nodiscard]] waiting_room& room();
  void drop_room() noexcept;

  std::atomic<std::uint32_t> references_{0};
  std::atomic<bool> looked_{false};
  bool keeps_context_;           // which is a scope
  std::uint8_t block_ = 0;       // what of task_memory's it lies in; 0: it was made by new
  bool leaves_nothing_ = false;  // there is nothing to destroy in it, unless there is a room
  std::uint32_t distance_ = 0;   // how many tasks lie between this one and root_
  continuation_list<continuation> continuations_;
  host_context* context_;
  const void* value_ = nullptr;
  failure why_;
  task_state_ptr root_;  // whose failure this one's comes from; null if it is its own
  task_label label_;
  std::atomic<waiting_room*> room_{nullptr};  // made when a thread waits for a limited time
};

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>

#include <hocket/scheduler/detail/claim.hpp>
#include <hocket/scheduler/detail/host_context.hpp>
#include <hocket/scheduler/detail/ready_list.hpp>
#include <hocket/scheduler/detail/task_memory.hpp>
#include <hocket/scheduler/detail/task_state.hpp>

namespace hocket::detail {

class timer;

/// How a host task is to be run.
struct host_options {
  task_label label = {};
  int priority = 0;
  std::stop_token stop = {};
  std::optional<std::size_t> arena = {};    ///< else the context says
  executor* via = nullptr;                  ///< else that of the context
  time_stamp deadline = time_stamp::max();  ///< cancelled if it has not begun by then
  bool cheap = false;    ///< run it where its last predecessor ends, without posting
  bool gathers = false;  ///< fail with what the first failed predecessor failed with
};

/// What a task waits for, in one direction.
struct host_edge final : continuation {
  host_edge() = default;
  host_edge(host_task& to, const task_state_ptr& from) noexcept : owner(&to), source(from) {}

  enum class kind : std::uint8_t {
    end,      ///< the source ends; if it fails, the task does not run
    content,  ///< the source leaves its place in the order of a buffer; failure as above
    order     ///< the same, but failure does not matter
  };

  void run(task_state& from, ready_list& next) noexcept override;
  [[nodiscard]] task_state* follower() const noexcept override;

  /// True if the task must not run, because of how the source ended.
  [[nodiscard]] bool fails_with(const task_state& from) const noexcept {
    return waits_for != kind::order && static_cast<bool>(from.error());
  }

  kind waits_for = kind::end;
  host_task* owner = nullptr;
  task_state_ptr source;
};

/// A function that runs on the host once its predecessors have ended: one allocation, which holds
/// the function and its result too. It runs task to task on a counter, without locks.
class host_task : public task_state {
 public:
  /// Memory for as many edges as there are in `after` follows the task itself; see make_task.
  host_task(host_context* context, host_options&& options, void* edges,
            std::span<const task_state_ptr> after);
  /// Without edges or options.
  explicit host_task(host_context& context)
      : task_state(&context),
        only_counts_(context.only_counts()),
        has_nodes_(context.has_nodes()),
        where_(&context.where()) {}
  /// The same in a runtime: run_inline() is for it.
  host_task(in_runtime mark, host_context& context) noexcept
      : host_task(mark, context, context.only_counts(), context.has_nodes()) {}
  /// The same where it is known what the context does.
  host_task(in_runtime mark, host_context& context, bool only_counts, bool has_nodes) noexcept
      : task_state(mark, context),
        only_counts_(only_counts),
        is_inline_(true),
        has_nodes_(has_nodes),
        where_(&context.where()) {}
  /// The same with one edge, for which there is room.
  host_task(in_runtime mark, host_context& context, void* edge, const task_state_ptr& after)
      : host_task(mark, context) {
    edges_ = ::new (edge) host_edge(*this, after);
    edge_count_ = 1;
    claim_.expect(1);
  }
  ~host_task() override {
    if (edge_count_ != 0) drop_edges();
  }

  /// To be called once, by the maker of the task, before any other thread knows it.
  void start() noexcept;

  /// The same for one without options. Its maker keeps one reference, the machinery the other.
  void start_after(host_context& context) noexcept {
    context.started(*this);
    host_edge& only = *edges_;
    if (!only.source->attach(only)) start_after_ended();
  }
  /// The same for one or more edges, in memory that lives as long as the task.
  void start_after(host_context& context, std::span<host_edge> all) noexcept {
    edges_ = all.data();
    edge_count_ = static_cast<std::uint32_t>(all.size());
    // As in expect().
    claim_.expect(edge_count_ < 2 ? edge_count_ : edge_count_ + 1);
    context.started(*this);
    if (context.is_scope()) context.offer(*this);
    attach_edges();
  }
  /// Of one without edges.
  void start_at_once() noexcept {
    context()->started(*this);
    if (context()->is_scope()) context()->offer(*this);
    post_at_once();
  }

  /// The second half of it. What the item does may be something else.
  void post_at_once() noexcept { post_at_once(*context(), run_item, context()->caller()); }
  void post_at_once(host_context& context, void (*what)(void*), worker_record* by) noexcept {
    const std::size_t arena = context.arena_for_host_tasks();
    prefer(static_cast<std::uint32_t>(arena));
    try {
      context.where().post_bare(arena, 0, {what, this}, by);
    } catch (...) {
      run_posted(host_task_ptr(this, false), runner::anybody);
    }
  }

  /// The same, and it is cancelled or told to stop when the time has come.
  void start(time_stamp deadline);

  /// Time is up: cancels the task, or tells it to stop if it runs.
  virtual void time_out() noexcept;

  [[nodiscard]] std::uint32_t arena() const noexcept final {
    // Nothing is read because of it: relaxed.
    return arena_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] task_status status() const noexcept override;
  void request_cancel() noexcept override;
  bool help(helping& by) noexcept override;

  /// For a worker that waits for all tasks of a scope: runs one of them that it has submitted
  /// itself, the newest, if there is nothing newer. Returns whether there was one.
  [[nodiscard]] static bool help_one_of(const host_context& scope) noexcept;
  /// For a worker that has helped: items of tasks that it has run go, where they are its newest.
  static void drop_items_passed_over() noexcept;

  /// True if the calling thread is no worker but runs a task of the context while it waits.
  [[nodiscard]] static bool runs_in_a_waiter(const host_context& context) noexcept;

  [[nodiscard]] const std::stop_token& stop() const noexcept { return stop_; }

  void tell_awaited(wait_visitor& to) override;
  /// What tell_awaited() has shown is not read any more.
  void stop_reading() noexcept {
    if (claim_.leave()) drop_sources();
  }
  [[nodiscard]] bool is_waiting() const noexcept override {
    return claim_.waits() && !claim_.is_claimed();
  }

 protected:
  /// Without edges as yet: expect() says which.
  host_task(host_context* context, host_options&& options);

  /// The edges, in memory that lives as long as the task, and how many more arrivals than theirs
  /// and that of start() there will be. Before any other thread knows the task.
  void expect(std::span<host_edge> edges, std::uint32_t more) noexcept;

  /// The same of one edge, and nothing else: no thread can run the task before
  /// that is attached.
  void expect_only(host_edge& e) noexcept {
    e.owner = this;
    edges_ = &e;
    edge_count_ = 1;
    claim_.expect(1);
  }

  /// As host_options say. Before any other thread knows the task.
  void be_cheap() noexcept { cheap_ = true; }

  /// It has run, and is to run again: without edges as yet. Only while no other thread knows it.
  void begin_anew() noexcept {
    if (edge_count_ != 0) drop_edges();
    is_known_early_ = false;
    asks_when_poisoned_ = false;
    claim_.expect(0);
  }

  /// Others will know of the task before it is started: none may run it by then. Before
  /// expect().
  void be_known_early() noexcept { is_known_early_ = true; }
  /// failure_of_predecessors() may find that none concerns this task.
  void ask_when_poisoned() noexcept { asks_when_poisoned_ = true; }
  [[nodiscard]] bool asks_when_poisoned() const noexcept { return asks_when_poisoned_; }
  [[nodiscard]] std::span<host_edge> edges() noexcept { return {edges_, edge_count_}; }
  /// Destroys the edges, and leaves their memory alone.
  void drop_edges() noexcept { std::destroy_n(edges_, std::exchange(edge_count_, 0)); }

  /// The task will not run: failure_of_predecessors() says why. After expect().
  void poison() noexcept { claim_.poison(); }

  /// Something that it waits for has failed, or poison() was called.
  [[nodiscard]] bool is_poisoned() const noexcept { return claim_.poisoned(); }
  /// Something whose end it waits for has failed: then it will not run, whatever it asks.
  [[nodiscard]] bool has_failed_before() const noexcept {
    // Relaxed: ordered by the arrival, which comes after it.
    return has_failed_before_.load(std::memory_order_relaxed);
  }
  /// A thread runs the task, or has given it up.
  [[nodiscard]] bool is_claimed() const noexcept { return claim_.is_claimed(); }

  /// A timer that is cancelled when the task ends; time_out() is called when it expires. To be
  /// called before start(), and set after it.
  [[nodiscard]] boost::intrusive_ptr<timer> attach_timer();
  void set_timer(const boost::intrusive_ptr<timer>& rings, time_stamp time);

  /// The second half of start(), for one with edges, and with a reference for the machinery.
  void attach_edges() noexcept;

  /// One arrival that is no edge's.
  void arrive(bool failed, ready_list& next) noexcept;

  /// Calls the function and keeps its result; throws what it throws.
  virtual void execute() = 0;
  /// Destroys the function.
  virtual void discard() noexcept = 0;
  /// Tells the function that runs to end early.
  virtual void request_stop() noexcept {}
  [[nodiscard]] virtual bool stop_requested() const noexcept { return stop_.stop_requested(); }

  /// What became of the function, that has just thrown.
  [[nodiscard]] virtual failure explain_failure() noexcept;

  /// Why the task does not run, of which something that it waits for has failed; empty if it is to
  /// run nevertheless, which a look at what is held may show.
  [[nodiscard]] virtual failure failure_of_predecessors();

  /// All but one of the predecessors have ended. Called only where one arrival is no edge's.
  virtual void one_is_left(ready_list& /*next*/) noexcept {}

  /// The task was given up, and it is known why; it is not announced as yet.
  virtual void given_up(bool /*waited*/, ready_list& /*next*/) noexcept {}
  /// All predecessors have ended of a task that was, or is being, given up while it waited.
  virtual void abandoned(ready_list& /*next*/) noexcept {}

  /// The function has run, or will not.
  virtual void end(failure why, ready_list& next) noexcept;
  /// The same as end({}, next).
  virtual void end_well(ready_list& next) noexcept { end({}, next); }

  /// How a worker runs a function without options in a runtime: without a look at what it cannot
  /// have. Returns false, and has done nothing, if there is something in its way.
  [[nodiscard]] virtual bool run_inline(ready_list& /*next*/) noexcept { return false; }

  // The parts of it.
  [[nodiscard]] after_end after_its_end(const ready_list& next) const noexcept {
    if (!leaves_nothing()) return after_end::user_code;
    return next.has_ready() ? after_end::next_task : after_end::next_item;
  }
  [[nodiscard]] bool claim_unshared() noexcept { return claim_.claim_unshared(); }
  [[nodiscard]] bool claim_untouched() noexcept { return claim_.claim_untouched(); }
  [[nodiscard]] bool is_stopped() noexcept { return context()->is_stopping(); }
  /// Calls the function where that is to be seen in a trace. Returns false if it has thrown, and
  /// keeps what became of it.
  [[nodiscard]] bool execute_traced() noexcept;
  /// Instead of running the function.
  void refuse(ready_list& next) noexcept { run(claim::claimed::alone, runner::worker, next); }

  /// What an item of a task does, which holds a reference to it.
  static void run_item(void* counted);
  /// The rest of it, for one that is claimed and was not run, that has failed, and that is closed.
  static void refuse_item(host_task& task) noexcept;
  static void end_failed_item(host_task& task) noexcept;
  static void tell_of_item(host_task& task, continuation* newest) noexcept;

  /// What such an item does for a inline Task without edges. Task::release_body(is_unknown)
  /// destroys what it has, at least if no future refers to the task any more.
  template <class Task>
  static void run_inline_item(void* counted) noexcept {
    auto& task = *static_cast<Task*>(static_cast<host_task*>(counted));
    // No thread gets to know a task again that none knows: then nothing about it is shared.
    const bool unshared = task.is_unshared();
    if (!(unshared ? task.claim_unshared() : task.claim_untouched())) [[unlikely]] {
      return run_item(counted);
    }
    if (task.is_stopped()) [[unlikely]]
      return refuse_item(task);
    if (!task.execute_or_fail()) return end_failed_item(task);
    host_context& context = *task.context();
    const bool is_unknown = unshared && task.has_no_followers();
    task.release_body(is_unknown);
    if (is_unknown) {
      task.count_end(context, task.leaves_nothing() ? after_end::next_item : after_end::user_code);
      return task.destroy();
    }
    continuation* const newest = task.close();
    if (newest != nullptr) return tell_of_item(task, newest);
    task.count_end(context, task.leaves_nothing() ? after_end::next_item : after_end::user_code);
    intrusive_ptr_release(&task);
  }

  /// run_inline() of such a Task, which may have edges.
  template <class Task>
  [[nodiscard]] static bool run_inline_as(Task& task, ready_list& next) noexcept {
    if (!task.claim_untouched()) return false;
    if (task.is_stopped()) [[unlikely]] {
      task.refuse(next);
      return true;
    }
    task.drop_edges();
    if (!task.execute_or_fail()) [[unlikely]] {
      task.discard();
      task.announce(next);
      return true;
    }
    task.release_body(false);
    // It goes away when it has heard of the last end, not before.
    host_context& context = *task.context();
    continuation* const newest = task.close();
    if (newest != nullptr) task.tell(newest, next);
    task.count_end(context, task.after_its_end(next));
    return true;
  }

  /// Ends the task so, if no thread has claimed it. Returns false if one has.
  bool give_up(failure why) noexcept;

 private:
  friend class ready_list;
  friend struct host_edge;

  [[nodiscard]] static bool attach_edge(host_edge& e) noexcept;
  /// Which thread runs a task: a worker that it was posted for, or another one, a worker or not.
  enum class runner : std::uint8_t { worker, anybody };

  [[nodiscard]] bool help_in_place(helping& by) noexcept;
  [[nodiscard]] bool claim_and_run(ready_list& next) noexcept;
  [[nodiscard]] bool run_plainly(ready_list& next) noexcept;
  [[nodiscard]] bool run_simply(ready_list& next) noexcept;
  void run(claim::claimed how, runner by, ready_list& next) noexcept;
  [[nodiscard]] failure refusal();
  [[nodiscard]] failure attempt(runner by) noexcept;
  [[nodiscard]] failure call(runner by) noexcept;
  [[nodiscard]] failure call() noexcept;
  class own_timer;
  void prefer(std::uint32_t arena) noexcept {
    // Nothing is read because of it: relaxed.
    arena_.store(arena, std::memory_order_relaxed);
  }
  void follow(const task_state& source) noexcept;
  void arrive_here(bool failed, ready_list& next) noexcept;
  /// The source of the edge is over. Returns whether the task must not run.
  [[nodiscard]] bool is_failed_by(const host_edge& e, const task_state& from) noexcept;
  void drop_sources(claim::claimed how) noexcept {
    if (how == claim::claimed::alone || claim_.leave()) drop_sources();
  }
  void drop_sources() noexcept;
  void start_after_ended() noexcept;
  [[nodiscard]] bool runs_at_once() const noexcept {
    if (cheap_ || where_ == nullptr || claim_.is_claimed()) return true;
    return claim_.poisoned() && !asks_when_poisoned_;
  }
  [[nodiscard]] bool may_run_after(const host_task& other) const noexcept {
    return where_ == other.where_ && priority_ >= other.priority_ &&
           (arena() == no_arena || arena() == other.arena());
  }
  static void post(host_task_ptr task) noexcept;
  static void run_posted(host_task_ptr task, runner by) noexcept;

  claim claim_{0};
  host_edge* edges_ = nullptr;
  std::uint32_t edge_count_ = 0;
  std::atomic<std::uint32_t> arena_{no_arena};  ///< where it is to run, and then where it has
  std::int8_t priority_ = 0;
  bool cheap_ : 1 = false;
  bool gathers_ : 1 = false;
  bool has_arena_ : 1 = false;
  bool at_home_ : 1 = true;          ///< it runs on the executor of its context
  bool only_counts_ : 1;             ///< as its context, which may be gone before an item is run
  bool is_known_early_ : 1 = false;  ///< others know of it before it is started
  bool asks_when_poisoned_ : 1 = false;  ///< it may run although something before it has failed
  bool is_inline_ : 1 = false;           ///< see run_inline()
  const bool has_nodes_;                 ///< as its context
  bool has_more_ = false;                ///< arrivals than those of edges and of start()
  std::atomic<bool> late_{false};        ///< its own deadline has passed
  std::atomic<bool> has_failed_before_{false};  ///< see has_failed_before()
  executor* where_;
  host_task* next_ready_ = nullptr;
  std::stop_token stop_;
};

template <class F>
inline constexpr bool takes_stop_token = std::is_invocable_v<F&, std::stop_token>;

template <class F, bool TakesToken = takes_stop_token<F>>
struct body_result {
  using type = std::remove_cvref_t<std::invoke_result_t<F&>>;
};
template <class F>
struct body_result<F, true> {
  using type = std::remove_cvref_t<std::invoke_result_t<F&, std::stop_token>>;
};

/// What a future of the function holds.
template <class F>
using body_result_t = typename body_result<std::decay_t<F>>::type;

/// A body's own stop source, for bodies that listen to it.
template <bool Listens>
struct body_stop {
  std::stop_source source;
};
template <>
struct body_stop<false> {};

template <class F>
class body_task final : public host_task {
  friend class host_task;
  using result_type = body_result_t<F>;
  static constexpr bool listens = takes_stop_token<F>;
  static constexpr bool has_result = !std::is_void_v<result_type>;
  struct nothing {};
  /// One that is straight and has ended well has nothing in it that has to be destroyed.
  static constexpr bool ends_empty =
      !listens && (!has_result || std::is_trivially_destructible_v<result_type>);

 public:
  template <class G>
  body_task(host_context* context, host_options&& options, G&& body,
            std::span<const task_state_ptr> after)
      : host_task(context, std::move(options), this + 1, after), body_(std::forward<G>(body)) {}
  template <class G>
  body_task(host_context& context, G&& body) : host_task(context), body_(std::forward<G>(body)) {}
  template <class G>
  body_task(in_runtime mark, host_context& context, G&& body)
      : host_task(mark, context), body_(std::forward<G>(body)) {}
  template <class G>
  body_task(in_runtime mark, host_context& context, G&& body, const task_state_ptr& after)
      : host_task(mark, context, this + 1, after), body_(std::forward<G>(body)) {}

  /// Of one without edges or options. Its maker keeps one reference, the machinery the other.
  void start_at_once(in_runtime /*mark*/, host_context& context) noexcept {
    worker_record* const by = context.caller();
    context.started(*this, by);
    post_at_once(context, run_inline_item<body_task>, by);
  }
  using host_task::start_at_once;

 protected:
  void execute() override {
    if constexpr (has_result) {
      result_.emplace(call());
      set_value(&*result_);
    } else {
      call();
    }
  }
  void discard() noexcept override { body_.reset(); }
  void end_well(ready_list& next) noexcept override {
    body_.reset();
    announce(next);
  }
  void request_stop() noexcept override {
    if constexpr (listens) stop_.source.request_stop();
  }
  [[nodiscard]] bool stop_requested() const noexcept override {
    if constexpr (listens) {
      return stop_.source.stop_requested() || stop().stop_requested();
    } else {
      return stop().stop_requested();
    }
  }

 private:
  decltype(auto) call() {
    if constexpr (listens) {
      const auto pass_on = [this] { stop_.source.request_stop(); };
      const std::stop_callback by_user(stop(), pass_on);
      const std::stop_callback by_runtime(
          context() == nullptr ? std::stop_token{} : context()->stopping(), pass_on);
      return std::invoke(*body_, stop_.source.get_token());
    } else {
      return std::invoke(*body_);
    }
  }

  /// Returns false if the function has thrown, and keeps what became of it.
  [[nodiscard]] bool execute_or_fail() noexcept {
    if (context()->traces()) [[unlikely]]
      return execute_traced();
    try {
      execute();
      return true;
    } catch (...) {
      settle(explain_failure());
      return false;
    }
  }

  /// What is to be destroyed when it has ended well.
  void release_body(bool /*is_unknown*/) noexcept {
    body_.reset();
    if (ends_empty) leave_nothing();
  }

  [[nodiscard]] bool run_inline(ready_list& next) noexcept override {
    return run_inline_as(*this, next);
  }

  std::optional<F> body_;
  [[no_unique_address]] std::conditional_t<
      has_result, std::optional<std::conditional_t<has_result, result_type, nothing>>, nothing>
      result_;
  [[no_unique_address]] body_stop<listens> stop_;
};

/// Makes a host task and starts it: it runs once all of `after` have ended well. Without a context
/// the predecessors must have ended, and it runs at once, here.
template <class F>
[[nodiscard]] task_state_ptr launch(host_context* context, host_options options, F&& body,
                                    std::span<const task_state_ptr> after = {}) {
  const time_stamp deadline = options.deadline;
  const boost::intrusive_ptr<host_task> made = make_task<body_task<std::decay_t<F>>>(
      after.size() * sizeof(host_edge), context, std::move(options), std::forward<F>(body), after);
  if (deadline == time_stamp::max()) {
    made->start();
  } else {
    made->start(deadline);
  }
  return made;
}

/// The same for what waits for nothing and has no options.
template <class F>
[[nodiscard]] task_state_ptr launch(host_context& context, F&& body) {
  host_task* const made =
      task_memory::make<body_task<std::decay_t<F>>>(2, 0, context, std::forward<F>(body));
  made->start_at_once();
  return {made, false};
}
/// The same in a runtime.
template <class F>
[[nodiscard]] task_state_ptr launch(in_runtime mark, host_context& context, F&& body) {
  auto* const made =
      task_memory::make<body_task<std::decay_t<F>>>(2, 0, mark, context, std::forward<F>(body));
  made->start_at_once(mark, context);
  return {made, false};
}
/// And for what waits for one task.
template <class F>
[[nodiscard]] task_state_ptr launch_after(in_runtime mark, host_context& context,
                                          const task_state_ptr& after, F&& body) {
  host_task* const made = task_memory::make<body_task<std::decay_t<F>>>(
      2, sizeof(host_edge), mark, context, std::forward<F>(body), after);
  made->start_after(context);
  return {made, false};
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "data/in_place_task.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "data/bound_arguments.hpp"
#include "data/domain_node.hpp"
#include "data/in_place_call.hpp"
#include "data/in_place_history.hpp"
#include "data/in_place_runtime.hpp"
#include "tasks/deadline.hpp"
#include "tasks/meeting.hpp"
#include "tasks/timer_queue.hpp"

namespace hocket::detail {

/// A number that is a future's.
struct in_place_task::awaited_number {
  task_state_ptr source;
  scalar_argument (*convert)(const void* value, element_type to) = nullptr;
  std::uint32_t index = 0;
};

struct in_place_task::optional_state {
  admission_request request;
  boost::intrusive_ptr<domain_node> within;
  bool has_timeout = false;
  /// Of a task with a time-out: a thread has told, or tells, how it ended.
  std::atomic<bool> told{false};
  bool is_told_here = false;  ///< it was the thread that claimed the task
  /// A task in a scope, or with a token, can be cancelled once it is started. A request and the
  /// start meet: the one that comes second cancels.
  meeting scope_meets_start, stop_meets_start;
  std::optional<std::stop_callback<std::function<void()>>> by_scope;
  std::optional<std::stop_callback<std::function<void()>>> by_stop;
};

/// What lies behind few tasks: a result, numbers of futures, parts of buffers, a function.
struct in_place_task::more {
  alignas(8) std::byte value[8] = {};
  std::uint32_t awaited = 0;
  std::uint32_t boxes = 0;
  std::uint32_t function_bytes = 0;
  bool has_function = false;

  [[nodiscard]] std::span<awaited_number> all_awaited() noexcept {
    return {reinterpret_cast<awaited_number*>(this + 1), awaited};
  }
  [[nodiscard]] box* first_box() noexcept {
    return reinterpret_cast<box*>(reinterpret_cast<awaited_number*>(this + 1) + awaited);
  }
  [[nodiscard]] launch_function* function() noexcept {
    return reinterpret_cast<launch_function*>(first_box() + boxes);
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return sizeof(more) + awaited * sizeof(awaited_number) + boxes * sizeof(box) +
           (has_function ? sizeof(launch_function) : 0);
  }
};

inline in_place_use* in_place_task::uses() const noexcept {
  return reinterpret_cast<in_place_use*>(const_cast<in_place_task*>(this) + 1);
}
inline scalar_argument* in_place_task::numbers() const noexcept {
  return reinterpret_cast<scalar_argument*>(uses() + use_count_);
}
inline in_place_task::more& in_place_task::rest() const noexcept {
  return *reinterpret_cast<more*>(numbers() + number_count_);
}

/// How much memory a task needs behind it.
class in_place_task::layout {
 public:
  layout(const borrowed_launch& what, std::size_t after) noexcept : layout(what) {
    edges_ += what.awaited + after;
    has_more_ = what.awaited + what.parts + what.function.bytes > 0 ||
                what.function.body != nullptr || what.kernel->result;
    if (has_more_) before_edges_ += more_of(what).bytes();
  }

  /// Of a launch that has nothing of the sort.
  explicit layout(const borrowed_launch& what) noexcept
      : uses_(static_cast<std::uint32_t>(what.accesses.size())),
        before_edges_(what.accesses.size() * sizeof(in_place_use) +
                      what.numbers.size() * sizeof(scalar_argument)),
        // Most accesses come after one other task.
        edges_(what.accesses.size()),
        has_more_(false) {}

  [[nodiscard]] std::uint32_t uses() const noexcept { return uses_; }
  [[nodiscard]] bool has_more() const noexcept { return has_more_; }
  [[nodiscard]] static more more_of(const borrowed_launch& what) noexcept {
    return {.awaited = what.awaited,
            .boxes = what.parts,
            .function_bytes = what.function.bytes,
            .has_function = what.function.body != nullptr};
  }

  [[nodiscard]] std::size_t bytes() const noexcept {
    return before_edges_ + edges_ * sizeof(host_edge);
  }
  [[nodiscard]] std::span<host_edge> edges_of(in_place_task& task) const noexcept {
    auto* const behind = reinterpret_cast<std::byte*>(&task + 1);
    return {reinterpret_cast<host_edge*>(behind + before_edges_), edges_};
  }

 private:
  std::uint32_t uses_;
  std::size_t before_edges_;
  std::size_t edges_;
  bool has_more_;
};

template <class... Node>
inline in_place_task::in_place_task(const layout& behind, in_place_runtime& home,
                                    const borrowed_launch& what, Node&&... node)
    : in_place_node(std::forward<Node>(node)...),
      use_count_(static_cast<std::uint32_t>(what.accesses.size())),
      number_count_(static_cast<std::uint32_t>(what.numbers.size())),
      has_more_(behind.has_more()),
      home_(home),
      kernel_(what.kernel) {
  keep(what);
}

boost::intrusive_ptr<in_place_task> in_place_task::make(in_place_runtime& home,
                                                        const borrowed_launch& what,
                                                        in_place_content&& from) {
  const layout behind(what, from.after.size());
  host_context* const context = from.scope != nullptr ? from.scope : &home.context();
  auto made = make_task<in_place_task>(behind.bytes(), behind, home, what, context,
                                       std::move(from.options));
  made->keep_extras(from);
  made->take_own_place(from, behind);
  return made;
}

task_state* in_place_task::start_new(in_place_runtime& home, const borrowed_launch& what) {
  return make_and_start(layout(what), home, what, in_runtime(), home.context(), true, false);
}

task_state* in_place_task::start_with_more(in_place_runtime& home, const borrowed_launch& what) {
  const layout behind(what, 0);
  host_context& context = home.context();
  if (!context.only_counts()) return make_and_start(behind, home, what, context);
  return make_and_start(behind, home, what, in_runtime(), context, true, false);
}

template <class... Node>
inline task_state* in_place_task::make_and_start(const layout& behind, in_place_runtime& home,
                                                 const borrowed_launch& what, Node&&... node) {
  // Its future's reference, the machinery's, and those of the orders of its buffers.
  const std::uint32_t references = 2 + behind.uses();
  auto* const made = task_memory::make<in_place_task>(references, behind.bytes(), behind, home,
                                                      what, std::forward<Node>(node)...);
  if (behind.uses() > 0) {
    made->take_place_and_start({made->uses(), behind.uses()}, behind.edges_of(*made));
  } else {
    made->start_at_once();
  }
  return made;
}

/// Takes over the request to the admission.
void in_place_task::keep_extras(in_place_content& from) {
  if (!from.request.id.valid() && from.timeout == nanoseconds::max() && from.scope == nullptr &&
      from.within == nullptr && !stop().stop_possible()) {
    return;
  }
  optional_state_.reset(new optional_state());
  // watch_and_start() must not throw.
  if (context()->is_scope()) (void)context()->stopping();
  optional_state_->within = from.within;
  optional_state_->request = std::move(from.request);
  optional_state_->has_timeout = from.timeout != nanoseconds::max();
}

inline void in_place_task::keep(const borrowed_launch& what) {
  in_place_use* use = uses();
  for (const borrowed_access& each : what.accesses)
    ::new (use++) in_place_use(*each.data, each.mode);
  if (!what.numbers.empty()) {
    auto* number = reinterpret_cast<scalar_argument*>(use);
    for (const borrowed_number& each : what.numbers) ::new (number++) scalar_argument(each.value);
  }
  if (has_more_) keep_more(what);
}

void in_place_task::keep_more(const borrowed_launch& what) {
  more& made = *::new (&rest()) more(layout::more_of(what));
  box* part = made.first_box();
  for (std::size_t i = 0; i < what.accesses.size(); ++i) {
    const box* const where = what.accesses[i].part;
    if (where != nullptr) uses()[i].part = ::new (part++) box(*where);
  }
  awaited_number* later = made.all_awaited().data();
  for (std::uint32_t i = 0; i < number_count_; ++i) {
    const borrowed_number& each = what.numbers[i];
    if (each.from != nullptr) ::new (later++) awaited_number{*each.from, each.convert, i};
  }
  if (made.has_function) ::new (made.function()) launch_function(std::move(*what.function.body));
}

void in_place_task::take_own_place(const in_place_content& from, const layout& behind) {
  const auto announce = [&] { home_.gate().announce(optional_state_->request); };
  if (from.within != nullptr) from.within->task_came();
  std::vector<task_state_ptr> after(from.after.begin(), from.after.end());
  if (has_more_) {
    for (const awaited_number& each : rest().all_awaited()) after.push_back(each.source);
  }
  registration with{after, is_throttled() ? 1U : 0U, from.within};
  if (is_throttled()) with.in_order = announce;
  take_place(all_uses(), behind.edges_of(*this), with);
}

void in_place_task::drop_extras::operator()(optional_state* all) const noexcept { delete all; }

void in_place_task::drop_more() noexcept {
  std::destroy(rest().all_awaited().begin(), rest().all_awaited().end());
  std::destroy_n(rest().first_box(), rest().boxes);
  if (rest().has_function) std::destroy_at(rest().function());
}

in_place_task::~in_place_task() {
  if (has_uses_) drop_uses();
  if (has_more_) drop_more();
}

std::size_t in_place_task::held_bytes() const noexcept {
  return task_state::held_bytes() + (has_more_ ? rest().function_bytes : 0);
}

std::string_view in_place_task::label_text() const noexcept {
  return label().empty() ? std::string_view(kernel_->name) : label().text();
}

bool in_place_task::has_request() const noexcept {
  return optional_state_ != nullptr && optional_state_->request.id.valid();
}
bool in_place_task::is_throttled() const noexcept {
  return optional_state_ != nullptr && optional_state_->request.is_throttled();
}
const admission_request& in_place_task::request() const noexcept {
  return optional_state_->request;
}

void in_place_task::begin(nanoseconds timeout) {
  // It may end before its function does, which the runtime has to wait for.
  if (optional_state_ != nullptr && optional_state_->has_timeout) {
    outlives_its_end_ = true;
    home_.function_begins();
  }
  const time_stamp deadline = first_deadline(timeout, time_stamp::max(), home_.context().where());
  const timer_ptr rings = deadline == time_stamp::max() ? nullptr : attach_timer();
  if (context()->is_scope() || stop().stop_possible()) {
    watch_and_start();
  } else {
    start();
  }
  if (rings != nullptr) set_timer(rings, deadline);
}

void in_place_task::time_out() noexcept {
  tell({failure_code::timed_out, name() + " did not end within its time."});
}

/// Starts the task. A request to stop it that comes meanwhile is heard.
void in_place_task::watch_and_start() {
  host_context& scope = *context();
  // Until the task has ended it keeps itself by these.
  const boost::intrusive_ptr<in_place_task> self(this);
  if (scope.is_scope()) {
    optional_state_->by_scope.emplace(scope.stopping(), [task = self] {
      const boost::intrusive_ptr<in_place_task> kept = task;
      if (!kept->optional_state_->scope_meets_start.come(meeting::party::other)) return;
      kept->cancel(kept->context()->refusal_of(*kept));
    });
  }
  if (stop().stop_possible()) {
    optional_state_->by_stop.emplace(stop(), [task = self] {
      const boost::intrusive_ptr<in_place_task> kept = task;
      if (kept->optional_state_->stop_meets_start.come(meeting::party::other))
        kept->request_cancel();
    });
  }
  start();
  if (optional_state_->scope_meets_start.come(meeting::party::one)) cancel(scope.refusal_of(*this));
  if (optional_state_->stop_meets_start.come(meeting::party::one)) request_cancel();
}

void in_place_task::request_cancel() noexcept {
  cancel({failure_code::cancelled, name() + " was cancelled."});
}

void in_place_task::cancel(failure why) noexcept {
  if (optional_state_ != nullptr && optional_state_->has_timeout) return tell(std::move(why));
  if (!give_up(std::move(why)) || !is_throttled()) return;
  ready_list next;
  admit(home_.gate().give_up(optional_state_->request), next);
}

void in_place_task::tell(failure why) noexcept {
  ready_list next;
  if (optional_state_->told.exchange(true)) return;
  if (!give_up(why)) {
    settle(std::move(why));
    ended_early(next);
    next.let_leave();
    announce(next);
  } else if (is_throttled()) {
    admit(home_.gate().give_up(optional_state_->request), next);
  }
}

/// Of one that has ended well.
inline void in_place_task::commit_uses() noexcept {
  for (in_place_use& use : all_uses()) {
    use.data->order()->commit(use);
    std::destroy_at(&use);
  }
  has_uses_ = false;
}

inline void in_place_task::drop_uses() noexcept {
  std::destroy_n(uses(), use_count_);
  has_uses_ = false;
}

/// A buffer that no handle or other task refers to cannot be read any more: its memory is given
/// back before the cancelled task leaves its place.
void in_place_task::drop_sole_uses() noexcept {
  for (in_place_use& use : all_uses()) {
    if (use.data->references() == 1) use.data.reset();
  }
}

void in_place_task::discard() noexcept {
  if (optional_state_ != nullptr) {
    optional_state_->by_scope.reset();
    optional_state_->by_stop.reset();
  }
  if (has_more_) drop_contents();
  drop_kernel();
}

/// The orders of buffers keep tasks that have ended: a task must not keep a buffer by the functions
/// of its kernel.
inline void in_place_task::drop_kernel() noexcept {
  if (kernel_ != nullptr && kernel_->keeps_captures) [[unlikely]]
    kernel_.reset();
}

void in_place_task::drop_contents() noexcept {
  for (awaited_number& each : rest().all_awaited()) each.source.reset();
  if (rest().has_function) *rest().function() = nullptr;
}

void in_place_task::end(failure why, ready_list& next) noexcept {
  const bool was_told = optional_state_ != nullptr && optional_state_->has_timeout &&
                        !optional_state_->is_told_here && optional_state_->told.exchange(true);
  if (!was_told) return in_place_node::end(std::move(why), next);
  discard();
  rest_is_over(next);
}

void in_place_task::end_well(ready_list& next) noexcept {
  if (optional_state_ != nullptr) return in_place_node::end_well(next);
  if (has_more_) drop_contents();
  drop_kernel();
  if (use_count_ > 0) {
    commit_uses();
    leave_committed(next);
    next.let_leave();
  }
  announce(next);
}

void in_place_task::destroy_all() noexcept {
  if (!is_spent_) return in_place_node::destroy_all();
  // If it is not to be destroyed so, the destructor does it.
  is_spent_ = false;
  kernel_.reset();
  leave_nothing();
  destroy();
}

void in_place_task::leave_place(ready_list& next) noexcept {
  in_place_node::leave_place(next);
  // The orders of buffers keep tasks that have ended: those must not keep the buffers.
  if (has_uses_) drop_uses();
  if (has_request()) admit(home_.gate().leave(request()), next);
  if (optional_state_ != nullptr && optional_state_->within) {
    // The histories within the domain, which it has, may keep this.
    std::exchange(optional_state_->within, nullptr)->task_left(next);
  }
  if (outlives_its_end_) home_.function_over();
}

void in_place_task::given_up(bool waited, ready_list& next) noexcept {
  if (waited && !outlives_its_end_) {
    outlives_its_end_ = true;
    home_.function_begins();
  }
  // Of a throttled task another thread may look at what it reads.
  if (waited && !is_throttled()) drop_sole_uses();
  in_place_node::given_up(waited, next);
}

void in_place_task::one_is_left(ready_list& next) noexcept {
  admit(home_.gate().try_acquire(*this), next);
}

void in_place_task::admit(const admission::admitted& all, ready_list& next) noexcept {
  for (in_place_task* const each : all) each->come_in(next);
}

/// A thread that tells of a time-out reads the cause.
bool in_place_task::may_name_cause() noexcept {
  if (optional_state_ == nullptr || !optional_state_->has_timeout) return true;
  optional_state_->is_told_here = !optional_state_->told.exchange(true);
  return optional_state_->is_told_here;
}

failure in_place_task::explain_failure() noexcept {
  const bool has_function = has_more_ && rest().has_function;
  return failure_of_call(has_function ? std::string(label_text()) : kernel_->name, name());
}

void in_place_task::convert_numbers() {
  for (const awaited_number& each : rest().all_awaited()) {
    scalar_argument& number = numbers()[each.index];
    number = each.convert(each.source->value(), number.type);
  }
}

inline void in_place_task::execute_here() {
  if (use_count_ != 1 || has_more_) return execute_with_several();
  const in_place_use& only = *uses();
  call(kernel_->host, {&bound_arguments::argument_of(only, *this), 1}, only.data->elements());
}

void in_place_task::execute() { execute_here(); }

void in_place_task::execute_with_several() {
  bound_arguments buffers;
  buffers.add(all_uses(), *this);
  if (has_more_) return execute_with_more(buffers);
  call(kernel_->host, buffers.all(), buffers.max_elements());
}

void in_place_task::execute_with_more(bound_arguments& buffers) {
  convert_numbers();
  if (kernel_->result) {
    buffers.add(rest().value, *kernel_->result, index_list(1, 1), index_list(1, 1));
  }
  call(rest().has_function ? *rest().function() : kernel_->host, buffers.all(),
       buffers.max_elements());
  if (kernel_->result) set_value(rest().value);
}

[[gnu::always_inline]] inline void in_place_task::call(const launch_function& body,
                                                       std::span<const buffer_argument> buffers,
                                                       std::size_t max_elements) {
  const std::span<const scalar_argument> scalars(numbers(), number_count_);
  if (is_called_plainly(*kernel_)) [[likely]] {
    return call_plainly({home_, *kernel_, body, scalars}, buffers, max_elements);
  }
  call_specially({home_, *kernel_, body, scalars}, all_uses(), buffers, max_elements, *this);
}

bool in_place_task::run_inline(ready_list& next) noexcept {
  if (!claim_untouched()) return false;
  if (is_stopped()) [[unlikely]] {
    refuse(next);
    return true;
  }
  drop_edges();
  try {
    execute_here();
  } catch (...) {
    end(explain_failure(), next);
    return true;
  }
  if (has_more_) {
    drop_contents();
  } else {
    is_spent_ = !has_far_edges();
  }
  if (use_count_ > 0) {
    commit_uses();
    leave_committed(next);
    next.let_leave();
  }
  // It goes away when it has heard of the last end, not before.
  host_context& context = *this->context();
  continuation* const newest = close();
  if (newest != nullptr) task_state::tell(newest, next);
  count_end(context, next.has_ready() ? after_end::next_task : after_end::next_item);
  return true;
}

}  // namespace hocket::detail

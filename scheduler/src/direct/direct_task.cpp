// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "direct/direct_task.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include <hocket/streams/perform.hpp>

#include "alarm_board.hpp"
#include "deadline.hpp"
#include "direct/data_order.hpp"
#include "direct/direct_runtime.hpp"
#include "direct/hold_node.hpp"
#include "meeting.hpp"

namespace hocket::detail {

/// A number that is a future's.
struct direct_task::awaited_number {
  completion_ptr source;
  scalar_argument (*convert)(const void* value, element_type to) = nullptr;
  std::uint32_t index = 0;
};

struct direct_task::extras {
  admission_request wish;
  boost::intrusive_ptr<hold_node> within;
  bool has_timeout = false;
  bool unwritten = false;
  /// Of a task with a time-out: somebody has told, or tells, how it ended.
  std::atomic<bool> told{false};
  /// A task in a scope, or with a token, can be cancelled once it is started. A request and the
  /// start meet: the one that comes second cancels.
  meeting scope_meets_start, stop_meets_start;
  std::optional<std::stop_callback<std::function<void()>>> by_scope;
  std::optional<std::stop_callback<std::function<void()>>> by_stop;
};

/// What is thrown before the function is called, where there is no memory for a buffer.
struct direct_task::no_room {
  failure why;
};

/// What lies behind few tasks: a result, numbers of futures, parts of buffers, a function.
struct direct_task::more {
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

inline direct_use* direct_task::uses() const noexcept {
  return reinterpret_cast<direct_use*>(const_cast<direct_task*>(this) + 1);
}
inline scalar_argument* direct_task::numbers() const noexcept {
  return reinterpret_cast<scalar_argument*>(uses() + use_count_);
}
inline direct_task::more& direct_task::rest() const noexcept {
  return *reinterpret_cast<more*>(numbers() + number_count_);
}

/// How much memory a task needs behind it.
class direct_task::layout {
 public:
  layout(const direct_launch& what, std::size_t after) noexcept : layout(what) {
    edges_ += what.awaited + after;
    has_more_ = what.awaited + what.parts + what.function.bytes > 0 ||
                what.function.body != nullptr || what.kernel->result;
    if (has_more_) before_edges_ += more_of(what).bytes();
  }

  /// Of a launch that has nothing of the sort.
  explicit layout(const direct_launch& what) noexcept
      : uses_(static_cast<std::uint32_t>(what.accesses.size())),
        before_edges_(what.accesses.size() * sizeof(direct_use) +
                      what.numbers.size() * sizeof(scalar_argument)),
        // Most accesses come after one other task.
        edges_(what.accesses.size()),
        has_more_(false) {}

  [[nodiscard]] std::uint32_t uses() const noexcept { return uses_; }
  [[nodiscard]] bool has_more() const noexcept { return has_more_; }
  [[nodiscard]] static more more_of(const direct_launch& what) noexcept {
    return {.awaited = what.awaited,
            .boxes = what.parts,
            .function_bytes = what.function.bytes,
            .has_function = what.function.body != nullptr};
  }

  [[nodiscard]] std::size_t bytes() const noexcept {
    return before_edges_ + edges_ * sizeof(host_edge);
  }
  [[nodiscard]] std::span<host_edge> edges_of(direct_task& task) const noexcept {
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
inline direct_task::direct_task(const layout& behind, direct_runtime& home,
                                const direct_launch& what, Node&&... node)
    : direct_node(std::forward<Node>(node)...),
      use_count_(static_cast<std::uint32_t>(what.accesses.size())),
      number_count_(static_cast<std::uint32_t>(what.numbers.size())),
      has_more_(behind.has_more()),
      home_(home),
      kernel_(what.kernel) {
  keep(what);
}

boost::intrusive_ptr<direct_task> direct_task::make(direct_runtime& home, const direct_launch& what,
                                                    direct_content&& from) {
  const layout behind(what, from.after.size());
  host_context* const context = from.scope != nullptr ? from.scope : &home.context();
  auto made =
      make_task<direct_task>(behind.bytes(), behind, home, what, context, std::move(from.options));
  made->keep_extras(from);
  made->take_own_place(from, behind);
  return made;
}

completion* direct_task::start_new(direct_runtime& home, const direct_launch& what) {
  return make_and_start(layout(what), home, what, in_runtime(), home.context(), true, false);
}

completion* direct_task::start_with_more(direct_runtime& home, const direct_launch& what) {
  const layout behind(what, 0);
  host_context& context = home.context();
  if (!context.only_counts()) return make_and_start(behind, home, what, context);
  return make_and_start(behind, home, what, in_runtime(), context, true, false);
}

template <class... Node>
inline completion* direct_task::make_and_start(const layout& behind, direct_runtime& home,
                                               const direct_launch& what, Node&&... node) {
  // Its future's reference, the machinery's, and those of the orders of its buffers.
  const std::uint32_t references = 2 + behind.uses();
  auto* const made = task_memory::make<direct_task>(references, behind.bytes(), behind, home, what,
                                                    std::forward<Node>(node)...);
  if (behind.uses() > 0) {
    made->take_place_and_start({made->uses(), behind.uses()}, behind.edges_of(*made));
  } else {
    made->start_at_once();
  }
  return made;
}

/// Takes the wish.
void direct_task::keep_extras(direct_content& from) {
  if (!from.wish.id.valid() && from.timeout == nanoseconds::max() && from.scope == nullptr &&
      from.within == nullptr && !stop().stop_possible()) {
    return;
  }
  extras_.reset(new extras());
  extras_->within = from.within;
  extras_->wish = std::move(from.wish);
  extras_->has_timeout = from.timeout != nanoseconds::max();
}

inline void direct_task::keep(const direct_launch& what) {
  direct_use* use = uses();
  for (const direct_access& each : what.accesses) ::new (use++) direct_use(*each.data, each.mode);
  if (!what.numbers.empty()) {
    auto* number = reinterpret_cast<scalar_argument*>(use);
    for (const direct_number& each : what.numbers) ::new (number++) scalar_argument(each.value);
  }
  if (has_more_) keep_more(what);
}

void direct_task::keep_more(const direct_launch& what) {
  more& made = *::new (&rest()) more(layout::more_of(what));
  box* part = made.first_box();
  for (std::size_t i = 0; i < what.accesses.size(); ++i) {
    const box* const where = what.accesses[i].part;
    if (where != nullptr) uses()[i].part = ::new (part++) box(*where);
  }
  awaited_number* later = made.all_awaited().data();
  for (std::uint32_t i = 0; i < number_count_; ++i) {
    const direct_number& each = what.numbers[i];
    if (each.from != nullptr) ::new (later++) awaited_number{*each.from, each.convert, i};
  }
  if (made.has_function) ::new (made.function()) launch_function(std::move(*what.function.body));
}

void direct_task::take_own_place(const direct_content& from, const layout& behind) {
  const bool is_kept_back = extras_ != nullptr && extras_->wish.waits();
  const auto announce = [&] { home_.gate().announce(extras_->wish); };
  if (from.within != nullptr) from.within->task_came();
  std::vector<completion_ptr> after(from.after.begin(), from.after.end());
  if (has_more_) {
    for (const awaited_number& each : rest().all_awaited()) after.push_back(each.source);
  }
  circumstances with{after, is_kept_back ? 1U : 0U, from.within};
  if (is_kept_back) with.in_order = announce;
  take_place(all_uses(), behind.edges_of(*this), with);
  if (extras_ != nullptr) extras_->unwritten = static_cast<bool>(why());
}

void direct_task::drop_extras::operator()(extras* all) const noexcept { delete all; }

void direct_task::drop_more() noexcept {
  std::destroy(rest().all_awaited().begin(), rest().all_awaited().end());
  std::destroy_n(rest().first_box(), rest().boxes);
  if (rest().has_function) std::destroy_at(rest().function());
}

direct_task::~direct_task() {
  if (has_uses_) drop_uses();
  if (has_more_) drop_more();
}

std::size_t direct_task::held_bytes() const noexcept {
  return completion::held_bytes() + (has_more_ ? rest().function_bytes : 0);
}

std::string_view direct_task::called() const noexcept {
  return label().empty() ? std::string_view(kernel_->name) : label().text();
}

bool direct_task::has_wish() const noexcept {
  return extras_ != nullptr && extras_->wish.id.valid();
}
const admission_request& direct_task::wish() const noexcept { return extras_->wish; }

void direct_task::begin(nanoseconds timeout) {
  // It may end before its function does, which the runtime has to wait for.
  if (extras_ != nullptr && extras_->has_timeout) {
    outlives_its_end_ = true;
    home_.function_begins();
  }
  const time_stamp deadline = first_deadline(timeout, time_stamp::max(), home_.context().where());
  const alarm_ptr rings = deadline == time_stamp::max() ? nullptr : attach_alarm();
  if (context()->is_scope() || stop().stop_possible()) {
    watch_and_start();
  } else {
    start();
  }
  if (rings != nullptr) set_alarm(rings, deadline);
}

void direct_task::time_out() noexcept {
  tell({failure_code::timed_out, name() + " did not end within its time."});
}

/// Starts the task. A request to stop it that comes meanwhile is heard.
void direct_task::watch_and_start() {
  host_context& scope = *context();
  // Until the task has ended it keeps itself by these.
  const boost::intrusive_ptr<direct_task> self(this);
  if (scope.is_scope()) {
    extras_->by_scope.emplace(scope.stopping(), [task = self] {
      const boost::intrusive_ptr<direct_task> kept = task;
      if (!kept->extras_->scope_meets_start.come(meeting::party::other)) return;
      kept->cancel(kept->context()->refusal_of(*kept));
    });
  }
  if (stop().stop_possible()) {
    extras_->by_stop.emplace(stop(), [task = self] {
      const boost::intrusive_ptr<direct_task> kept = task;
      if (kept->extras_->stop_meets_start.come(meeting::party::other)) kept->request_cancel();
    });
  }
  start();
  if (extras_->scope_meets_start.come(meeting::party::one)) cancel(scope.refusal_of(*this));
  if (extras_->stop_meets_start.come(meeting::party::one)) request_cancel();
}

void direct_task::request_cancel() noexcept {
  cancel({failure_code::cancelled, name() + " was cancelled."});
}

void direct_task::cancel(failure why) noexcept {
  if (extras_ != nullptr && extras_->has_timeout) return tell(std::move(why));
  if (!give_up(std::move(why)) || extras_ == nullptr || !extras_->wish.waits()) return;
  follow_ups next;
  admit(home_.gate().give_up(extras_->wish), next);
}

void direct_task::tell(failure why) noexcept {
  follow_ups next;
  if (extras_->unwritten) {
    // Where somebody ends it already, with that, it is left to him.
    if (give_up(std::move(why)) && extras_->wish.waits()) {
      admit(home_.gate().give_up(extras_->wish), next);
    }
    return;
  }
  if (extras_->told.exchange(true)) return;
  if (!give_up(why)) {
    settle(std::move(why));
    ended_early(next);
    next.let_leave();
    announce(next);
  } else if (extras_->wish.waits()) {
    admit(home_.gate().give_up(extras_->wish), next);
  }
}

inline void direct_task::drop_uses() noexcept {
  std::destroy_n(uses(), use_count_);
  has_uses_ = false;
}

void direct_task::discard() noexcept {
  if (has_uses_) drop_uses();
  if (extras_ != nullptr) {
    extras_->by_scope.reset();
    extras_->by_stop.reset();
  }
  if (has_more_) drop_contents();
  drop_kernel();
}

/// The orders of buffers keep tasks that have ended: a task must not keep a buffer by the functions
/// of its kernel.
inline void direct_task::drop_kernel() noexcept {
  if (kernel_ != nullptr && kernel_->keeps_captures) [[unlikely]]
    kernel_.reset();
}

void direct_task::drop_contents() noexcept {
  for (awaited_number& each : rest().all_awaited()) each.source.reset();
  if (rest().has_function) *rest().function() = nullptr;
}

void direct_task::end(failure why, follow_ups& next) noexcept {
  const bool was_told = extras_ != nullptr && extras_->has_timeout && extras_->told.exchange(true);
  if (!was_told) return direct_node::end(std::move(why), next);
  discard();
  rest_is_over(next);
}

void direct_task::end_well(follow_ups& next) noexcept {
  if (extras_ != nullptr) return direct_node::end_well(next);
  if (has_more_) drop_contents();
  drop_kernel();
  if (use_count_ > 0) {
    drop_uses();
    direct_node::leave_place(next);
    next.let_leave();
  }
  announce(next);
}

void direct_task::destroy_all() noexcept {
  if (!is_spent_) return direct_node::destroy_all();
  // If it is not to be destroyed so, the destructor does it.
  is_spent_ = false;
  kernel_.reset();
  leave_nothing();
  destroy();
}

void direct_task::leave_place(follow_ups& next) noexcept {
  direct_node::leave_place(next);
  if (extras_ != nullptr && extras_->wish.id.valid()) {
    admit(home_.gate().leave(extras_->wish), next);
  }
  if (extras_ != nullptr && extras_->within) extras_->within->task_left(next);
  if (outlives_its_end_) home_.function_over();
}

void direct_task::given_up(bool waited, follow_ups& next) noexcept {
  if (waited && !outlives_its_end_) {
    outlives_its_end_ = true;
    home_.function_begins();
  }
  direct_node::given_up(waited, next);
}

void direct_task::one_is_left(follow_ups& next) noexcept { admit(home_.gate().knock(*this), next); }

void direct_task::admit(const admission::admitted& all, follow_ups& next) noexcept {
  for (direct_task* const each : all) each->come_in(next);
}

failure direct_task::explain_failure() noexcept {
  try {
    throw;
  } catch (const no_room& thrown) {
    return thrown.why;
  } catch (...) {
    // It is the function's.
  }
  const failure why =
      failure_of_launch(has_more_ && rest().has_function ? std::string(called()) : kernel_->name);
  return {why.code(), name() + " failed: " + why.message(), why.thrown()};
}

void direct_task::convert_numbers() {
  for (const awaited_number& each : rest().all_awaited()) {
    scalar_argument& number = numbers()[each.index];
    number = each.convert(each.source->value(), number.type);
  }
}

/// The buffers of a launch as its body sees them.
class direct_task::placed {
 public:
  placed() noexcept : first_(reinterpret_cast<buffer_argument*>(near_)) {}
  placed(const placed&) = delete;
  placed& operator=(const placed&) = delete;
  ~placed() { std::destroy_n(first_, count_); }

  void add_all_of(const direct_task& task) {
    if (task.use_count_ >= near) make_room(task.use_count_ + 1);
    for (const direct_use& use : task.all_uses()) {
      if (use.part != nullptr) {
        add_part(task, use);
        continue;
      }
      most_ = std::max(most_, use.data->elements());
      ::new (first_ + count_++) buffer_argument(argument_of(use, task));
    }
  }
  void add(void* base, element_type type, const index_list& extents, const index_list& strides) {
    ::new (first_ + count_++) buffer_argument{base, type, extents, strides};
  }

  /// All of a buffer.
  [[nodiscard]] static const buffer_argument& argument_of(const direct_use& use,
                                                          const direct_task& task) {
    data_order& order = *use.data->order();
    if (order.address() == nullptr && use.data->bytes() > 0) take_memory(order, task);
    return order.argument();
  }

  [[nodiscard]] std::span<const buffer_argument> all() const noexcept { return {first_, count_}; }
  /// Elements of the largest that the task uses.
  [[nodiscard]] std::size_t most_elements() const noexcept { return most_; }

 private:
  static constexpr std::size_t near = 4;
  struct alignas(buffer_argument) room {
    std::byte bytes[sizeof(buffer_argument)];
  };

  [[gnu::noinline]] void make_room(std::size_t most) {
    far_ = std::make_unique<room[]>(most);
    first_ = reinterpret_cast<buffer_argument*>(far_.get());
  }
  [[gnu::noinline]] void add_part(const direct_task& task, const direct_use& use) {
    const buffer_state& data = *use.data;
    const index_list extents = use.part->extents();
    most_ = std::max(most_, volume(extents));
    if (use.part->empty()) return add(nullptr, data.type(), extents, data.strides());
    std::size_t first = 0;
    for (std::size_t d = 0; d < data.strides().size(); ++d) {
      first += use.part->begin[d] * data.strides()[d];
    }
    auto* const base = static_cast<std::byte*>(argument_of(use, task).base);
    add(base + first * size_of(data.type()), data.type(), extents, data.strides());
  }
  [[gnu::noinline]] static void take_memory(data_order& order, const direct_task& task) {
    try {
      order.obtain(task);
    } catch (const error& none_left) {
      throw no_room{none_left.why()};
    }
  }

  buffer_argument* first_;
  std::size_t count_ = 0;
  std::size_t most_ = 0;
  std::unique_ptr<room[]> far_;
  room near_[near];
};

launch_shape direct_task::shape() const {
  launch_shape made;
  made.reserve(use_count_);
  for (const direct_use& use : all_uses()) made.push_back(use.where().extents());
  return made;
}

inline void direct_task::execute_here() {
  if (use_count_ != 1 || has_more_) return execute_with_several();
  const direct_use& only = *uses();
  call(kernel_->host, {&placed::argument_of(only, *this), 1}, only.data->elements());
}

void direct_task::execute() { execute_here(); }

void direct_task::execute_with_several() {
  placed buffers;
  buffers.add_all_of(*this);
  if (has_more_) return execute_with_more(buffers);
  call(kernel_->host, buffers.all(), buffers.most_elements());
}

void direct_task::execute_with_more(placed& buffers) {
  convert_numbers();
  if (kernel_->result) {
    buffers.add(rest().value, *kernel_->result, index_list(1, 1), index_list(1, 1));
  }
  call(rest().has_function ? *rest().function() : kernel_->host, buffers.all(),
       buffers.most_elements());
  if (kernel_->result) set_value(rest().value);
}

inline void direct_task::call(const launch_function& body, std::span<const buffer_argument> buffers,
                              std::size_t most_elements) {
  if (kernel_->width || kernel_->estimate || !kernel_->sequence.empty()) {
    return call_specially(body, buffers, most_elements);
  }
  // As work_of() does, without a list of shapes.
  const direct_runtime::counted counted(home_, most_elements);
  single_lane lane;
  body(host_launch{buffers, {numbers(), number_count_}, lane});
}

void direct_task::call_specially(const launch_function& body,
                                 std::span<const buffer_argument> buffers,
                                 std::size_t most_elements) {
  const launch_shape extents = shape();
  const kernel_definition& kernel = *kernel_;
  const auto parts = std::max<std::size_t>(kernel.sequence.size(), 1);
  const double flops =
      kernel.estimate ? kernel.estimate(extents).flops : static_cast<double>(most_elements);
  const direct_runtime::counted counted(home_, 0);
  home_.count_more(parts, flops);
  call_on_host(home_.context().where(), home_.arena(),
               kernel.width ? kernel.width(extents) : body_width::serial, body, buffers,
               {numbers(), number_count_});
}

bool direct_task::run_straight(follow_ups& next) noexcept {
  if (!claim_untouched()) return false;
  if (is_stopped()) [[unlikely]] {
    refuse(next);
    return true;
  }
  if (edges().size() == 1) {
    drop_only_edge();
  } else if (!edges().empty()) {
    drop_edges();
  }
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
    drop_uses();
    leave_straight(next);
    next.let_leave();
  }
  // It goes away when it has heard of the last end, not before.
  host_context& context = *this->context();
  continuation* const newest = close();
  if (newest != nullptr) completion::tell(newest, next);
  count_end(context);
  return true;
}

}  // namespace hocket::detail

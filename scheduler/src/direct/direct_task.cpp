// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "direct/direct_task.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include <hocket/streams/perform.hpp>

#include "direct/data_order.hpp"
#include "direct/direct_runtime.hpp"
#include "direct/hold_node.hpp"

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
  /// Of a task in a scope: cancels it with the scope, once it has begun to count.
  std::atomic<bool> counts{false};
  std::optional<std::stop_callback<std::function<void()>>> by_scope;
  std::optional<std::stop_callback<std::function<void()>>> by_stop;
};

/// What is thrown before the function is called, where there is no memory for a buffer.
struct direct_task::no_room {
  failure why;
};

inline std::size_t direct_task::sizes::bytes() const noexcept {
  return uses * sizeof(direct_use) + edges * sizeof(host_edge) + numbers * sizeof(scalar_argument) +
         awaited * sizeof(awaited_number) + boxes * sizeof(box) +
         functions * sizeof(launch_function);
}

inline direct_use* direct_task::uses() const noexcept {
  return reinterpret_cast<direct_use*>(const_cast<direct_task*>(this) + 1);
}
inline host_edge* direct_task::near_edges() const noexcept {
  return reinterpret_cast<host_edge*>(uses() + count_.uses);
}
inline scalar_argument* direct_task::numbers() const noexcept {
  return reinterpret_cast<scalar_argument*>(near_edges() + count_.edges);
}
inline direct_task::awaited_number* direct_task::awaited() const noexcept {
  return reinterpret_cast<awaited_number*>(numbers() + count_.numbers);
}
inline box* direct_task::boxes() const noexcept {
  return reinterpret_cast<box*>(awaited() + count_.awaited);
}
inline launch_function* direct_task::functions() const noexcept {
  return reinterpret_cast<launch_function*>(boxes() + count_.boxes);
}

direct_task::sizes direct_task::sizes_for(const direct_content& from) {
  sizes made;
  for (const direct_argument& argument : from.arguments) {
    if (argument.data != nullptr) {
      ++made.uses;
      if (*argument.where != (*argument.data)->whole()) ++made.boxes;
    } else {
      ++made.numbers;
      if (argument.number.from != nullptr) ++made.awaited;
    }
  }
  // Most accesses come after one other task.
  made.edges = made.uses + made.awaited + static_cast<std::uint32_t>(from.after.size());
  made.functions = from.function ? 1 : 0;
  return made;
}

boost::intrusive_ptr<direct_task> direct_task::make(direct_runtime& home, direct_content&& from) {
  const sizes behind = sizes_for(from);
  const direct_content& arguments = from;
  auto made = make_task<direct_task>(behind.bytes(), home, std::move(from), behind);
  made->take_own_place(arguments);
  return made;
}

direct_task::direct_task(direct_runtime& home, direct_content&& from, const sizes& behind)
    : direct_node(from.scope != nullptr ? from.scope : &home.context(), std::move(from.options)),
      home_(home),
      kernel_(std::move(from.kernel)),
      count_(behind) {
  if (from.wish.id.valid() || from.timeout != nanoseconds::max() || from.scope != nullptr ||
      from.within != nullptr || stop().stop_possible()) {
    extras_ = std::make_unique<extras>();
    extras_->within = from.within;
    extras_->wish = std::move(from.wish);
    extras_->has_timeout = from.timeout != nanoseconds::max();
  }
  if (count_.functions > 0) ::new (functions()) launch_function(std::move(from.function));
  keep_arguments(from);
}

void direct_task::keep_arguments(const direct_content& from) {
  direct_use* use = uses();
  box* part = boxes();
  for (const direct_argument& argument : from.arguments) {
    if (argument.data == nullptr) continue;
    const box* where = &(*argument.data)->whole();
    // With no part among them, all of them are whole.
    if (count_.boxes > 0 && *argument.where != *where) where = ::new (part++) box(*argument.where);
    ::new (use++) direct_use{*argument.data, where, argument.mode};
  }
  if (count_.numbers > 0) keep_numbers(from);
}

void direct_task::keep_numbers(const direct_content& from) {
  scalar_argument* number = numbers();
  awaited_number* later = awaited();
  for (std::size_t i = 0; i < from.arguments.size(); ++i) {
    const direct_argument& argument = from.arguments[i];
    if (argument.data != nullptr) continue;
    ::new (number) scalar_argument(argument.number.value);
    if (argument.number.from != nullptr) {
      number->type = kernel_->parameters[i].type;
      ::new (later++) awaited_number{argument.number.from, argument.number.convert,
                                     static_cast<std::uint32_t>(number - numbers())};
    }
    ++number;
  }
}

void direct_task::take_own_place(const direct_content& from) {
  const bool is_kept_back = extras_ != nullptr && extras_->wish.waits();
  if (from.within != nullptr) from.within->task_came();
  if (is_kept_back) home_.gate().announce(extras_->wish);
  const std::span<direct_use> used(uses(), count_.uses);
  const std::span<host_edge> near(near_edges(), count_.edges);
  if (count_.awaited == 0) {
    take_place(used, from.after, near, is_kept_back ? 1 : 0, from.within);
  } else {
    std::vector<completion_ptr> after(from.after.begin(), from.after.end());
    for (std::uint32_t i = 0; i < count_.awaited; ++i) after.push_back(awaited()[i].source);
    take_place(used, after, near, is_kept_back ? 1 : 0, from.within);
  }
  if (extras_ != nullptr) extras_->unwritten = static_cast<bool>(why());
}

direct_task::~direct_task() {
  std::destroy_n(uses(), count_.uses);
  if (count_.awaited > 0) std::destroy_n(awaited(), count_.awaited);
  if (count_.boxes > 0) std::destroy_n(boxes(), count_.boxes);
  if (count_.functions > 0) std::destroy_at(functions());
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
  if (context()->is_scope() || stop().stop_possible()) {
    watch_and_start();
  } else {
    start();
  }
  executor& where = home_.context().where();
  if (timeout >= time_stamp::max() - where.now()) return;
  where.call_at(where.now() + timeout, [task = boost::intrusive_ptr<direct_task>(this)] {
    task->tell({failure_code::timed_out, task->name() + " did not end within its time."});
  });
}

/// Starts the task. Who wished it to stop meanwhile finds either that it counts, or is found.
void direct_task::watch_and_start() {
  host_context& scope = *context();
  // Until the task has ended it keeps itself by these.
  const boost::intrusive_ptr<direct_task> self(this);
  if (scope.is_scope()) {
    extras_->by_scope.emplace(scope.stopping(), [task = self] {
      const boost::intrusive_ptr<direct_task> kept = task;
      if (kept->extras_->counts) kept->cancel(kept->context()->refusal_of(*kept));
    });
  }
  if (stop().stop_possible()) {
    extras_->by_stop.emplace(stop(), [task = self] {
      const boost::intrusive_ptr<direct_task> kept = task;
      if (kept->extras_->counts) kept->request_cancel();
    });
  }
  start();
  extras_->counts = true;
  if (scope.is_scope() && scope.stopping().stop_requested()) cancel(scope.refusal_of(*this));
  if (stop().stop_requested()) request_cancel();
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

void direct_task::discard() noexcept {
  if (extras_ != nullptr) {
    extras_->by_scope.reset();
    extras_->by_stop.reset();
  }
  for (direct_use& use : std::span(uses(), count_.uses)) use.data.reset();
  if (count_.awaited > 0) {
    for (awaited_number& each : std::span(awaited(), count_.awaited)) each.source.reset();
  }
  if (count_.functions > 0) *functions() = nullptr;
}

void direct_task::end(failure why, follow_ups& next) noexcept {
  const bool was_told = extras_ != nullptr && extras_->has_timeout && extras_->told.exchange(true);
  if (!was_told) return direct_node::end(std::move(why), next);
  discard();
  rest_is_over(next);
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
  const bool is_function = count_.functions > 0;
  const failure why = failure_of_launch(is_function ? std::string(called()) : kernel_->name);
  return {why.code(), name() + " failed: " + why.message(), why.thrown()};
}

void direct_task::convert_numbers() {
  for (std::uint32_t i = 0; i < count_.awaited; ++i) {
    const awaited_number& each = awaited()[i];
    scalar_argument& number = numbers()[each.index];
    number = each.convert(each.source->value(), number.type);
  }
}

buffer_argument direct_task::place(const direct_use& use, element_type type) const {
  buffer_argument made;
  made.type = type;
  made.strides = use.data->strides();
  if (use.where == &use.data->whole()) {
    made.extents = use.data->extents();
    if (use.data->bytes() > 0) made.base = use.data->order()->obtain(*this);
    return made;
  }
  made.extents = use.where->extents();
  if (use.where->empty()) return made;
  std::size_t first = 0;
  for (std::size_t d = 0; d < made.strides.size(); ++d) {
    first += use.where->begin[d] * made.strides[d];
  }
  made.base = use.data->order()->obtain(*this) + first * size_of(type);
  return made;
}

launch_shape direct_task::shape() const {
  launch_shape made;
  made.reserve(count_.uses);
  for (std::uint32_t i = 0; i < count_.uses; ++i) made.push_back(uses()[i].where->extents());
  return made;
}

void direct_task::execute() {
  if (count_.awaited > 0) convert_numbers();
  boost::container::small_vector<buffer_argument, 4> buffers;
  buffers.reserve(count_.uses + 1);
  const direct_use* use = uses();
  try {
    for (const parameter& p : kernel_->parameters) {
      if (p.is == parameter::kind::buffer) buffers.push_back(place(*use++, p.type));
    }
  } catch (const error& none_left) {
    throw no_room{none_left.why()};
  }
  if (kernel_->result) {
    buffers.push_back({value_, *kernel_->result, index_list(1, 1), index_list(1, 1)});
  }
  call({buffers.data(), buffers.size()});
  if (kernel_->result) set_value(value_);
}

double direct_task::flops(std::span<const buffer_argument> buffers) const {
  if (kernel_->estimate) return kernel_->estimate(shape()).flops;
  // As work_of() does, without a list of shapes.
  double most = 0;
  for (const buffer_argument& b : buffers.first(count_.uses)) {
    most = std::max(most, static_cast<double>(volume(b.extents)));
  }
  return most;
}

void direct_task::call(std::span<const buffer_argument> buffers) {
  const launch_function& body = count_.functions > 0 ? *functions() : kernel_->host;
  const body_width width = kernel_->width ? kernel_->width(shape()) : body_width::serial;
  const auto parts = std::max<std::size_t>(kernel_->sequence.size(), 1);
  const direct_runtime::counted counted(home_, parts, flops(buffers));
  call_on_host(home_.context().where(), home_.arena(), width, body, buffers,
               {numbers(), count_.numbers});
}

}  // namespace hocket::detail

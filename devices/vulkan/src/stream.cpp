// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "stream.hpp"

#include <algorithm>
#include <utility>

#include <boost/container/small_vector.hpp>

namespace hocket::vulkan {

namespace {

// Kernels are kept back for about as long, and so the first of them is heard of so much later.
constexpr nanoseconds kept_back{100'000};
constexpr std::size_t max_kept_back = 32;

}  // namespace

launch_stream::launch_stream(const parts& given, stream_id id, import_table* imports)
    : device_stream(given, id),
      imports_(imports),
      memory_(given.of, imports),
      compiler_(given.of),
      programs_([this](const kernel_ref& kernel, const kernel_source& source,
                       const program_variant& variant) {
        return compiler_.make(*kernel, source, variant);
      }),
      slots_([this] { return make_slot(of(), clock_.has_value()); }),
      watch_(given.of.name(), [this] {
        finish_next();
        return std::size_t{1};
      }) {}

result<std::unique_ptr<launch_stream>> launch_stream::make(const parts& given, stream_id id,
                                                           import_table* imports) {
  std::unique_ptr<launch_stream> made(new launch_stream(given, id, imports));
  if (failure why = made->start()) return why;
  return made;
}

failure launch_stream::start() {
  auto timeline = of().make_timeline();
  if (!timeline) return timeline.error();
  timeline_ = std::move(timeline).value();
  clock_ = measure_clock(of(), where());
  return memory_.make_nothing();
}

launch_stream::~launch_stream() { close(); }

bool launch_stream::prepared(const command& what) {
  if (again_ != nullptr) slots_.give_back(std::move(again_));
  again_ = slots_.take_recorded(*what.launch(), of().releases());
  if (again_ != nullptr) return true;
  if (next_.of != &what || next_.value != what.value) {
    next_ = {plan_launch<const program>(*what.launch(), kernel_format::glsl, of().info().style,
                                        of().name()),
             &what, what.value, nullptr};
  }
  if (next_.why) return true;  // enqueue says so
  if (!programs_.find(next_) || !has_scratch()) return false;
  const auto& launch = *what.launch();
  return imports_ == nullptr || std::ranges::all_of(launch.buffers, [&](const placed_buffer& b) {
           return b.where.chunk == nullptr || imports_->find(b.where) != nullptr;
         });
}

bool launch_stream::has_scratch() const {
  const std::uint64_t bytes = next_.scratch_words * sizeof(std::uint32_t);
  return bytes == 0 || (scratch_ != nullptr && scratch_->bytes >= bytes);
}

failure launch_stream::prepare(const command& what) {
  if (failure why = programs_.make(next_)) return why;
  if (!has_scratch()) {
    // Commands in flight keep the one they have.
    auto made = make_buffer(of(), next_.scratch_words * sizeof(std::uint32_t), 0,
                            VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (!made) return made.error();
    scratch_ = std::make_shared<const buffer>(std::move(made).value());
  }
  if (imports_ == nullptr) return {};
  for (const placed_buffer& b : what.launch()->buffers) {
    if (b.where.chunk == nullptr || imports_->find(b.where) != nullptr) continue;
    if (failure why = imports_->import(b.where)) return why;
  }
  return {};
}

failure launch_stream::enqueue(const command& what, std::span<const device_wait> waits) {
  std::unique_ptr<slot> used = std::move(again_);
  if (used == nullptr) {
    auto made = record_next(*what.launch());
    if (!made) return made.error();
    used = std::move(made).value();
  }
  const std::scoped_lock lock(waiting_guard_);
  waiting_.push_back({what.value, std::move(used), points_of(waits)});
  if (waiting_.size() > 1 || !may_submit()) return {};
  batch alone = take_batch();
  submit_batch(alone);
  if (alone.code == VK_SUCCESS) {
    keep(std::move(alone));
    return {};
  }
  slots_.give_back(std::move(alone.parts.front().used));
  return of().failed("cannot begin a launch", alone.code);
}

result<std::unique_ptr<slot>> launch_stream::record_next(const launch_command& what) {
  planned_launch now = std::exchange(next_, {});
  if (now.why) return now.why;
  if (now.scratch_words > 0) now.scratch = scratch_;
  auto taken = slots_.take();
  if (!taken) return taken;
  const std::uint64_t releases = of().releases();
  slot& used = *taken.value();
  if (failure why = record(of(), memory_, now, used)) {
    slots_.discard(std::move(taken).value());
    return why;
  }
  used.content = recorded_launch{what.kernel, what.buffers, what.scalars, releases};
  return taken;
}

void launch_stream::go_on() {
  const std::scoped_lock lock(waiting_guard_);
  while (may_submit()) {
    batch next = take_batch();
    submit_batch(next);
    keep(std::move(next));
  }
}

/// With two submissions the device has one to run and one to go on with.
bool launch_stream::may_submit() const {
  const bool enough = max_together_ > 1 && in_driver_.size() >= 2;
  return !waiting_.empty() && !enough && seen(waiting_.front().points);
}

launch_stream::batch launch_stream::take_batch() {
  batch made;
  do {
    made.parts.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  } while (made.parts.size() < max_together_ && !waiting_.empty() && seen(waiting_.front().points));
  return made;
}

void launch_stream::submit_batch(batch& what) {
  boost::container::small_vector<VkCommandBuffer, max_kept_back> commands;
  for (const recorded& r : what.parts) commands.push_back(r.used->commands);
  what.submitted = where().now();
  what.code =
      of().submit(of().compute(),
                  {{commands.data(), commands.size()}, timeline_.get(), what.parts.back().value});
}

void launch_stream::keep(batch what) {
  in_driver_.push_back(std::move(what));
  watch_.added();
}

void launch_stream::finish_next() {
  batch ended;
  {
    const std::scoped_lock lock(waiting_guard_);
    // The batch that is waited for stays in the count of those that the device has.
    ended.code = in_driver_.front().code;
    ended.parts.swap(in_driver_.front().parts);
    ended.submitted = in_driver_.front().submitted;
  }
  if (ended.code == VK_SUCCESS) ended.code = of().wait(timeline_.get(), ended.parts.back().value);
  std::vector<command_result> all = times_of(ended);
  {
    const std::scoped_lock lock(waiting_guard_);
    in_driver_.pop_front();
    const nanoseconds each = (all.back().end - all.front().begin) / all.size();
    const auto together = static_cast<std::size_t>(kept_back / std::max(each, nanoseconds(1)));
    max_together_ = std::clamp<std::size_t>(together, 1, max_kept_back);
  }
  // The device has to go on before the ends of its commands are reported.
  go_on();
  for (recorded& part : ended.parts) slots_.give_back(std::move(part.used));
  // A command that failed on the way has a number as well; driver_stream reports it.
  for (std::size_t i = 0, next = 0; i < all.size(); i = next) {
    const std::uint64_t first = ended.parts[i].value;
    for (next = i + 1; next < all.size() && ended.parts[next].value == first + next - i;) ++next;
    if (ended.code == VK_SUCCESS) {
      conclude(first, std::span(all).subspan(i, next - i));
    } else {
      for (std::size_t k = i; k < next; ++k) conclude(ended.parts[k].value, all[k], ended.code);
    }
  }
}

std::vector<command_result> launch_stream::times_of(const batch& ended) {
  // The device's clock may run off in time: nothing begins before it was submitted, or ends after
  // it was seen to.
  const time_stamp now = where().now();
  time_stamp earliest = std::max(ended.submitted, latest_);
  const time_stamp latest = std::max(earliest, now);
  std::vector<command_result> all;
  for (std::size_t left = ended.parts.size(); left > 0; --left) {
    // Where the device does not say, all have taken as long as one another.
    command_result how{{}, earliest, earliest + (latest - earliest) / left};
    const slot& used = *ended.parts[all.size()].used;
    const auto found =
        used.stamps && ended.code == VK_SUCCESS ? read_stamps(of(), used.stamps) : std::nullopt;
    if (found) {
      how.end = std::clamp(clock_->at(found->end), earliest, latest);
      how.begin = std::clamp(clock_->at(found->begin), earliest, how.end);
    }
    earliest = how.end;
    all.push_back(std::move(how));
  }
  latest_ = earliest;
  return all;
}

}  // namespace hocket::vulkan

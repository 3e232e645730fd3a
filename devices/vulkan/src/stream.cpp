// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "stream.hpp"

#include <algorithm>
#include <utility>

namespace hocket::vulkan {

namespace {

constexpr std::size_t max_kept_back = 32;

}  // namespace

launch_stream::launch_stream(const parts& given)
    : host_ordered_stream(given.domain, given.where, given.epoch, given.id),
      of_(given.of),
      imports_(given.imports),
      memory_(of_, imports_),
      compiler_(of_),
      planner_(kernel_format::glsl, of_.info().style, of_.name(),
               [this](const kernel_ref& kernel, const kernel_source& source,
                      const program_variant& variant) {
                 return compiler_.make(*kernel, source, variant);
               }),
      slots_([this] { return make_slot(of_, clock_.has_value()); }),
      commands_(of_.name(), {[](const auto& all, std::size_t) {
                               const auto ends = [](const commands::entry& e) {
                                 return e.item.ends_batch;
                               };
                               const auto last = std::ranges::find_if(all, ends);
                               return static_cast<std::size_t>(last - all.begin()) + 1;
                             },
                             [this](commands::entry& last) { wait_for(last); },
                             [this](auto ended, auto& results) { finish(ended, results); },
                             [this](std::uint64_t first, std::span<command_result> how) {
                               go_on();  // before the ends are reported
                               conclude(first, how);
                             }}) {}

result<std::unique_ptr<launch_stream>> launch_stream::make(const parts& given) {
  std::unique_ptr<launch_stream> made(new launch_stream(given));
  if (failure why = made->start()) return why;
  return made;
}

failure launch_stream::start() {
  auto timeline = of_.make_timeline();
  if (!timeline) return timeline.error();
  timeline_ = std::move(timeline).value();
  clock_ = measure_clock(of_, where());
  return memory_.make_nothing();
}

launch_stream::~launch_stream() { close(); }

bool launch_stream::prepared(const command& what) {
  if (again_ != nullptr) slots_.give_back(std::move(again_));
  again_ = slots_.take_recorded(*what.launch(), of_.releases());
  if (again_ != nullptr) return true;
  if (!planner_.prepared(what)) return false;
  if (planner_.plan().why) return true;  // enqueue says so
  return has_scratch() && has_imports(*what.launch());
}

bool launch_stream::has_imports(const launch_command& what) const {
  return imports_ == nullptr || std::ranges::all_of(what.buffers, [&](const placed_buffer& b) {
           return b.where.chunk == nullptr || imports_->find(b.where) != nullptr;
         });
}

bool launch_stream::has_scratch() const {
  const std::uint64_t bytes = planner_.plan().scratch_words * sizeof(std::uint32_t);
  return bytes == 0 || (scratch_ != nullptr && scratch_->bytes >= bytes);
}

failure launch_stream::prepare(const command& what) {
  if (failure why = planner_.prepare()) return why;
  if (!has_scratch()) {
    // Commands in flight keep the one they have.
    auto made = make_buffer(of_, planner_.plan().scratch_words * sizeof(std::uint32_t), 0,
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
  const VkResult code = submit_batch(alone);
  if (code == VK_SUCCESS) {
    keep(alone);
    return {};
  }
  slots_.give_back(std::move(alone.front().item.used));
  return of_.failed("cannot begin a launch", code);
}

result<std::unique_ptr<slot>> launch_stream::record_next(const launch_command& what) {
  launch_plan<const program>& now = planner_.plan();
  if (now.why) return now.why;
  // Copied first: an exception after the take would lose the recording.
  recorded_launch content{what.kernel, what.buffers, what.scalars, of_.releases()};
  auto taken = slots_.take();
  if (!taken) return taken;
  slot& used = *taken.value();
  if (failure why = record(of_, memory_, now, now.scratch_words > 0 ? scratch_ : nullptr, used)) {
    slots_.discard(std::move(taken).value());
    return why;
  }
  used.content = std::move(content);
  return taken;
}

void launch_stream::go_on() {
  const std::scoped_lock lock(waiting_guard_);
  while (may_submit()) {
    batch next = take_batch();
    next.back().item.code = submit_batch(next);
    keep(next);
  }
}

/// With two submissions the device has one to run and one to go on with.
bool launch_stream::may_submit() const {
  const bool enough = max_together() > 1 && batches_ >= 2;
  return !waiting_.empty() && !enough && seen(waiting_.front().points);
}

/// Kernels are kept back for about as long as an end may be reported late.
std::size_t launch_stream::max_together() const {
  return std::clamp<std::size_t>(commands_.most_together(), 1, max_kept_back);
}

launch_stream::batch launch_stream::take_batch() {
  batch made;
  const std::size_t most = max_together();
  do {
    made.push_back({waiting_.front().value, {std::move(waiting_.front().used)}, {}});
    waiting_.pop_front();
  } while (made.size() < most && !waiting_.empty() && seen(waiting_.front().points));
  made.back().item.ends_batch = true;
  return made;
}

VkResult launch_stream::submit_batch(batch& what) const {
  boost::container::small_vector<VkCommandBuffer, max_kept_back> buffers;
  const time_stamp now = where().now();
  for (commands::entry& e : what) {
    buffers.push_back(e.item.used->commands);
    e.handed = now;
  }
  return of_.submit(of_.compute(),
                    {{buffers.data(), buffers.size()}, timeline_.get(), what.back().value});
}

void launch_stream::keep(batch& what) {
  ++batches_;
  commands_.add({what.data(), what.size()});
}

void launch_stream::wait_for(commands::entry& last) const {
  if (last.item.code == VK_SUCCESS) last.item.code = of_.wait(timeline_.get(), last.value);
}

void launch_stream::finish(std::span<commands::entry> ended, std::vector<command_result>& results) {
  times_of(ended, results);
  for (commands::entry& e : ended) slots_.give_back(std::move(e.item.used));
  const std::scoped_lock lock(waiting_guard_);
  --batches_;
}

void launch_stream::times_of(std::span<const commands::entry> ended,
                             std::vector<command_result>& results) {
  const VkResult code = ended.back().item.code;
  const failure why = of_.lost(code);
  // The device's clock may run off in time: nothing begins before it was submitted, or ends after
  // it was seen to.
  time_stamp earliest = std::max(ended.front().handed, latest_);
  const time_stamp latest = std::max(earliest, where().now());
  std::size_t left = ended.size();
  for (const commands::entry& e : ended) {
    // Where the device does not say, all have taken as long as one another.
    command_result how{why, earliest, earliest + (latest - earliest) / left--};
    const owned_query_pool& stamps = e.item.used->stamps;
    const auto found = stamps && code == VK_SUCCESS ? read_stamps(of_, stamps) : std::nullopt;
    if (found) {
      how.end = std::clamp(clock_->at(found->end), earliest, latest);
      how.begin = std::clamp(clock_->at(found->begin), earliest, how.end);
    }
    earliest = how.end;
    results.push_back(std::move(how));
  }
  latest_ = earliest;
}

}  // namespace hocket::vulkan

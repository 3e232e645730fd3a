// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "stream.hpp"

#include <algorithm>
#include <utility>

namespace hocket::vulkan {

launch_stream::launch_stream(const parts& given, stream_id id, import_table* imports)
    : device_stream(given, id),
      imports_(imports),
      memory_(given.of, imports),
      programs_(given.of),
      pump_(given.of.name()) {}

result<std::unique_ptr<launch_stream>> launch_stream::make(const parts& given, stream_id id,
                                                           import_table* imports) {
  std::unique_ptr<launch_stream> made(new launch_stream(given, id, imports));
  if (failure why = made->start()) return why;
  return made;
}

failure launch_stream::start() {
  auto timeline = of().make_timeline();
  if (!timeline) return timeline.why();
  timeline_ = std::move(timeline).value();
  clock_ = clock::measure(of(), where());
  return memory_.make_nothing();
}

launch_stream::~launch_stream() { close(); }

bool launch_stream::prepared(const command& what) {
  if (next_.value != what.value) next_ = plan(of(), what);
  if (next_.why) return true;  // enqueue says so
  const auto& launch = std::get<launch_command>(what.what);
  if (next_.made == nullptr) {
    next_.made = programs_.find(*launch.kernel, *next_.source, next_.lowered.variant);
  }
  if (next_.made == nullptr || !has_scratch()) return false;
  return imports_ == nullptr || std::ranges::all_of(launch.buffers, [&](const placed_buffer& b) {
           return b.where.chunk == nullptr || imports_->find(b.where) != nullptr;
         });
}

bool launch_stream::has_scratch() const {
  const std::uint64_t bytes = next_.lowered.scratch_words * sizeof(std::uint32_t);
  return bytes == 0 || (scratch_ != nullptr && scratch_->bytes >= bytes);
}

failure launch_stream::prepare(const command& what) {
  const auto& launch = std::get<launch_command>(what.what);
  if (next_.made == nullptr) {
    auto made = programs_.make(launch.kernel, *next_.source, next_.lowered.variant);
    if (!made) return made.why();
    next_.made = std::move(made).value();
  }
  if (!has_scratch()) {
    // Commands in flight keep the one they have.
    auto made = make_buffer(of(), next_.lowered.scratch_words * sizeof(std::uint32_t), 0,
                            VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (!made) return made.why();
    scratch_ = std::make_shared<const buffer>(std::move(made).value());
  }
  if (imports_ == nullptr) return {};
  for (const placed_buffer& b : launch.buffers) {
    if (b.where.chunk == nullptr || imports_->find(b.where) != nullptr) continue;
    if (failure why = imports_->import(b.where)) return why;
  }
  return {};
}

failure launch_stream::enqueue(const command& what, std::span<const device_wait> waits) {
  planned_launch now = std::exchange(next_, {});
  if (now.why) return now.why;
  if (now.lowered.scratch_words > 0) now.scratch = scratch_;
  auto taken = take_slot();
  if (!taken) return taken.why();
  std::unique_ptr<slot> used = std::move(taken).value();
  if (failure why = record(of(), memory_, std::get<launch_command>(what.what), now, *used)) {
    give_back(std::move(used));
    return why;
  }
  recorded next{what.value, std::move(used), points_of(waits)};
  const std::scoped_lock lock(waiting_guard_);
  if (!waiting_.empty() || !seen(next.points)) {
    waiting_.push_back(std::move(next));
    return {};
  }
  const VkResult code = submit(next);
  if (code == VK_SUCCESS) return {};
  give_back(std::move(next.used));
  return of().failed("cannot begin a launch", code);
}

void launch_stream::go_on() {
  const std::scoped_lock lock(waiting_guard_);
  while (!waiting_.empty() && seen(waiting_.front().points)) {
    recorded next = std::move(waiting_.front());
    waiting_.pop_front();
    const VkResult code = submit(next);
    if (code == VK_SUCCESS) continue;
    pump_.post([this, value = next.value, code] { give_up(value, code); });
    give_back(std::move(next.used));
  }
}

VkResult launch_stream::submit(recorded& what) {
  const submission one{what.used->commands, timeline_.get(), what.value};
  const time_stamp submitted = where().now();
  const VkResult code = of().submit(of().compute(), one);
  if (code != VK_SUCCESS) return code;
  // A function that can be copied cannot hold the slot itself.
  auto held = std::make_shared<std::unique_ptr<slot>>(std::move(what.used));
  pump_.post([this, value = what.value, submitted, held = std::move(held)] {
    see_through(value, std::move(*held), submitted);
  });
  return VK_SUCCESS;
}

result<std::unique_ptr<slot>> launch_stream::take_slot() {
  {
    const std::scoped_lock lock(slots_guard_);
    if (!free_.empty()) {
      std::unique_ptr<slot> taken = std::move(free_.back());
      free_.pop_back();
      return taken;
    }
  }
  return make_slot(of(), clock_.has_value());
}

void launch_stream::give_back(std::unique_ptr<slot> used) {
  used->uses.reset();
  used->scratch.reset();
  const std::scoped_lock lock(slots_guard_);
  free_.push_back(std::move(used));
}

void launch_stream::see_through(std::uint64_t value, std::unique_ptr<slot> used,
                                time_stamp submitted) {
  const VkResult code = of().wait(timeline_.get(), value);
  command_result how{{}, submitted, submitted};
  if (code == VK_SUCCESS) {
    how = timed(*used, submitted);
    latest_ = how.end;
  }
  give_back(std::move(used));
  conclude(value, how, code);
}

void launch_stream::give_up(std::uint64_t value, VkResult code) {
  const time_stamp now = where().now();
  conclude(value, {{}, now, now}, code);
}

command_result launch_stream::timed(const slot& used, time_stamp submitted) {
  // The device's clock may run off in time: nothing begins before it was submitted, or ends after
  // it was seen to.
  const time_stamp earliest = std::max(submitted, latest_);
  command_result how{{}, earliest, std::max(earliest, where().now())};
  const auto found = used.stamps ? read_stamps(of(), used.stamps) : std::nullopt;
  if (!found) return how;
  how.end = std::clamp(clock_->at(found->end), earliest, how.end);
  how.begin = std::clamp(clock_->at(found->begin), earliest, how.end);
  return how;
}

}  // namespace hocket::vulkan

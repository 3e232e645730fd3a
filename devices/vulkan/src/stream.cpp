// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "stream.hpp"

#include <algorithm>
#include <utility>

namespace hocket::vulkan {

launch_stream::launch_stream(const parts& given, stream_id id, import_table* imports)
    : timeline_stream(given, id),
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
  if (failure why = make_timeline()) return why;
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
  failure why = record(of(), memory_, std::get<launch_command>(what.what), now, *used);
  const time_stamp submitted = where().now();
  if (!why) {
    const VkResult code = submit(used->commands, what.value, waits);
    if (code != VK_SUCCESS) why = of().failed("cannot begin a launch", code);
  }
  if (why) {
    give_back(std::move(used));
    return why;
  }
  // A function that can be copied cannot hold the slot itself.
  auto held = std::make_shared<std::unique_ptr<slot>>(std::move(used));
  pump_.post([this, value = what.value, submitted, held = std::move(held)] {
    see_through(value, std::move(*held), submitted);
  });
  return {};
}

VkResult launch_stream::submit(VkCommandBuffer commands, std::uint64_t value,
                               std::span<const device_wait> waits) {
  std::vector<VkSemaphore> timelines;
  std::vector<std::uint64_t> values;
  for (const wait_point& p : points_of(waits)) {
    timelines.push_back(p.timeline);
    values.push_back(p.value);
  }
  const submission one{commands, timelines, values, timeline(), value};
  return of().submit(of().compute(), {&one, 1});
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
  const VkResult code = of().wait(timeline(), value);
  command_result how{{}, submitted, submitted};
  if (code == VK_SUCCESS) {
    how = timed(*used, submitted);
    latest_ = how.end;
  }
  give_back(std::move(used));
  conclude(value, how, code);
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

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "stream.hpp"

#include <algorithm>

namespace hocket::vulkan {

launch_stream::launch_stream(const parts& given)
    : batching_stream(given.domain, given.where, given.epoch, given.id, given.of.name()),
      of_(given.of),
      imports_(given.imports),
      memory_(of_, imports_),
      compiler_(of_),
      planner_(of_.info().formats, of_.info().style, of_.name(),
               [this](const kernel_ref& kernel, const kernel_source& source,
                      const program_variant& variant) {
                 return compiler_.make(*kernel, source, variant);
               }),
      slots_([this] { return make_slot(of_, clock_.has_value()); }) {}

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
    auto made = import_host(of_, b.where);
    if (!made) return made.error();
    imports_->add(b.where, std::move(made).value());
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
  return hand_over(what.value, waits, std::move(used));
}

result<std::unique_ptr<slot>> launch_stream::record_next(const launch_command& what) {
  launch_plan<const program>& now = planner_.plan();
  if (now.why) return now.why;
  // The commands of a native body may differ from call to call.
  const bool is_native = std::ranges::any_of(
      now.parts, [](const auto& part) { return static_cast<bool>(part.source->native); });
  const recording_use use = is_native ? recording_use::once : recording_use::again;
  return slots_.record(what, of_.releases(), use, [&](slot& used) {
    return record(of_, memory_, now, now.scratch_words > 0 ? scratch_ : nullptr, used);
  });
}

failure launch_stream::submit_together(std::span<const entry> together) {
  boost::container::small_vector<VkCommandBuffer, max_together> buffers;
  for (const entry& e : together) buffers.push_back(e.item.of->commands);
  const VkResult code = of_.submit(
      of_.compute(), {{buffers.data(), buffers.size()}, timeline_.get(), together.back().value});
  return code == VK_SUCCESS ? failure() : of_.failed("cannot begin a launch", code);
}

failure launch_stream::wait(std::uint64_t value) {
  return of_.lost(of_.wait(timeline_.get(), value));
}

std::optional<launch_stream::interval> launch_stream::times(const std::unique_ptr<slot>& of) const {
  const auto found = of->stamps ? read_stamps(of_, of->stamps) : std::nullopt;
  if (!found) return std::nullopt;
  return interval{clock_->at(found->begin), clock_->at(found->end)};
}

}  // namespace hocket::vulkan

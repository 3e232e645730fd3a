// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "launch.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>

#include <hocket/devices/device.hpp>

#include "errors.hpp"

namespace hocket::cuda {

namespace {

/// Every device takes as many.
constexpr std::size_t max_argument_bytes = 4096;

}  // namespace

launcher::launcher(std::shared_ptr<context> in, const launch_limits& limits, std::string device)
    : in_(std::move(in)),
      limits_(limits),
      device_(std::move(device)),
      planner_(
          kernel_format::cuda_c, device_style::gpu, device_,
          [this](const kernel_ref& kernel, const kernel_source& source,
                 const program_variant& variant) { return compile(*kernel, source, variant); }) {}

launcher::~launcher() {
  if (in_->driver().gone) return;
  const current in(*in_);
  for (const device_address block : scratch_) (void)in_->driver().cuMemFree_v2(block);
}

bool launcher::prepared(const command& what) {
  const bool has_programs = planner_.prepared(what);
  const launch_plan<compiled>& plan = planner_.plan();
  return has_programs && (plan.why || plan.scratch_words <= scratch_words_);
}

failure launcher::prepare() {
  const current in(*in_);
  if (in.why() != success) return failure_of(in.why(), device_, "to compile a kernel");
  if (failure why = planner_.prepare()) return why;
  return grow_scratch(planner_.plan().scratch_words);
}

result<std::shared_ptr<launcher::compiled>> launcher::compile(const kernel_definition& kernel,
                                                              const kernel_source& source,
                                                              const program_variant& variant) {
  if (failure why = check_limits(kernel, source, variant)) return why;
  auto made = std::make_shared<compiled>();
  for (std::size_t pass = 0; pass < source.passes.size(); ++pass) {
    const std::string text = cuda_program(kernel, source, pass, variant);
    auto function = in_->programs().get(text, kernel.name, device_);
    if (!function) return function.error();
    made->passes.push_back(function.value());
  }
  return made;
}

failure launcher::check_limits(const kernel_definition& kernel, const kernel_source& source,
                               const program_variant& variant) const {
  const std::size_t bytes = argument_words(kernel, variant) * sizeof(std::uint32_t) +
                            (variant.ranks.size() + 1) * sizeof(device_address);
  if (bytes > max_argument_bytes) {
    return compile_failure(device_, kernel.name,
                           "its arguments have " + std::to_string(bytes) +
                               " bytes, and the device allows " +
                               std::to_string(max_argument_bytes) + ".");
  }
  return check_groups(kernel, source, limits_.max_local, limits_.max_items, device_);
}

failure launcher::grow_scratch(std::size_t words) {
  if (words <= scratch_words_) return {};
  const std::size_t wanted = std::max(words, 2 * scratch_words_);
  const std::size_t bytes = wanted * sizeof(std::uint32_t);
  device_address made = 0;
  const code answer = in_->driver().cuMemAlloc_v2(&made, bytes);
  if (answer != success) {
    return allocation_failure(answer, device_, bytes, "as scratch of a kernel");
  }
  scratch_.push_back(made);
  scratch_words_ = wanted;
  return {};
}

failure launcher::enqueue(stream_handle stream) {
  const launch_plan<compiled>& launches = planner_.plan();
  if (launches.why) return launches.why;
  for (const launch_part<compiled>& part : launches.parts) {
    if (failure why = enqueue(part, stream)) return why;
  }
  return {};
}

/// Every device takes as many groups.
failure launcher::check_grid(const launch_part<compiled>& what, const grid& groups) const {
  constexpr grid most{INT32_MAX, UINT16_MAX, UINT16_MAX};
  for (std::size_t d = 0; d < most.size(); ++d) {
    if (groups[d] <= most[d]) continue;
    return {failure_code::task_failed, device_title(device_) + " cannot launch kernel \"" +
                                           what.what->kernel->name + "\": it has " +
                                           std::to_string(groups[d]) + " groups in dimension " +
                                           std::to_string(d) + ", and CUDA allows " +
                                           std::to_string(most[d]) + ". Smaller tiles have fewer."};
  }
  return {};
}

failure launcher::enqueue(const launch_part<compiled>& what, stream_handle stream) {
  assert(what.made != nullptr);
  std::vector<device_address> buffers;
  for (const placed_buffer& b : what.what->buffers) buffers.push_back(address_of(b.where));
  if (what.source->scratch) buffers.push_back(scratch_.empty() ? 0 : scratch_.back());
  std::vector<void*> arguments;
  for (device_address& buffer : buffers) arguments.push_back(&buffer);
  for (std::size_t i = 0; i < what.lowered.passes.size(); ++i) {
    const lowered_pass& pass = what.lowered.passes[i];
    if (!pass.has_work()) continue;
    std::vector<std::uint32_t> words = pass.words;
    arguments.resize(buffers.size());
    arguments.push_back(words.data());
    const grid& local = what.source->passes[i].local;
    if (failure why = check_grid(what, pass.groups)) return why;
    const auto of = [](const grid& counts, std::size_t d) {
      return static_cast<unsigned>(counts[d]);
    };
    const code answer = in_->driver().cuLaunchKernel(
        what.made->passes[i], of(pass.groups, 0), of(pass.groups, 1), of(pass.groups, 2),
        of(local, 0), of(local, 1), of(local, 2), 0, stream, arguments.data(), nullptr);
    if (answer == success) continue;
    return failure_of(answer, device_, "to launch kernel \"" + what.what->kernel->name + "\"");
  }
  return {};
}

}  // namespace hocket::cuda

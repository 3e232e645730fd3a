// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "launch.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "describe.hpp"
#include "errors.hpp"

namespace hocket::opencl {

namespace {

result<lowered_launch> lower_command(const launch_command& what, const kernel_source& source) {
  boost::container::small_vector<device_argument, 4> arguments;
  for (const placed_buffer& b : what.buffers) arguments.push_back({b.type, &b.extents, &b.region});
  return lower(*what.kernel, source, {arguments.data(), arguments.size()}, what.scalars);
}

bool has_work(const lowered_pass& pass) {
  return std::ranges::all_of(pass.groups, [](std::size_t n) { return n > 0; });
}

}  // namespace

bool launcher::prepared(const command& what) {
  const auto& launch = std::get<launch_command>(what.what);
  const kernel_source* const source = source_for(*launch.kernel, kernel_format::opencl_c, style_);
  if (value_ != what.value) {
    value_ = what.value;
    if (source == nullptr) {
      lowered_ = failure(failure_code::task_failed, "Kernel \"" + launch.kernel->name +
                                                        "\" has no body in OpenCL C for \"" +
                                                        device_ + "\".");
    } else {
      lowered_ = lower_command(launch, *source);
    }
  }
  ready_ = nullptr;
  if (!lowered_) return true;
  const auto known = kernels_.find(launch.kernel);
  if (known == kernels_.end()) return false;
  const auto variant = known->second.find(lowered_.value().variant);
  if (variant == known->second.end()) return false;
  ready_ = &variant->second;
  return true;
}

failure launcher::prepare(const command& what) {
  const auto& launch = std::get<launch_command>(what.what);
  std::erase_if(kernels_, [](const auto& entry) { return entry.first.expired(); });
  const kernel_source& source = *source_for(*launch.kernel, kernel_format::opencl_c, style_);
  auto made = compile(*launch.kernel, source, lowered_.value().variant);
  if (!made) return made.why();
  kernels_[launch.kernel].emplace(lowered_.value().variant, std::move(made).value());
  return {};
}

result<launcher::compiled> launcher::compile(const kernel_definition& kernel,
                                             const kernel_source& source,
                                             const program_variant& variant) {
  if (failure why = check_limits(kernel, source, variant)) return why;
  compiled made{&source, {}};
  for (std::size_t pass = 0; pass < source.passes.size(); ++pass) {
    const std::string text = opencl_program(kernel, source, pass, variant);
    auto program = context_->programs().get(text, kernel.name, device_);
    if (!program) return program.why();
    cl_int code = CL_SUCCESS;
    const cl_kernel object = context_->cl().clCreateKernel(program.value(), "hocket_main", &code);
    if (object == nullptr) return compile_failure(kernel.name, device_, code, "it has no kernel.");
    made.passes.emplace_back(context_->cl(), object);
  }
  return made;
}

failure launcher::check_limits(const kernel_definition& kernel, const kernel_source& source,
                               const program_variant& variant) const {
  const api& cl = context_->cl();
  const auto refuse = [&](const std::string& what, std::size_t given, std::size_t allowed) {
    return failure(failure_code::compile_failed,
                   "Kernel \"" + kernel.name + "\" has " + what + " of " + std::to_string(given) +
                       "; device \"" + device_ + "\" allows " + std::to_string(allowed) + ".");
  };
  const std::size_t block = argument_words(kernel, variant) * sizeof(std::uint32_t);
  const std::size_t pointers = (variant.ranks.size() + 1) * sizeof(void*);
  const auto most =
      number_of<std::size_t>(cl, id_, CL_DEVICE_MAX_PARAMETER_SIZE).value_or(block + pointers);
  if (block + pointers > most) return refuse("bytes of arguments", block + pointers, most);
  const auto group = number_of<std::size_t>(cl, id_, CL_DEVICE_MAX_WORK_GROUP_SIZE).value_or(0);
  for (const kernel_pass& pass : source.passes) {
    const std::size_t wanted = pass.local[0] * pass.local[1] * pass.local[2];
    if (wanted > group) return refuse("groups", wanted, group);
  }
  return {};
}

failure launcher::grow_scratch(std::size_t words) {
  if (words <= scratch_words_) return {};
  cl_int code = CL_SUCCESS;
  // Commands that use the old one keep it.
  scratch_ = {context_->cl(),
              context_->cl().clCreateBuffer(context_->get(), CL_MEM_READ_WRITE,
                                            words * sizeof(std::uint32_t), nullptr, &code)};
  scratch_words_ = scratch_ ? words : 0;
  if (scratch_) return {};
  return no_memory(device_, words * sizeof(std::uint32_t),
                   "its driver says " + name_of(code) + ", as scratch of a kernel.");
}

cl_int launcher::set_arguments(cl_kernel kernel, std::span<const buffer_use> buffers,
                               const kernel_source& source, const lowered_pass& pass) const {
  const api& cl = context_->cl();
  cl_uint at = 0;
  cl_int code = CL_SUCCESS;
  const auto set = [&](std::size_t bytes, const void* value) {
    if (code == CL_SUCCESS) code = cl.clSetKernelArg(kernel, at++, bytes, value);
  };
  for (const buffer_use& b : buffers) set(sizeof b.object, &b.object);
  const cl_mem scratch = scratch_ ? scratch_.get() : nullptr;
  if (source.scratch) set(sizeof scratch, &scratch);
  set(pass.words.size() * sizeof pass.words[0], pass.words.data());
  return code;
}

enqueued launcher::enqueue(cl_command_queue queue, const launch_command& what,
                           std::span<const cl_event> waits) {
  enqueued made;
  if (!lowered_) {
    made.why = lowered_.why();
    return made;
  }
  assert(ready_ != nullptr);
  const lowered_launch& lowered = lowered_.value();
  boost::container::small_vector<buffer_use, 4> buffers;
  for (const placed_buffer& b : what.buffers) {
    auto used = context_->buffers().use(b.where, host_memory_, device_);
    if (!used) {
      made.why = used.why();
      return made;
    }
    buffers.push_back(std::move(used).value());
  }
  made.why =
      grow_scratch(ready_->source->scratch ? std::max<std::size_t>(lowered.scratch_words, 1) : 0);
  const api& cl = context_->cl();
  for (std::size_t i = 0; i < lowered.passes.size() && !made.why; ++i) {
    const lowered_pass& pass = lowered.passes[i];
    if (!has_work(pass)) continue;
    const cl_kernel kernel = ready_->passes[i].get();
    const grid& local = ready_->source->passes[i].local;
    grid global{};
    for (std::size_t d = 0; d < global.size(); ++d) global[d] = pass.groups[d] * local[d];
    cl_int code = set_arguments(kernel, {buffers.data(), buffers.size()}, *ready_->source, pass);
    cl_event event = nullptr;
    if (code == CL_SUCCESS) {
      code = cl.clEnqueueNDRangeKernel(queue, kernel, 3, nullptr, global.data(), local.data(),
                                       static_cast<cl_uint>(waits.size()),
                                       waits.empty() ? nullptr : waits.data(), &event);
    }
    if (code != CL_SUCCESS) {
      made.why = failure_of(code, device_, "to launch kernel \"" + what.kernel->name + "\"");
      break;
    }
    waits = {};
    if (made.last && !made.first) made.first = std::move(made.last);
    made.last = handle<cl_event>(cl, event);
  }
  return made;
}

}  // namespace hocket::opencl

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "launch.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include <hocket/devices/native_call.hpp>
#include <hocket/kernels/native.hpp>

#include "describe.hpp"
#include "errors.hpp"

namespace hocket::opencl {

result<std::shared_ptr<launcher::compiled>> launcher::compile(const kernel_definition& kernel,
                                                              const kernel_source& source,
                                                              const program_variant& variant) {
  auto made = std::make_shared<compiled>();
  if (source.native) return made;
  if (failure why = check_limits(kernel, source, variant)) return why;
  for (std::size_t pass = 0; pass < source.passes.size(); ++pass) {
    const std::string text = opencl_program(kernel, source, pass, variant);
    auto program = context_->programs().get(text, kernel.name, device_);
    if (!program) return program.error();
    cl_int code = CL_SUCCESS;
    const cl_kernel object = context_->cl().clCreateKernel(program.value(), "hocket_main", &code);
    if (object == nullptr) return not_made(kernel.name, code);
    made->passes.emplace_back().kernel = handle<cl_kernel>(context_->cl(), object);
  }
  return made;
}

/// The kernel is not refused if its device is short of something or lost.
failure launcher::not_made(const std::string& kernel, cl_int code) const {
  failure why = failure_of(code, device_, "to make kernel \"" + kernel + "\"");
  if (why.code() != failure_code::task_failed) return why;
  return compile_failure(device_, kernel, "it has no kernel: " + name_of(code));
}

failure launcher::check_limits(const kernel_definition& kernel, const kernel_source& source,
                               const program_variant& variant) const {
  const api& cl = context_->cl();
  const std::size_t block = argument_words(kernel, source, variant) * sizeof(std::uint32_t);
  const std::size_t pointers = (variant.ranks.size() + 1) * sizeof(void*);
  const auto most =
      number_of<std::size_t>(cl, id_, CL_DEVICE_MAX_PARAMETER_SIZE).value_or(block + pointers);
  if (block + pointers > most) {
    return compile_failure(device_, kernel.name,
                           "its arguments have " + std::to_string(block + pointers) +
                               " bytes, and the device allows " + std::to_string(most) + ".");
  }
  // A driver that does not say it refuses the launch.
  constexpr auto any = std::numeric_limits<std::size_t>::max();
  const auto group = number_of<std::size_t>(cl, id_, CL_DEVICE_MAX_WORK_GROUP_SIZE).value_or(any);
  return check_groups(kernel, source, {group, group, group}, group, device_);
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

cl_int launcher::set_arguments(pass_object& object, const found_buffers& buffers, bool has_scratch,
                               const lowered_pass& pass) {
  // While the command is enqueued its buffers stay the same objects, and as long as none is given
  // back; later ones may be others with the same address.
  const bool same_objects =
      object.set_by == planner_.value() ||
      (object.set_by != 0 && object.releases == context_->buffers().releases());
  if (same_objects && object.words == pass.words && object.buffers == buffers.objects) {
    return CL_SUCCESS;
  }
  const api& cl = context_->cl();
  cl_uint at = 0;
  cl_int code = CL_SUCCESS;
  const auto set = [&](std::size_t bytes, const void* value) {
    if (code == CL_SUCCESS) code = cl.clSetKernelArg(object.kernel.get(), at++, bytes, value);
  };
  for (const cl_mem& buffer : buffers.objects) set(sizeof buffer, &buffer);
  object.buffers = buffers.objects;
  object.releases = buffers.releases;
  const cl_mem more = scratch_ ? scratch_.get() : nullptr;
  if (has_scratch) set(sizeof more, &more);
  set(pass.words.size() * sizeof pass.words[0], pass.words.data());
  object.words = pass.words;
  // Another part may make the scratch memory grow.
  object.set_by = code == CL_SUCCESS && !has_scratch ? planner_.value() : 0;
  return code;
}

enqueued launcher::enqueue(cl_command_queue queue, std::span<const cl_event> waits,
                           start_gate& gate) {
  progress now{queue, waits, 0, {}};
  launch_plan<compiled>& launches = planner_.plan();
  if (launches.why) {
    now.made.why = launches.why;
    return std::move(now.made);
  }
  for_each_pass(launches, [&](std::size_t, std::size_t, bool) { ++now.left; });
  std::vector<found_buffers>& found = planner_.kept();
  found.resize(launches.parts.size());
  for (std::size_t i = 0; i < launches.parts.size() && !now.made.why; ++i) {
    enqueue(launches.parts[i], found[i], now);
  }
  if (now.made.why && now.made.last) {
    // The commands that the queue has got end with this marker.
    cl_event event = nullptr;
    if (context_->cl().clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event) == CL_SUCCESS) {
      now.made.last = handle<cl_event>(context_->cl(), event);
    } else {
      // To block here is better than to let go of memory that the queue still uses.
      gate.open();
      (void)context_->cl().clFinish(queue);
    }
  }
  return std::move(now.made);
}

/// Asks for them only if the buffers found last may be other ones by now.
failure launcher::find_buffers(const part& of, found_buffers& found) {
  buffer_table& buffers = context_->buffers();
  if (found.known && found.releases == buffers.releases()) return {};
  found.known = false;
  found.releases = buffers.releases();
  found.objects.clear();
  for (const placed_buffer& b : of.what->buffers) {
    auto used = buffers.use(b.where, host_memory_, device_);
    if (!used) return used.error();
    found.objects.push_back(used.value());
  }
  found.known = true;
  return {};
}

void launcher::enqueue(part& what, found_buffers& found, progress& now) {
  assert(what.made != nullptr);
  now.made.why = find_buffers(what, found);
  if (now.made.why) return;
  if (what.source->native) return enqueue_native(what, found, now);
  const bool scratch = static_cast<bool>(what.source->scratch);
  if (scratch) {
    now.made.why = grow_scratch(std::max<std::size_t>(what.lowered.scratch_words, 1));
  }
  for (std::size_t i = 0; i < what.lowered.passes.size() && !now.made.why; ++i) {
    const lowered_pass& pass = what.lowered.passes[i];
    if (!pass.has_work()) continue;
    pass_object& object = what.made->passes[pass.pass];
    cl_int code = set_arguments(object, found, scratch, pass);
    if (code == CL_SUCCESS) code = launch(object, what.source->passes[pass.pass].local, pass, now);
    if (code == CL_SUCCESS) continue;
    now.made.why =
        failure_of(code, device_, "to launch kernel \"" + what.what->kernel->name + "\"");
  }
}

/// Barriers before and behind the body's commands, which it does not tell of.
void launcher::enqueue_native(const part& what, const found_buffers& found, progress& now) {
  cl_int code = mark(now);
  if (code == CL_SUCCESS) {
    const opencl_place place{context_->get(), id_, now.queue};
    const auto object = [&](std::size_t i) { return native_object{found.objects[i]}; };
    now.made.why = call_native(*what.source, *what.what, &place, object);
    --now.left;
    // Behind a failed one the caller puts a marker.
    if (!now.made.why && now.left == 0) code = mark(now);
  }
  if (code == CL_SUCCESS) return;
  now.made.why = failure_of(code, device_, "to launch kernel \"" + what.what->kernel->name + "\"");
}

/// A barrier: commands before it have ended when its event has, and those behind it wait for it.
cl_int launcher::mark(progress& now) {
  const api& cl = context_->cl();
  cl_event event = nullptr;
  const cl_int code =
      cl.clEnqueueBarrierWithWaitList(now.queue, static_cast<cl_uint>(now.waits.size()),
                                      now.waits.empty() ? nullptr : now.waits.data(), &event);
  if (code != CL_SUCCESS) return code;
  now.waits = {};
  note(event, now.made);
  return code;
}

/// Only the first and the last one are asked about.
cl_int launcher::launch(pass_object& object, const grid& local, const lowered_pass& pass,
                        progress& now) {
  const api& cl = context_->cl();
  grid global{};
  for (std::size_t d = 0; d < global.size(); ++d) global[d] = pass.groups[d] * local[d];
  enqueued& made = now.made;
  --now.left;
  const bool asked = !made.last || now.left == 0;
  cl_event event = nullptr;
  const cl_int code = cl.clEnqueueNDRangeKernel(
      now.queue, object.kernel.get(), 3, nullptr, global.data(), local.data(),
      static_cast<cl_uint>(now.waits.size()), now.waits.empty() ? nullptr : now.waits.data(),
      asked ? &event : nullptr);
  if (code != CL_SUCCESS) return code;
  now.waits = {};
  if (asked) note(event, made);
  return code;
}

void launcher::note(cl_event event, enqueued& made) const {
  if (made.last && !made.first) made.first = std::move(made.last);
  made.last = handle<cl_event>(context_->cl(), event);
}

}  // namespace hocket::opencl

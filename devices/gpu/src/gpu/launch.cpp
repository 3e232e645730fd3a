// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/launch.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <utility>

#include <hocket/devices/device.hpp>
#include <hocket/devices/native_call.hpp>

#include "gpu/errors.hpp"

namespace hocket::gpu {

namespace {

/// Every device takes as many.
constexpr std::size_t max_argument_bytes = 4096;

/// Of the factors.
element_type product_type(const kernel_definition& kernel) {
  return std::ranges::find(kernel.parameters, parameter::kind::buffer, &parameter::is)->type;
}

}  // namespace

launcher::launcher(std::shared_ptr<context> in, const launch_limits& limits, std::string device)
    : in_(std::move(in)),
      limits_(limits),
      device_(std::move(device)),
      planner_(
          {in_->driver().commands(), kernel_format::cuda_c}, device_style::gpu, device_,
          [this](const kernel_ref& kernel, const kernel_source& source,
                 const program_variant& variant) { return compile(*kernel, source, variant); }) {}

void launcher::close() {
  if (in_->driver().gone) {
    if (products_ != nullptr) products_->abandon();
    return;
  }
  products_.reset();
  for (const device_address block : scratch_) (void)in_->driver().memory_free(block);
  scratch_.clear();
}

bool launcher::prepared(const command& what) {
  const bool has_programs = planner_.prepared(what);
  const launch_plan<compiled>& plan = planner_.plan();
  return has_programs && (plan.why || plan.scratch_words <= scratch_words_);
}

failure launcher::prepare() {
  const current in(*in_);
  if (in.why() != success)
    return failure_of(in_->driver(), in.why(), device_, "to compile a kernel");
  if (failure why = planner_.prepare()) return why;
  return grow_scratch(planner_.plan().scratch_words);
}

result<std::shared_ptr<launcher::compiled>> launcher::compile(const kernel_definition& kernel,
                                                              const kernel_source& source,
                                                              const program_variant& variant) {
  auto made = std::make_shared<compiled>();
  if (source.native) return made;
  const program_store& programs = in_->programs();
  if (source.product && in_->products().multiplies(product_type(kernel), programs.architecture())) {
    if (failure why = start_products()) return why;
    if (products_ != nullptr) made->product = source.product;
    if (made->product) return made;
  }
  if (failure why = check_limits(kernel, source, variant)) return why;
  for (std::size_t pass = 0; pass < source.passes.size(); ++pass) {
    const std::string text = programs.with().program(kernel, source, pass, variant);
    auto function = in_->programs().get(text, kernel.name, device_);
    if (!function) return function.error();
    made->passes.push_back(function.value());
  }
  return made;
}

/// Where there is no library, or it does not start, products are made by the kernels' texts.
failure launcher::start_products() {
  if (products_ != nullptr || has_no_products_) return {};
  const result<bool> opened = in_->products().open();
  if (!opened) return opened.error();
  has_no_products_ = !opened.value();
  if (has_no_products_) return {};
  auto made = in_->products().start(device_);
  has_no_products_ = !made;
  if (made) {
    products_ = std::move(made).value();
  } else {
    std::fprintf(stderr, "hocket: %s It makes products by the kernels' texts.\n",
                 made.error().message().c_str());
  }
  return {};
}

failure launcher::check_limits(const kernel_definition& kernel, const kernel_source& source,
                               const program_variant& variant) const {
  const std::size_t bytes = argument_words(kernel, source, variant) * sizeof(std::uint32_t) +
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
  const api& driver = in_->driver();
  std::size_t wanted = std::max(words, 2 * scratch_words_);
  device_address made = 0;
  const auto allocate = [&] {
    return driver.memory_allocate(&made, wanted * sizeof(std::uint32_t));
  };
  code answer = allocate();
  if (answer != success && driver.meaning_of(answer) == failure_code::out_of_memory) {
    if (device_memory* const memory = in_->memory()) memory->give_back_kept();
    wanted = words;
    answer = allocate();
  }
  if (answer != success) {
    return allocation_failure(driver, answer, device_, wanted * sizeof(std::uint32_t),
                              "as scratch of a kernel");
  }
  scratch_.push_back(made);
  scratch_words_ = wanted;
  return {};
}

failure launcher::enqueue(stream_handle stream) {
  if (planner_.plan().why) return planner_.plan().why;
  kept_graph& kept = planner_.kept();
  const bool again = std::exchange(kept.launched, true);
  if (again && kept.graph == nullptr && !kept.refused && may_be_graph()) {
    kept.graph = graph_of_all(stream);
    kept.refused = kept.graph == nullptr;
  }
  if (kept.graph == nullptr) return enqueue_all(stream);
  const code answer = in_->driver().graph_launch(kept.graph->get(), stream);
  if (answer == success) return {};
  failure why = failure_of(in_->driver(), answer, device_, "to launch a graph of kernels");
  if (why.code() == failure_code::device_lost) return why;
  kept.refused = true;
  kept.graph = nullptr;
  return enqueue_all(stream);
}

failure launcher::enqueue_all(stream_handle stream) {
  for (const launch_part<compiled>& part : planner_.plan().parts) {
    if (failure why = enqueue(part, stream)) return why;
  }
  return {};
}

/// Products are left out: the library would take memory for each graph. The commands of a
/// native body may differ from call to call.
bool launcher::may_be_graph() const {
  constexpr std::size_t least = 4;  // fewer launches are as fast
  const auto& parts = planner_.plan().parts;
  return parts.size() >= least && std::ranges::none_of(parts, [](const auto& part) {
           return part.made->product.has_value() || part.source->native;
         });
}

/// The driver's graph of the launches, for which it captures the stream; null if it makes none.
/// Nothing runs.
std::shared_ptr<handle<runnable_handle>> launcher::graph_of_all(stream_handle stream) {
  const api& driver = in_->driver();
  if (driver.capture_begin(stream, capture_of_this_thread) != success) return nullptr;
  const failure why = enqueue_all(stream);
  graph_handle captured = nullptr;
  code ended = driver.capture_end(stream, &captured);
  // A stream that is captured for longer runs nothing any more.
  if (ended != success) ended = driver.capture_end(stream, &captured);
  const handle<graph_handle> graph(driver, captured);
  if (why || ended != success) return nullptr;
  runnable_handle made = nullptr;
  if (driver.graph_instantiate(&made, captured, 0) != success) return nullptr;
  // The last plan may go while another context is current.
  return {new handle<runnable_handle>(driver, made), [in = in_](const auto* gone) {
            if (in->driver().gone) return delete gone;
            const current now(*in);
            delete gone;
          }};
}

/// Every device takes as many groups.
failure launcher::check_grid(const launch_part<compiled>& what, const grid& groups) const {
  constexpr grid most{INT32_MAX, UINT16_MAX, UINT16_MAX};
  for (std::size_t d = 0; d < most.size(); ++d) {
    if (groups[d] <= most[d]) continue;
    return {failure_code::task_failed,
            device_title(device_) + " cannot launch kernel \"" + what.what->kernel->name +
                "\": it has " + std::to_string(groups[d]) + " groups in dimension " +
                std::to_string(d) + ", and " + in_->driver().title() + " allows " +
                std::to_string(most[d]) + ". Smaller tiles have fewer."};
  }
  return {};
}

failure launcher::enqueue(const launch_part<compiled>& what, stream_handle stream) {
  assert(what.made != nullptr);
  if (what.source->native) return enqueue_native(what, stream);
  if (what.made->product) return products_->multiply(*what.made->product, *what.what, stream);
  std::vector<device_address> buffers;
  for (const placed_buffer& b : what.what->buffers) buffers.push_back(address_of(b.where));
  if (what.source->scratch) buffers.push_back(scratch_.empty() ? 0 : scratch_.back());
  std::vector<void*> arguments;
  for (device_address& buffer : buffers) arguments.push_back(&buffer);
  for (const lowered_pass& pass : what.lowered.passes) {
    if (!pass.has_work()) continue;
    std::vector<std::uint32_t> words = pass.words;
    arguments.resize(buffers.size());
    arguments.push_back(words.data());
    const grid& local = what.source->passes[pass.pass].local;
    if (failure why = check_grid(what, pass.groups)) return why;
    const auto of = [](const grid& counts, std::size_t d) {
      return static_cast<unsigned>(counts[d]);
    };
    const code answer = in_->driver().launch_kernel(
        what.made->passes[pass.pass], of(pass.groups, 0), of(pass.groups, 1), of(pass.groups, 2),
        of(local, 0), of(local, 1), of(local, 2), 0, stream, arguments.data(), nullptr);
    if (answer == success) continue;
    return failure_of(in_->driver(), answer, device_,
                      "to launch kernel \"" + what.what->kernel->name + "\"");
  }
  return {};
}

failure launcher::enqueue_native(const launch_part<compiled>& what, stream_handle stream) const {
  const auto object = [&](std::size_t i) {
    return native_object{what.what->buffers[i].where.chunk, 0, true};
  };
  failure why;
  in_->driver().with_place(in_->get(), in_->number(), stream, [&](const void* place) {
    why = call_native(*what.source, *what.what, place, object);
  });
  return why;
}

}  // namespace hocket::gpu

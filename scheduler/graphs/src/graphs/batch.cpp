// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "graphs/batch.hpp"

#include <algorithm>

#include <hocket/kernels/sequence.hpp>

namespace hocket::detail {

namespace {

bool few_regions(const candidate& earlier, const candidate& next) {
  region_table table;
  for (const candidate* each : {&earlier, &next}) {
    for (const access_argument* use : each->accesses) {
      if (table.add(*use) >= max_regions_in_batch) return false;
    }
  }
  return true;
}

launch_work cost_of(const recorded_nodes& content, const task_group& group) {
  launch_work sum;
  for (const std::size_t member : group) {
    const task_description& task = task_of(content, member);
    launch_shape shape;
    for (const auto& argument : task.arguments) {
      const auto* use = std::get_if<access_argument>(&argument);
      if (use != nullptr) shape.push_back(use->where.extents());
    }
    const launch_work one = task.kernel->work_of(shape);
    sum.flops += one.flops;
    sum.bytes += one.bytes;
  }
  return sum;
}

/// Adds the parts of a sequence one by one, so that no sequence is a part of another.
void add_part(std::vector<kernel_part>& to, kernel_part&& part) {
  if (part.kernel->sequence.empty()) {
    to.push_back(std::move(part));
    return;
  }
  for (const kernel_part& inner : part.kernel->sequence) {
    kernel_part& made = to.emplace_back(kernel_part{inner.kernel});
    for (const std::size_t b : inner.buffers) made.buffers.push_back(part.buffers[b]);
    for (const std::size_t s : inner.scalars) made.scalars.push_back(part.scalars[s]);
  }
}

/// The places of a part's arguments among those of the sequence: values that are buffers come
/// first.
kernel_part part_of(const fused_part& part, std::size_t buffers) {
  kernel_part made{part.kernel};
  for (const std::size_t value : part.values) {
    if (value < buffers) {
      made.buffers.push_back(value);
    } else {
      made.scalars.push_back(value - buffers);
    }
  }
  return made;
}

/// What the parts since the last one that came after others do with each buffer.
class recent_uses {
 public:
  explicit recent_uses(std::size_t buffers) : of_(buffers) {}

  /// Notes the part. Returns whether it has to come after some of them.
  [[nodiscard]] bool add(const kernel_part& part) {
    bool met = false;
    for_buffers(part, [&](const use& known, bool writes) {
      met = met || known.written || (known.read && writes);
    });
    if (met) std::ranges::fill(of_, use{});
    for_buffers(part, [](use& known, bool writes) {
      known.read = true;
      known.written = known.written || writes;
    });
    return met;
  }

 private:
  struct use {
    bool read = false;
    bool written = false;
  };

  template <class Look>
  void for_buffers(const kernel_part& part, const Look& look) {
    std::size_t next = 0;
    for (const parameter& p : part.kernel->parameters) {
      if (p.is == parameter::kind::buffer) look(of_[part.buffers[next++]], writes_content(p.mode));
    }
  }

  std::vector<use> of_;
};

}  // namespace

bool batch_rule::admits(const task_description& task) const {
  // Elsewhere tasks that could run side by side would run one after the other.
  return task.on && machine_.devices[task.on->value].compute.size() == 1 && !task.kernel->result;
}

bool batch_rule::can_join(const recorded_nodes& /*content*/, const candidate& earlier,
                          const candidate& next) const {
  return earlier.members.size() + next.members.size() <= max_tasks_in_batch &&
         regions_agree(earlier, next) && few_regions(earlier, next);
}

task_description batch_rule::join(const recorded_nodes& content, const task_group& group) const {
  composition one(content, group, [](const access_argument&) { return false; });
  std::vector<parameter> parameters;
  std::size_t buffers = 0;
  for (const fused_value& value : one.values) {
    parameters.push_back(value.as);
    if (value.as.is == parameter::kind::buffer) ++buffers;
  }
  std::vector<kernel_part> parts;
  recent_uses used(buffers);
  for (const fused_part& part : one.parts) add_part(parts, part_of(part, buffers));
  for (kernel_part& part : parts) part.after_others = used.add(part);
  one.task.kernel = sequence_of(std::string(one.task.label_text()), std::move(parameters),
                                std::move(parts), cost_of(content, group));
  return std::move(one.task);
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hocket/devices/compilation.hpp>
#include <hocket/kernels/program.hpp>
#include <hocket/streams/command.hpp>

namespace hocket {

/// A launch in the terms of a device: the body that it runs, groups and argument blocks.
struct lowered_command {
  const kernel_source* source = nullptr;
  lowered_launch launch;
};
/// formats are those of the device, best first. device is named in failures.
[[nodiscard]] result<lowered_command> lower_command(const launch_command& what,
                                                    std::span<const kernel_format> formats,
                                                    device_style style, const std::string& device);

/// A failure with the code compile_failed if a pass of the body has groups with more items than the
/// device can run, in each dimension or together.
[[nodiscard]] failure check_groups(const kernel_definition& kernel, const kernel_source& source,
                                   const grid& max_local, std::size_t max_items,
                                   const std::string& device);

/// One launch of those that a command stands for, as far as it was worked out. Program is what a
/// backend makes of a kernel's text.
template <class Program>
struct launch_part {
  const launch_command* what = nullptr;  ///< the command's, or one of split
  bool after_others = true;              ///< it may use what parts before it have used
  const kernel_source* source = nullptr;
  lowered_launch lowered;
  std::shared_ptr<Program> made;  ///< null until it was compiled
};

/// What a launch stands for: itself, or the parts of a sequence.
template <class Program>
struct launch_plan {
  failure why;                        ///< that it cannot be made
  std::vector<launch_command> split;  ///< of a sequence
  std::vector<launch_part<Program>> parts;
  std::size_t scratch_words = 0;  ///< of the part that needs most
};

/// The launch has to outlive the plan, unless it is a sequence.
template <class Program>
[[nodiscard]] launch_plan<Program> plan_launch(const launch_command& what,
                                               std::span<const kernel_format> formats,
                                               device_style style, const std::string& device) {
  const std::vector<kernel_part>& sequence = what.kernel->sequence;
  launch_plan<Program> made;
  if (!sequence.empty()) made.split = parts_of(what);
  made.parts.resize(std::max<std::size_t>(sequence.size(), 1));
  for (std::size_t i = 0; i < made.parts.size() && !made.why; ++i) {
    launch_part<Program>& part = made.parts[i];
    part.what = sequence.empty() ? &what : &made.split[i];
    if (!sequence.empty()) part.after_others = sequence[i].after_others;
    auto lowered = lower_command(*part.what, formats, style, device);
    if (!lowered) {
      made.why = lowered.error();
      continue;
    }
    part.source = lowered.value().source;
    part.lowered = std::move(lowered.value().launch);
    made.scratch_words = std::max(made.scratch_words, part.lowered.scratch_words);
  }
  return made;
}

/// Calls pass(part, index, waits) for each pass of the plan that has work, in order: the indices of
/// its part, and of the pass there. waits: it comes after all that were called for before, because
/// it may use what they write, be that the scratch memory that all parts have in common.
template <class Program, class Call>
void for_each_pass(const launch_plan<Program>& plan, Call pass) {
  bool any = false, due = false, scratch_used = false;
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    const launch_part<Program>& part = plan.parts[p];
    const bool uses_scratch = static_cast<bool>(part.source->scratch);
    const bool after_others = part.after_others || (uses_scratch && scratch_used);
    scratch_used = uses_scratch || (scratch_used && !after_others);
    due = due || after_others;
    bool first = true;
    for (std::size_t i = 0; i < part.lowered.passes.size(); ++i) {
      if (!part.lowered.passes[i].has_work()) continue;
      pass(p, i, any && (due || !first));
      any = true;
      due = first = false;
    }
  }
}

/// Something for each kernel. Does not keep kernels alive: programs that make ever new ones would
/// pile them up.
template <class T>
using by_kernel = std::map<std::weak_ptr<const kernel_definition>, T, std::owner_less<>>;

template <class T>
void forget_expired(by_kernel<T>& entries) {
  std::erase_if(entries, [](const auto& entry) { return entry.first.expired(); });
}

/// The programs that a device or a stream was asked for. One thread at a time.
template <class Program>
class program_table {
 public:
  using maker = std::function<result<std::shared_ptr<Program>>(
      const kernel_ref& kernel, const kernel_source& source, const program_variant& variant)>;

  explicit program_table(maker make) : make_(std::move(make)) {}

  /// Gives the parts their programs. Returns false if some are still to be made.
  [[nodiscard]] bool find(launch_plan<Program>& plan) const {
    bool all = true;
    for (launch_part<Program>& part : plan.parts) {
      if (part.made == nullptr) part.made = find(part);
      all = all && part.made != nullptr;
    }
    return all;
  }

  /// Makes those that are missing, which may take long. device: for those who ask what is compiled.
  [[nodiscard]] failure make(launch_plan<Program>& plan, const std::string& device) {
    forget_expired(known_);
    for (launch_part<Program>& part : plan.parts) {
      // An earlier part may have been of the same kernel.
      if (part.made == nullptr) part.made = find(part);
      if (part.made != nullptr) continue;
      const compilation_note note(device, part.what->kernel->name);
      auto made = make_(part.what->kernel, *part.source, part.lowered.variant);
      if (!made) return made.error();
      part.made = std::move(made).value();
      known_[part.what->kernel][{part.source, part.lowered.variant}] = part.made;
    }
    return {};
  }

 private:
  using variants =
      std::map<std::pair<const kernel_source*, program_variant>, std::shared_ptr<Program>>;

  [[nodiscard]] std::shared_ptr<Program> find(const launch_part<Program>& part) const {
    const auto known = known_.find(part.what->kernel);
    if (known == known_.end()) return nullptr;
    const auto at = known->second.find({part.source, part.lowered.variant});
    return at == known->second.end() ? nullptr : at->second;
  }

  const maker make_;
  by_kernel<variants> known_;
};

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <hocket/devices/launch_plan.hpp>

namespace hocket {

/// Plans the launches of a stream, one at a time, and gives them their programs. A kernel is often
/// launched again with the same arguments, and a graph that is run again has the same sequences
/// again, so the last plan of each kernel is kept, and with it what the backend found out for it:
/// Kept, which is empty for a new plan. Not for two threads at a time.
template <class Program, class Kept = std::monostate>
class launch_planner {
 public:
  launch_planner(std::vector<kernel_format> formats, device_style style, std::string device,
                 typename program_table<Program>::maker make)
      : formats_(std::move(formats)),
        style_(style),
        device_(std::move(device)),
        programs_(std::move(make)) {}

  /// True if the launch has its programs, or is known to fail. The other functions are about the
  /// launch that this was asked about last.
  [[nodiscard]] bool prepared(const command& what) {
    if (planned_for_ != &what || value_ != what.value) {
      planned_for_ = &what;
      value_ = what.value;
      now_ = &planned_again(*what.launch());
    }
    return now_->launches.why || programs_.find(now_->launches);
  }

  /// Makes the programs that it lacks; may take long.
  [[nodiscard]] failure prepare() {
    forget_expired(plans_);  // those of sequences keep their parts' kernels, and go first
    return programs_.make(now_->launches, device_);
  }

  [[nodiscard]] launch_plan<Program>& plan() const noexcept { return now_->launches; }
  [[nodiscard]] Kept& kept() const noexcept { return now_->kept; }
  /// Of the command.
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  /// A plan, and the arguments that it was made for, to know it again.
  struct planned {
    placed_buffers buffers;
    scalar_arguments scalars;
    launch_plan<Program> launches;
    Kept kept;
  };

  [[nodiscard]] planned& planned_again(const launch_command& what) {
    auto at = plans_.find(what.kernel);
    if (at == plans_.end()) {
      // Kernels that are gone leave nothing behind.
      forget_expired(plans_);
      at = plans_.emplace(what.kernel, planned()).first;
    }
    planned& known = at->second;
    if (known.launches.parts.empty() || known.buffers != what.buffers ||
        known.scalars != what.scalars) {
      known.launches = {};  // for the case that something below throws
      known.kept = Kept();
      known.buffers = what.buffers;  // mostly in the memory of those before
      known.scalars = what.scalars;
      known.launches = plan_launch<Program>(what, formats_, style_, device_);
    }
    if (what.kernel->sequence.empty()) known.launches.parts.front().what = &what;
    return known;
  }

  const std::vector<kernel_format> formats_;
  const device_style style_;
  const std::string device_;
  program_table<Program> programs_;
  by_kernel<planned> plans_;

  // The command that prepared() was called with last, and its plan.
  const command* planned_for_ = nullptr;
  std::uint64_t value_ = 0;
  planned* now_ = nullptr;
};

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hocket/core/duration.hpp>

namespace hocket {

/// The effect of a rule on a call of a device.
enum class fault_action : std::uint8_t {
  fail,     ///< the call fails, and nothing is done
  delay,    ///< the command begins so much later than it could
  hang,     ///< the command does not end until the runtime stops or ends
  corrupt,  ///< some bits of what the command writes are flipped, and nothing tells of that
  lose      ///< the device is lost
};

/// The calls that a rule counts. A command is a copy or a launch; it may be a wait and a compile as
/// well.
enum class fault_call : std::uint8_t {
  allocation,  ///< of the device's memory; blocks that are used again are not allocated again
  copy,        ///< in either direction
  copy_in,     ///< into the device's memory
  copy_out,    ///< out of it
  launch,      ///< of a kernel, or of a function with accesses
  wait,        ///< a command that has to wait for commands of other streams
  compile      ///< the first launch of a kernel that has a text for devices
};

[[nodiscard]] std::string_view to_string(fault_action action) noexcept;
[[nodiscard]] std::string_view to_string(fault_call call) noexcept;  ///< as in rules: "copy-in"

/// One rule of a plan. Of `last`, `percent` and `after` those that have their default do not count.
struct fault_rule {
  static constexpr std::uint64_t no_end = static_cast<std::uint64_t>(-1);

  fault_action action = fault_action::fail;
  std::string device = "*";  ///< a name, or "*" for each
  /// Empty for the loss of a device at a time.
  std::optional<fault_call> call = fault_call::launch;
  std::uint64_t first = 1;                 ///< of the calls that are met, counted from one
  std::optional<std::uint64_t> last = {};  ///< absent: the same; no_end: all that follow
  double percent = 0;                      ///< of the calls; each with this probability, instead
  std::optional<nanoseconds> after = {};   ///< since the devices connected; the next call, instead
  nanoseconds by{0};                       ///< of delay

  friend bool operator==(const fault_rule&, const fault_rule&) = default;
};

/// The rule as the text of a plan has it.
[[nodiscard]] std::string to_string(const fault_rule& rule);

/// Rules that say which calls of which devices go wrong, and when. A text has rules, separated by
/// semicolons or ends of lines; what follows a `#` in a line is a comment:
///
///     seed 42                          of the percentages; 0 if it is not given
///     fail DEVICE CALL WHEN            DEVICE is a name or *
///     delay DEVICE CALL WHEN by TIME   CALL is allocation, copy, copy-in, copy-out, launch, wait
///     hang DEVICE CALL WHEN            or compile
///     corrupt DEVICE CALL WHEN         WHEN is 3, 3..5, 3.., 2.5% or after TIME
///     lose DEVICE CALL WHEN            TIME is 500ns, 20us, 1.5ms or 2s
///     lose DEVICE after TIME
///
/// Each device counts its own calls, each kind from one. Where several rules are met by one call,
/// the first one acts. Which calls a percentage meets depends on the seed, the rule, the device and
/// the number of the call alone.
class fault_plan {
 public:
  static constexpr const char* default_source = "runtime_options::faults";

  // Not inline: each runtime_options has a plan.
  fault_plan() noexcept;
  fault_plan(const fault_plan& other);
  fault_plan(fault_plan&& other) noexcept;
  fault_plan& operator=(const fault_plan& other);
  fault_plan& operator=(fault_plan&& other) noexcept;
  ~fault_plan();
  /// Reads a text, or with `@name` the text of that file. Throws usage_error, which names the
  /// place, what is there and what is allowed. source is what messages call the plan.
  fault_plan(std::string_view text, std::string source = default_source);  // NOLINT(*-explicit-*)
  fault_plan(const char* text) : fault_plan(std::string_view(text)) {}     // NOLINT(*-explicit-*)
  fault_plan(const std::string& text)                                      // NOLINT(*-explicit-*)
      : fault_plan(std::string_view(text)) {}

  /// Throws usage_error for a rule that no text could have.
  void add(fault_rule rule);
  void set_seed(std::uint64_t seed) noexcept { seed_ = seed; }

  [[nodiscard]] bool empty() const noexcept { return rules_.empty(); }
  [[nodiscard]] const std::vector<fault_rule>& rules() const noexcept { return rules_; }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] std::string source() const { return source_.empty() ? default_source : source_; }

 private:
  std::string source_;
  std::vector<fault_rule> rules_;
  std::uint64_t seed_ = 0;
};

/// How many faults were injected so far.
struct fault_counts {
  std::uint64_t failed = 0;
  std::uint64_t delayed = 0;
  std::uint64_t hung = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t lost = 0;

  [[nodiscard]] std::uint64_t total() const noexcept {
    return failed + delayed + hung + corrupted + lost;
  }
};

/// "2 failed, 1 lost"; "none" for none.
[[nodiscard]] std::string to_string(const fault_counts& counts);

}  // namespace hocket

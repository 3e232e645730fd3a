// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <hocket/kernels/fusion.hpp>

#include "graphs/recorded_nodes.hpp"

namespace hocket::detail {

/// One node of a recording, or those that become one.
struct candidate {
  task_group members;
  std::vector<const access_argument*> accesses = {};
  std::vector<std::size_t> names = {};  ///< nodes that it waits for
  bool can_join = false;                ///< it may become one with others
  /// A bit for each buffer; a few buffers may have the same.
  std::uint64_t buffers = 0;
};

/// Which tasks become one, and how.
class grouping_rule {
 public:
  virtual ~grouping_rule() = default;

  /// Whether a task can, that has no options which speak against it.
  [[nodiscard]] virtual bool admits(const task_description& task) const = 0;

  /// Whether two can that both may, and agree in their options.
  [[nodiscard]] virtual bool can_join(const recorded_nodes& content, const candidate& earlier,
                                      const candidate& next) const = 0;

  /// Whether a task may come earlier than it was recorded, for the sake of those that it joins;
  /// these may always come later.
  [[nodiscard]] virtual bool draws_forward() const = 0;

  /// The one task that does what those of a group do.
  [[nodiscard]] virtual task_description join(const recorded_nodes& content,
                                              const task_group& group) const = 0;
};

/// The groups are in an order in which they can be submitted: tasks that conflict, or of which one
/// names the other, keep theirs.
[[nodiscard]] std::vector<task_group> groups_by(const grouping_rule& rule,
                                                const recorded_nodes& content);

// For rules, and for other ways to find groups.
[[nodiscard]] const task_description& task_of(const recorded_nodes& content, std::size_t node);
/// The node alone. It can join others if its options and what it waits for allow it, whatever a
/// rule says.
[[nodiscard]] candidate described(const recorded_nodes& content, std::size_t node);
/// Makes one candidate of the two; its order is the one in which they are given.
void append(candidate& to, const candidate& from);
/// Whether the options of the two, which both can join others, let them become one.
[[nodiscard]] bool agree_in_options(const recorded_nodes& content, const candidate& a,
                                    const candidate& b);
[[nodiscard]] bool same_region(const access_argument& a, const access_argument& b);
/// False if the two certainly use no buffer in common: most that are compared do not.
[[nodiscard]] inline bool may_share_buffers(const candidate& a, const candidate& b) noexcept {
  return (a.buffers & b.buffers) != 0;
}
/// Whether the order of two accesses matters.
[[nodiscard]] bool conflict(const access_argument& a, const access_argument& b);
/// Whether no region of the one conflicts with another region of the other.
[[nodiscard]] bool regions_agree(const candidate& a, const candidate& b);
/// How the tasks of a group together use one region.
[[nodiscard]] access_mode common_mode(const recorded_nodes& content, const task_group& group,
                                      const access_argument& region);
/// The group as one candidate.
[[nodiscard]] candidate joined(const recorded_nodes& content, const task_group& group);
/// "a+b", of the labels of the group's tasks; of many only the first and the last.
[[nodiscard]] std::string label_of(const recorded_nodes& content, const task_group& group);

/// The regions of a group, each once.
class region_table {
 public:
  std::size_t add(const access_argument& use);
  [[nodiscard]] const std::vector<const access_argument*>& regions() const { return regions_; }

 private:
  std::vector<const access_argument*> regions_;
};

/// Collects what the one task is given: regions first, then the numbers of all parts.
class composition {
 public:
  /// local says which regions are not given to it.
  template <class Local>
  composition(const recorded_nodes& content, const task_group& group, const Local& local)
      : content_(content), group_(group), all_(joined(content, group)) {
    for (const access_argument* use : all_.accesses) table_.add(*use);
    begin();
    for (const access_argument* region : table_.regions()) add_region(*region, local(*region));
    for (const std::size_t member : group) add_part(task_of(content, member));
  }

  /// Its description without a kernel.
  task_description task;
  std::vector<fused_part> parts;
  std::vector<fused_value> values;

 private:
  void begin();
  void add_region(const access_argument& region, bool local);
  void add_part(const task_description& part);

  const recorded_nodes& content_;
  const task_group& group_;
  candidate all_;
  region_table table_;
};

}  // namespace hocket::detail

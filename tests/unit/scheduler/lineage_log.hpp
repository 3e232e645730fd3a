// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

// Tasks and buffers for a log of tasks, and the fixture of its tests.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "placement/lineage.hpp"

namespace hocket::placement {

struct lineage_buffer : tracked_buffer {
  lineage_buffer(std::uint64_t number, const index_list& extents) {
    id = data_id{number};
    label = std::string(1, static_cast<char>('a' + number % 26));
    all = box::whole(extents);
    type = element_type::u64;
    element_size = sizeof(std::uint64_t);
  }
};

/// Repeatable bodies may be called again. Each of the other kinds is called once.
enum class lineage_body : std::uint8_t { repeatable, host_only, with_captures, view };

struct lineage_use {
  const tracked_buffer* buffer;
  access_mode mode;
  box region;
};

struct lineage_task final : placed_task {
  lineage_task(task_id number, lineage_body body, const std::vector<lineage_use>& uses) {
    id = number;
    label = std::to_string(number.value);
    kind = body == lineage_body::view ? task_kind::view : task_kind::launch;
    host_only = body == lineage_body::host_only;
    if (kind == task_kind::launch) {
      auto kernel = std::make_shared<kernel_definition>();
      kernel->name = "k";
      kernel->keeps_captures = body == lineage_body::with_captures;
      launch = new counted_launch;
      launch->kernel = std::move(kernel);
    }
    for (const auto& [buffer, mode, region] : uses) {
      parts.push_back(part_of_array(buffer->type, buffer->all.end, region));
      accesses.push_back({buffer->id, parts.back().get(), mode, region == buffer->all});
    }
  }

  std::vector<array_part_ref> parts;
};

inline const failure lineage_failure{failure_code::task_failed, "It failed."};

inline box span_of(std::size_t begin, std::size_t end) { return {{begin}, {end}}; }

using lineage_strings = std::vector<std::string>;

/// Two buffers of eight elements, and a log.
class lineages : public ::testing::Test {
 protected:
  static lineage_use reads(const tracked_buffer& of) { return reads(of, of.all); }
  static lineage_use reads(const tracked_buffer& of, const box& region) {
    return {&of, access_mode::read, region};
  }
  static lineage_use writes(const tracked_buffer& of) { return writes(of, of.all); }
  static lineage_use writes(const tracked_buffer& of, const box& region) {
    return {&of, access_mode::write, region};
  }
  static lineage_use updates(const tracked_buffer& of) { return updates(of, of.all); }
  static lineage_use updates(const tracked_buffer& of, const box& region) {
    return {&of, access_mode::update, region};
  }

  /// The task is issued, and has not ended. The id of a task is its position in the log, unless the
  /// task is issued twice.
  task_id start(const std::vector<lineage_use>& uses,
                lineage_body body = lineage_body::repeatable) {
    const task_id id{log.tasks().next()};
    log.issued(lineage_task(id, body, uses));
    return id;
  }
  void end(task_id t) { log.ended(t, {}); }
  void fail(task_id t) { log.ended(t, lineage_failure); }
  task_id run(const std::vector<lineage_use>& uses, lineage_body body = lineage_body::repeatable) {
    const task_id id = start(uses, body);
    end(id);
    return id;
  }
  /// The task also writes its outputs in the memory of the host.
  task_id run_on_host(const std::vector<lineage_use>& uses,
                      lineage_body body = lineage_body::repeatable) {
    const task_id id = start_on_host(uses, body);
    end(id);
    return id;
  }
  task_id start_on_host(const std::vector<lineage_use>& uses,
                        lineage_body body = lineage_body::repeatable) {
    const task_id id = start(uses, body);
    for (const lineage_use& each : uses) {
      if (writes_content(each.mode)) write_on_host(*each.buffer, each.region, id.value);
    }
    return id;
  }
  void write_on_host(const tracked_buffer& of, const box& region, std::uint64_t position) {
    log.versions().write(of, region, position, [&](const kept_ref& to) {
      to->was_read = has_memory && has_read;
      to->lacks_memory = !has_memory;
      aside.push_back(to);
    });
  }
  void copy_to_host(const tracked_buffer& of) { write_on_host(of, of.all, 0); }
  void lose(const tracked_buffer& of) { lose(of, of.all); }
  void lose(const tracked_buffer& of, const box& part) { lost[of.id].push_back(part); }

  recovery_plan plan() {
    return log.plan([&](data_id data) -> const box& { return data == a.id ? a.all : b.all; },
                    [&](data_id data, visit_parts visit) {
                      for (const box& part : lost[data]) visit(part);
                    });
  }
  [[nodiscard]] std::string named(data_id data, const box& part) const {
    return (data == a.id ? a.label : b.label) + to_string(part);
  }
  /// "run 3"; "restore 2 of a[0:8] from host", or "aside".
  lineage_strings steps() {
    const recovery_plan made = plan();
    EXPECT_EQ(made.hopeless, "");
    lineage_strings all;
    for (const recovery_step& each : made.steps) {
      const std::string position = std::to_string(each.position);
      all.push_back(each.task != nullptr
                        ? "run " + position
                        : "restore " + position + " of " + named(each.data, each.region) +
                              " from " + (each.from == nullptr ? "host" : "aside"));
      const bool is_labelled = each.task == nullptr || each.task->label.text() == position;
      EXPECT_TRUE(is_labelled) << each.task->label.text();
    }
    return all;
  }
  lineage_strings failed() {
    lineage_strings all;
    for (const recovery_plan::failed_part& each : plan().failed) {
      EXPECT_EQ(each.why.message(), lineage_failure.message());
      all.push_back(named(each.data, each.region));
    }
    std::ranges::sort(all);
    return all;
  }

  void begin_anew() { made.emplace(true); }

  std::optional<lineage> made{std::in_place, true};
  lineage& log = *made;
  lineage_buffer a{0, {8}}, b{1, {8}};
  std::map<data_id, std::vector<box>> lost;
  bool has_memory = true;  ///< for bytes that are put aside
  bool has_read = true;    ///< them
  std::vector<kept_ref> aside;
};

}  // namespace hocket::placement

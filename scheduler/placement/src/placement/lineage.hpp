// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <hocket/core/function_ref.hpp>
#include <hocket/core/region_map.hpp>

#include "placement/kept_bytes.hpp"
#include "placement/placed_task.hpp"
#include "placement/tracked_buffer.hpp"

namespace hocket::placement {

/// A task as the log has it: what it takes to run it again.
struct logged_task {
  struct access {
    array_part_ref part;
    data_id data;
    access_mode mode;

    [[nodiscard]] const box& region() const noexcept { return part->region(); }
  };

  task_id id;
  task_label label;
  kernel_ref kernel;  ///< null: it cannot be run again
  scalar_arguments scalars;
  boost::container::small_vector<access, 3> accesses;  ///< as in the signature of the kernel
  work cost;
  body_width width = body_width::serial;
  std::uint64_t bytes = 0;  ///< as in the request
  device_id on;             ///< as in the request
  bool is_view = false;
  bool ended = false;
  bool failed = false;  ///< what it was to write is poisoned, or gone
  failure why;          ///< of a task that failed
  bool torn = false;    ///< it did not run to its end, or had no right input: it is run again
  bool undone = false;  ///< it has changed nothing, and will be issued again
};

/// One step of a recovery: a task that is run again, or content that is restored.
struct recovery_step {
  std::uint64_t position = 0;         ///< of the task, or of the version
  const logged_task* task = nullptr;  ///< null: content is restored
  data_id data = {};                  ///< of that content
  box region = {};
  kept_ref from = nullptr;  ///< null: it lies in the block of the host
};

/// The steps, in the order in which they have an effect.
struct recovery_plan {
  /// A part that a task failed to write, and that no later task has written.
  struct failed_part {
    data_id data;
    box region;
    failure why;
  };

  std::vector<recovery_step> steps;
  std::vector<failed_part> failed;  ///< stays poisoned
  std::string hopeless;             ///< not empty: why content that is lost cannot be made again
  data_id lacks;                    ///< then, if valid, what the sentence ends with: a buffer
};

/// The tasks that were issued, in that order, and older versions of content that lie in the memory
/// of the host. Both together say how lost content is made again. A version has the position of the
/// task that wrote it, which stays the same when the task is run again. No thread, lock or clock is
/// in it, and no memory of devices.
class lineage {
 public:
  explicit lineage(bool is_on) : is_on_(is_on) {}

  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  /// How many tasks are in the log.
  [[nodiscard]] std::size_t size() const noexcept { return log_.size(); }
  /// True if tasks of the log use the buffer.
  [[nodiscard]] bool uses(data_id data) const { return uses_.contains(data.value); }
  /// The sum of what was put aside, in bytes.
  [[nodiscard]] std::uint64_t bytes_aside() const noexcept { return bytes_aside_; }
  /// The position of the task that is issued next.
  [[nodiscard]] std::uint64_t next() const noexcept { return first_ + log_.size(); }
  /// A function, and a kernel with captures that only has a body in C++, is called once: it may do
  /// more than write its arguments, and what it captures may have to go.
  [[nodiscard]] static bool is_repeatable(const placed_task& t) {
    if (t.kind != task_kind::launch || t.host_only) return false;
    const kernel_definition& kernel = *t.launch->kernel;
    return !kernel.keeps_captures || !kernel.sources.empty();
  }

  /// The task is issued now. Before it notes what it writes.
  void issued(const placed_task& t) { (void)add(t); }
  /// A task that was not issued ends with a failure.
  void failed_unissued(const placed_task& t, const failure& why);
  /// why: empty if it has not failed.
  void ended(task_id task, const failure& why);
  /// The task, which has not ended, is to be run again with the next plan.
  void torn(task_id task);
  /// The task, a view, will be issued again itself.
  void undone(task_id task);
  /// A task of the plan ran again and failed.
  void failed_again(std::uint64_t position, const failure& why) {
    at(position).failed = true;
    at(position).why = why;
  }

  /// Has to read the bytes before anything else happens to the buffer.
  using aside_reader = function_ref<void(const kept_ref&)>;
  /// A command is about to write the region in the block of the host, where what no task can make
  /// again is put aside. position: that of the version; 0: it is not known.
  void writes_on_host(const tracked_buffer& buffer, const box& region, std::uint64_t position,
                      aside_reader read);
  /// The buffer is about to lose its block of the host.
  void drops_on_host(const tracked_buffer& buffer, aside_reader read) {
    if (on_host_.contains(buffer.id)) writes_on_host(buffer, buffer.all, 0, read);
  }
  /// A step of the plan has not written there what it was to write.
  void unknown_on_host(data_id data, const box& region);
  /// A step of the plan will restore this version from the bytes.
  void keeps(std::uint64_t position, data_id data, const kept_ref& bytes) {
    aside_.push_back({position, data, bytes});
    bytes_aside_ += bytes->size();
  }
  /// The block of the host is gone.
  void forgets_host(data_id data) { on_host_.erase(data); }
  /// The buffer, which tasks of the log use, is used by no later one, and its content is gone.
  void dropped(const tracked_buffer& buffer);
  /// The buffer, which no task of the log uses, is gone.
  void forget(data_id data);

  using visit_parts = function_ref<void(const box&)>;
  /// Calls the second argument for each part of the buffer whose content is poisoned.
  using poisoned_parts = function_ref<void(data_id, visit_parts)>;
  /// The steps after which all content is there again that is poisoned, but for what tasks failed
  /// to write, and the torn tasks have run. all_of: the box of all of the buffer.
  [[nodiscard]] recovery_plan plan(function_ref<const box&(data_id)> all_of,
                                   poisoned_parts poisoned);

  // A cut: the host gets all content as it is now, and the log of how it was made is not needed any
  // more. One at a time.

  void begin_cut();
  /// The host has that part as it is now, or gets it by a copy that has just been planned.
  void has_at_cut(const tracked_buffer& buffer, const box& part);
  void comes_for_cut(const tracked_buffer& buffer, const box& part);
  [[nodiscard]] bool is_cutting() const noexcept { return cut_ > 0; }
  /// Between begin_cut() and copies_ended().
  [[nodiscard]] bool awaits_copies() const noexcept { return awaits_copies_; }
  void copies_ended() noexcept { awaits_copies_ = false; }
  /// The cut comes to nothing: something was lost.
  void invalidate_cut() noexcept { is_cut_invalid_ = true; }
  /// All tasks have ended that were issued before the cut began, but for views that only read.
  [[nodiscard]] bool can_end_cut() const { return ended_until(cut_); }
  /// All tasks have ended that were issued so far, but for views that only read.
  [[nodiscard]] bool have_all_ended() const { return ended_until(next()); }
  /// The copies have ended. Returns whether the log is cut: not if something was written on the
  /// host before the copy of what was there before had come.
  [[nodiscard]] bool end_cut();
  /// The part was poisoned before the cut ended, and is not to be restored.
  void forgets_poisoned(data_id data, const box& part);

 private:
  class walk;
  /// The content of a part of the block of the host.
  struct host_version {
    std::uint64_t position = 0;  ///< 0: not known
    bool is_root = false;        ///< it cannot be made again by running a task
    bool is_at_cut = false;      ///< it is what the cut that is going on begins with
    bool is_on_the_way = false;  ///< the same, once its copy has come
    friend bool operator==(const host_version&, const host_version&) = default;
  };
  struct part_aside {
    std::uint64_t position;
    data_id data;
    kept_ref bytes;
    bool is_at_cut = false;  ///< as in host_version
  };
  using host_versions = region_map<host_version>;

  [[nodiscard]] logged_task& at(std::uint64_t position) {
    return log_[static_cast<std::size_t>(position - first_)];
  }
  [[nodiscard]] const logged_task& at(std::uint64_t position) const {
    return log_[static_cast<std::size_t>(position - first_)];
  }
  [[nodiscard]] logged_task& add(const placed_task& t);
  /// True if the task that wrote the version has ended.
  [[nodiscard]] bool is_complete(std::uint64_t position) const {
    return position > 0 && (position < first_ || at(position).ended);
  }
  [[nodiscard]] bool is_root(std::uint64_t position) const {
    return position > 0 && (position < first_ || at(position).kernel == nullptr);
  }
  [[nodiscard]] logged_task* find(task_id task);
  [[nodiscard]] bool ended_until(std::uint64_t position) const;
  void forget_on_host(const logged_task& t);
  [[nodiscard]] host_versions& versions_of(const tracked_buffer& buffer);

  bool is_on_;
  std::uint64_t first_ = 1;  ///< position of the first task of the log
  std::deque<logged_task> log_;
  boost::unordered_flat_map<std::uint64_t, std::uint64_t> positions_;  ///< of tasks not ended
  boost::unordered_flat_map<std::uint64_t, std::size_t> uses_;  ///< of each buffer, in the log
  std::map<task_id, logged_task> readers_;  ///< not ended, and from before the log
  std::map<data_id, host_versions> on_host_;
  std::vector<part_aside> aside_;
  std::uint64_t bytes_aside_ = 0;
  std::uint64_t cut_ = 0;  ///< position of the last task before it; 0: there is none
  bool is_cut_invalid_ = false;
  bool awaits_copies_ = false;
};

}  // namespace hocket::placement

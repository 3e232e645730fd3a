// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include <hocket/core/function_ref.hpp>
#include <hocket/core/region_map.hpp>

#include "placement/kept_bytes.hpp"
#include "placement/task_log.hpp"
#include "placement/tracked_buffer.hpp"

namespace hocket::placement {

/// Which versions of content lie in the memory of the host: in the blocks of buffers there, or as
/// bytes that were put aside before a block was overwritten. A version has the position of the task
/// that wrote it.
class host_versions {
 public:
  /// log: the tasks that the positions are of.
  explicit host_versions(const task_log& log) : log_(log) {}

  /// The sum of what was put aside, in bytes.
  [[nodiscard]] std::uint64_t bytes_aside() const noexcept { return bytes_aside_; }

  /// Has to read the bytes before anything else happens to the buffer.
  using aside_reader = function_ref<void(const kept_ref&)>;
  /// A command is about to write the region in the block, where what no task can make again is put
  /// aside. position: that of the version; 0: it is not known.
  void write(const tracked_buffer& buffer, const box& region, std::uint64_t position,
             aside_reader read);
  /// The buffer is about to lose its block.
  void drop_block(const tracked_buffer& buffer, aside_reader read) {
    if (in_blocks_.contains(buffer.id)) write(buffer, buffer.all, 0, read);
  }
  /// The block holds something unknown there.
  void forget(data_id data, const box& region);
  /// The blocks do not hold what the task was to write there.
  void forget_written(const logged_task& t);
  /// The block is gone.
  void forget_block(data_id data) { in_blocks_.erase(data); }
  /// The buffer is gone.
  void forget(data_id data);
  /// Torn tasks, which are run again, may write something else than what an earlier repetition has
  /// written.
  void forget_torn();
  /// This version will be restored from the bytes.
  void keep(std::uint64_t position, data_id data, const kept_ref& bytes) {
    aside_.push_back({position, data, bytes});
    bytes_aside_ += bytes->size();
  }

  /// The block has that version in the part, which was made again. Until forget_saved() it is kept
  /// like one that no task can make again.
  void save(const tracked_buffer& buffer, const box& part, std::uint64_t position);
  /// Versions that were saved, and were made anew meanwhile, are not kept any longer.
  void forget_saved();

  // A cut: see lineage.

  void begin_cut() noexcept { is_cut_invalid_ = false; }
  /// The host has that part as it is now, or gets it by a copy that has just been planned.
  void has_at_cut(const tracked_buffer& buffer, const box& part);
  void comes_for_cut(const tracked_buffer& buffer, const box& part);
  /// The cut comes to nothing: something was lost.
  void invalidate_cut() noexcept { is_cut_invalid_ = true; }
  /// Content that the host had or got for the cut is a version of that position, and older ones are
  /// forgotten. Returns false, and only ends the cut, if something was written before the copy of
  /// what was there before had come, or if the cut is invalid.
  [[nodiscard]] bool end_cut(std::uint64_t position);
  /// Forgets in the part what was there when the log was cut.
  void forget_at_cut(data_id data, const box& part);

  using visit_version =
      function_ref<void(std::uint64_t position, data_id, const box&, const kept_ref& aside)>;
  /// Calls the argument for each version whose position is known, with a null pointer if it lies in
  /// a block. cut: the position of the cut that is going on, if there is one. all_of: the box of
  /// all of the buffer.
  void for_known(std::uint64_t cut, function_ref<const box&(data_id)> all_of,
                 visit_version visit) const;
  /// Calls the argument for each buffer that versions were noted of; some twice.
  void for_buffers(function_ref<void(data_id)> visit) const;

 private:
  /// The content of a part of a block.
  struct block_version {
    std::uint64_t position = 0;  ///< 0: not known
    bool is_root = false;        ///< it cannot be made again by running a task
    bool is_at_cut = false;      ///< it is what the cut that is going on begins with
    bool is_on_the_way = false;  ///< the same, once its copy has come
    bool is_saved = false;       ///< see save()
    friend bool operator==(const block_version&, const block_version&) = default;
  };
  struct part_aside {
    std::uint64_t position;
    data_id data;
    kept_ref bytes;
    bool is_at_cut = false;  ///< as in block_version
    bool is_saved = false;   ///< and not at a cut, nor a root
  };
  using block_versions = region_map<block_version>;

  [[nodiscard]] block_versions& of(const tracked_buffer& buffer);
  void forget_aside(function_ref<bool(const part_aside&)> is_meant);

  const task_log& log_;
  std::map<data_id, block_versions> in_blocks_;
  std::vector<part_aside> aside_;
  std::uint64_t bytes_aside_ = 0;
  bool is_cut_invalid_ = false;
};

}  // namespace hocket::placement

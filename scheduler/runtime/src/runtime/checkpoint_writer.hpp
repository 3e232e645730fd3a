// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include <hocket/devices/checkpoint_folder.hpp>
#include <hocket/execution/executor.hpp>
#include <hocket/execution/pump.hpp>

namespace hocket::detail {

/// A copy of buffers, from which a checkpoint is written. The bytes of the arrays lie in the
/// blocks.
struct checkpoint_snapshot {
  checkpoint_position position;
  std::vector<checkpoint_array> arrays;
  std::vector<std::shared_ptr<std::byte[]>> blocks;
};

/// Writes checkpoints in a thread of its own, so that no worker waits for the disk; on the virtual
/// clock in the thread that does everything.
class checkpoint_writer {
 public:
  checkpoint_writer(executor& where, const std::filesystem::path& folder, std::size_t keep);

  /// From a task of the runtime, one at a time. Returns the number once the checkpoint is on the
  /// disk; the worker does other work meanwhile. Throws what checkpoint_folder::write throws.
  std::uint64_t write(const checkpoint_snapshot& what);

  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_.path(); }

  /// Not while a task writes.
  [[nodiscard]] std::optional<saved_checkpoint> read_newest() { return folder_.read_newest(); }

 private:
  executor& where_;
  checkpoint_folder folder_;
  std::optional<pump> thread_;  // last: its work uses the folder
};

}  // namespace hocket::detail

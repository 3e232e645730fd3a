// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <hocket/execution/pump.hpp>

#include "copy.hpp"
#include "memory.hpp"
#include "timeline_stream.hpp"

namespace hocket::vulkan {

/// Copies to or from a device's memory that the host does not address. A copy is cut into chunks,
/// which go through two staging buffers in turn: while the device copies from (to) one of them, a
/// thread fills (empties) the other. All chunks are submitted at once, each behind a semaphore that
/// the thread signals; so nothing that is submitted later, and waits for them, can be in the way.
class staged_copy_stream final : public timeline_stream {
 public:
  [[nodiscard]] static result<std::unique_ptr<timeline_stream>> make(const parts& given,
                                                                     stream_id id, direction way);
  ~staged_copy_stream() override;

 protected:
  [[nodiscard]] bool prepared(const command& what) override;
  [[nodiscard]] failure prepare(const command& what) override;
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;

 private:
  /// Bytes that lie together in the array and in a staging buffer.
  struct run {
    std::uint64_t in_array = 0;
    std::uint64_t staged = 0;
    std::uint64_t bytes = 0;
  };
  using chunk = std::vector<run>;

  /// A copy that was recorded.
  struct plan {
    std::uint64_t value = 0;  // of the command
    std::byte* host = nullptr;
    std::vector<chunk> chunks;
    command_buffers commands;  // one for each chunk
  };

  staged_copy_stream(const parts& given, stream_id id, direction way);
  [[nodiscard]] failure start();
  [[nodiscard]] static std::vector<chunk> cut(const copy_command& what);
  [[nodiscard]] VkResult record(const plan& made, std::size_t which, const buffer& theirs,
                                std::uint64_t offset) const;
  void perform(const plan& todo, std::uint64_t first, const std::vector<wait_point>& points);
  [[nodiscard]] VkResult move_all(const plan& todo, std::uint64_t first);
  void move(const plan& todo, std::size_t which, std::uint64_t number) const;
  void let_go(std::uint64_t number);
  [[nodiscard]] const buffer& staging(std::uint64_t number) const;

  const direction way_;
  std::array<buffer, 2> staging_;
  owned_semaphore go_;    // how many chunks the device may copy; the host's to signal
  owned_semaphore done_;  // how many it has copied

  // Of the command that is next, as in launch_stream.
  std::shared_ptr<const plan> next_;
  std::uint64_t chunks_ = 0;  // how many were submitted

  std::uint64_t gone_ = 0;  // the value of go_; of the pump
  pump pump_;               // ends before what its work uses
};

}  // namespace hocket::vulkan

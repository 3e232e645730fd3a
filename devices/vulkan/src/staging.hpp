// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <memory>
#include <vector>

#include <hocket/devices/staged_copy.hpp>
#include <hocket/execution/pump.hpp>

#include "memory.hpp"
#include "stream.hpp"

namespace hocket::vulkan {

/// Copies to or from a device's memory that the host does not address. A copy is cut into chunks,
/// which go through some staging buffers in turn: while the device copies from (to) one of them, a
/// thread fills (empties) another.
class staged_copy_stream final : public device_stream {
 public:
  /// kernels wait for its copies.
  [[nodiscard]] static result<std::unique_ptr<host_ordered_stream>> make(const parts& given,
                                                                         stream_id id,
                                                                         copy_direction way,
                                                                         const std::string& thread,
                                                                         launch_stream& kernels);
  ~staged_copy_stream() override;

 protected:
  [[nodiscard]] bool prepared(const command& what) override;
  [[nodiscard]] failure prepare(const command& what) override;
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;

 private:
  /// A copy that was recorded.
  struct plan {
    std::uint64_t value = 0;  // of the command
    std::uint64_t first = 0;  // the number of its first chunk
    std::byte* host = nullptr;
    std::vector<staged_chunk> chunks;
    command_buffers commands;  // one for each chunk
  };

  staged_copy_stream(const parts& given, stream_id id, copy_direction way,
                     const std::string& thread, launch_stream& kernels);
  void after_end() override { kernels_.go_on(); }
  [[nodiscard]] failure start();
  [[nodiscard]] VkResult record(const plan& made, std::size_t which, const buffer& theirs) const;
  void perform(const plan& todo, const std::vector<wait_point>& points);
  [[nodiscard]] VkResult bring_in(const plan& todo);
  [[nodiscard]] VkResult take_out(const plan& todo);
  void move(const plan& todo, std::size_t which) const;
  [[nodiscard]] VkResult submit_chunk(const plan& todo, std::size_t which);
  [[nodiscard]] VkResult await_chunk(const plan& todo, std::size_t which) const;
  [[nodiscard]] const buffer& staging(std::uint64_t number) const;

  const copy_direction way_;
  launch_stream& kernels_;
  std::array<buffer, 4> staging_;
  owned_semaphore done_;  // how many chunks were copied by the device

  // Of the command that is next, as in launch_stream.
  std::shared_ptr<const plan> next_;
  std::uint64_t chunks_ = 0;  // of the commands before it

  pump pump_;  // ends before what its work uses
};

}  // namespace hocket::vulkan

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <hocket/devices/host_ordered_stream.hpp>
#include <hocket/devices/staged_copy.hpp>

namespace hocket {

/// How long staging buffers are: long enough that what each chunk costs besides matters little,
/// short enough that all of them stay in a cache of the host.
inline constexpr std::uint64_t staging_bytes = std::uint64_t{512} << 10U;

/// What a driver does for copies through staging buffers. Chunks are numbered from zero on, over
/// all copies of the stream; they use the buffers in turn. A failure means that the device is lost,
/// and that it uses the buffers no more.
struct staged_copies {
  /// Begins the device's part of a chunk, given its index in the copy: from or to its buffer. Not
  /// called after the other functions were destroyed.
  using copier = std::function<failure(std::size_t which)>;

  copy_direction way = copy_direction::inbound;
  std::vector<std::byte*> buffers;  ///< where the host addresses them
  /// Prepares the device's part of a copy, whose first chunk has this number. May block.
  std::function<result<copier>(const copy_command& what, std::span<const staged_chunk> chunks,
                               std::uint64_t first)>
      prepare;
  /// True if the device has copied so many chunks; false as well where it does not say.
  std::function<bool(std::uint64_t count)> has_copied;
  /// Blocks until the device has copied so many chunks.
  std::function<failure(std::uint64_t count)> await;
};

/// Copies to or from a device's memory that the host does not address. A copy is cut into chunks,
/// which go through some staging buffers in turn: while the device copies from (to) one of them,
/// the thread fills (empties) another.
class staged_copy_stream final : public threaded_stream {
 public:
  staged_copy_stream(const parts& given, staged_copies how)
      : threaded_stream(given), how_(std::move(how)) {}
  ~staged_copy_stream() override { close(); }

 protected:
  [[nodiscard]] bool prepared(const command& what) override;
  [[nodiscard]] failure prepare(const command& what) override;
  [[nodiscard]] failure enqueue(const command& what, std::span<const device_wait> waits) override;

 private:
  /// A copy that was prepared.
  struct plan {
    std::uint64_t value = 0;  // of the command
    std::uint64_t first = 0;  // the number of its first chunk
    std::byte* host = nullptr;
    std::vector<staged_chunk> chunks;
    staged_copies::copier copy;
  };

  [[nodiscard]] failure bring_in(const plan& todo) const;
  [[nodiscard]] failure take_out(const plan& todo) const;
  [[nodiscard]] failure await_chunk(const plan& todo, std::size_t which) const;
  void move(const plan& todo, std::size_t which) const;

  const staged_copies how_;

  // Of the command that is next. Under the domain's lock, or by the one worker that prepares it.
  std::shared_ptr<const plan> next_;
  std::uint64_t chunks_ = 0;  // of the commands before it
};

}  // namespace hocket

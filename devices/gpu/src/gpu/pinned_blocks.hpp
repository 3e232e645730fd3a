// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <hocket/memory/resource.hpp>

namespace hocket::gpu {

class context;

/// Blocks of the host's memory that the devices of a driver copy from and to. One that is copied
/// again is pinned, so that the driver copies without the host. Any thread.
class pinned_blocks {
 public:
  /// For as long as it lives, a device uses the blocks. What was pinned with its context is pinned
  /// no longer then, once copies of other devices have ended.
  class user {
   public:
    user(pinned_blocks& of, std::shared_ptr<context> in);
    ~user();
    user(const user&) = delete;
    user& operator=(const user&) = delete;

   private:
    pinned_blocks& of_;
    std::shared_ptr<context> in_;
  };

  /// The block exists until forget(). Only such blocks are pinned: what the driver believes of
  /// memory that went back to the system is wrong.
  void remember(const allocation& host);
  void forget(const allocation& host) noexcept;

  /// A copy went through other pinned memory.
  void note_copy(const allocation& host);

  /// True if the driver copies by itself from and to the memory; nothing where the driver has to be
  /// asked, because the program may have pinned it.
  [[nodiscard]] std::optional<bool> is_pinned(const allocation& host) const;

  /// True if pin() is worth its time.
  [[nodiscard]] bool should_pin(const allocation& host) const;
  /// Pins the block, which takes some milliseconds if it is large. Where the driver refuses, the
  /// block stays as it is.
  void pin(const std::shared_ptr<context>& by, const allocation& host);

 private:
  struct block {
    void* address = nullptr;
    std::size_t bytes = 0;
    std::size_t copies = 0;
    bool refused = false;
    std::shared_ptr<context> by;  ///< which it is pinned with
  };

  /// The block that the memory is a part of; null if there is none.
  [[nodiscard]] const block* find(const allocation& host) const;
  [[nodiscard]] bool should_pin(const block& of) const noexcept;
  [[nodiscard]] block take_out(block& what) noexcept;
  void leave(const std::shared_ptr<context>& in) noexcept;

  mutable std::mutex guard_;                    // for what follows
  std::map<void*, block, std::less<>> blocks_;  ///< by their addresses
  std::size_t pinned_bytes_ = 0;
  std::vector<std::shared_ptr<context>> users_;
};

}  // namespace hocket::gpu

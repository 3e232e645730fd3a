// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include <hocket/devices/copy_slab.hpp>

#include "gpu/context.hpp"

namespace hocket::gpu {

/// Copies between memory of the host that is not pinned and a device, in one stream: through some
/// pinned buffers in turn, between which and the array functions of the host copy, which the driver
/// calls in a second stream. Nothing of it blocks. Not for two threads at a time.
class staging {
 public:
  /// Bytes of a buffer.
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 20U;

  /// Makes the buffers and the second stream. The context is current.
  [[nodiscard]] static result<std::unique_ptr<staging>> make(const std::shared_ptr<context>& in,
                                                             const std::string& device);
  ~staging();
  staging(const staging&) = delete;
  staging& operator=(const staging&) = delete;

  /// A copy whose parts were cut so that each fits into a buffer.
  struct request {
    stream_handle stream;
    event_ref begin;  ///< recorded in the stream before the copy
    std::byte* host = nullptr;
    device_address device = 0;
    bool to_host = false;
    bool is_ready = false;  ///< the host's memory has what is to be copied
    std::vector<copy_slab> chunks;
  };
  /// Hands the copy over. used stays until the end of the copy. If this fails, what was handed over
  /// has ended. The context is current.
  [[nodiscard]] code enqueue(const request& what, std::shared_ptr<host_moves>& used);

 private:
  static constexpr std::size_t buffer_count = 4;

  /// A buffer, and the events behind its last uses.
  struct buffer {
    handle<std::byte*> memory;
    event_ref host_done, device_done;
  };

  /// A buffer that is filled while a copy is handed over, which takes a function of the host some
  /// ten times as long to begin with.
  static constexpr std::size_t small_bytes = std::size_t{64} << 10U, small_count = 8;
  struct small_buffer {
    std::byte* memory = nullptr;
    event_ref done;  ///< behind its last use
    bool used = false;
  };

  explicit staging(std::shared_ptr<context> in) : in_(std::move(in)) {}
  [[nodiscard]] bool is_free(const small_buffer& of) const;
  [[nodiscard]] code enqueue_small(const request& what, small_buffer& through) const;
  [[nodiscard]] code enqueue_all(const request& what, host_moves& moves);
  [[nodiscard]] code enqueue_one(const request& what, std::size_t which, void* move);

  std::shared_ptr<context> in_;
  handle<stream_handle> second_;
  std::array<buffer, buffer_count> buffers_;
  handle<std::byte*> small_memory_;
  std::array<small_buffer, small_count> small_;
  std::size_t next_small_ = 0;
};

/// Cuts the box into slabs of at most so many bytes.
[[nodiscard]] std::vector<copy_slab> slabs_up_to(const copy_command& what, std::size_t bytes);

/// Copies a slab between two contexts, within one, or from or to pinned memory of the host. An end
/// in a device is an address in a context, one in the host an address alone. packed: the slab's
/// bytes lie together at the host's end, from the address on.
struct slab_end {
  device_address device = 0;
  context_handle context = nullptr;  ///< null: the host's
  std::byte* host = nullptr;
  bool packed = false;
};
[[nodiscard]] code copy_in_stream(const api& driver, stream_handle stream, const copy_slab& what,
                                  const slab_end& from, const slab_end& to);

}  // namespace hocket::gpu

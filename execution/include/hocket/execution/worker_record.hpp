// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <atomic>
#include <cstdint>

#include <hocket/execution/inbox.hpp>

namespace hocket {

/// The record of one worker of an executor, for the executor's owner. That worker alone writes the
/// record.
template <class Atomics = real_atomics>
struct alignas(64) basic_worker_record {
  typename Atomics::template atomic<std::uint64_t> started{0};
  typename Atomics::template atomic<std::uint64_t> ended{0};
  /// The owner wants to be called, as by a worker that is out of items, before the worker runs an
  /// item with memory of its own: that may take long.
  bool owes_call = false;
};
using worker_record = basic_worker_record<>;

/// The record of the calling worker; null if the calling thread is not in an item that a worker of
/// the executor runs. After a wait the record may be another one. pool: see executor::pool().
[[nodiscard]] worker_record* current_worker(const void* pool) noexcept;

}  // namespace hocket

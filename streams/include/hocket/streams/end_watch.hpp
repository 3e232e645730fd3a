// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include <hocket/execution/pump.hpp>

namespace hocket {

/// Learns of the ends of what a queue of a driver was given: in a thread of its own, or in one that
/// waits for such an end anyhow. That one is spared two wakes, which take longer than a short
/// kernel; so once a thread has attended, its own thread leaves ends to such threads until it sees,
/// within a fraction of a millisecond, that none of them came. An idle watch uses no CPU.
class end_watch {
 public:
  /// next() waits for the oldest thing that was added and has not ended, and perhaps for some that
  /// were added after it, tells of their ends, and returns how many it told of. It is called until
  /// it has told of all, by one thread at a time. name is that of the thread.
  end_watch(const std::string& name, std::function<std::size_t()> next);
  end_watch(const end_watch&) = delete;
  end_watch& operator=(const end_watch&) = delete;

  /// Everything that was added has to have ended, or to end by itself.
  ~end_watch() = default;

  /// The driver was given so many more.
  void added(std::size_t count);

  /// Calls next() here until reached() holds. Returns earlier if another thread does so, or nothing
  /// is left. Not from next().
  void poll(const std::function<bool()>& reached);

  /// Called before a thread blocks on something else. Until the next poll(), ends are left to the
  /// watching thread.
  void stop_polling() noexcept;

 private:
  void serve(std::unique_lock<std::mutex>& lock, const std::function<bool()>& reached);
  void call_own_thread();
  void look_later();
  void look_after();

  const std::function<std::size_t()> next_;
  std::mutex guard_;  // for what follows
  std::size_t left_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t ended_before_ = 0;  ///< when it was last looked after
  bool polled_ = false;
  bool called_ = false;   ///< its own thread is on its way
  bool defers_ = false;   ///< it leaves ends to threads that wait
  bool looking_ = false;  ///< a time has been set to look after that
  pump own_;              // ends before what its work uses
};

}  // namespace hocket

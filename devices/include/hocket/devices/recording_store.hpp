// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include <hocket/core/result.hpp>
#include <hocket/streams/command.hpp>

namespace hocket {

/// Whether what was recorded may serve an equal launch as well.
enum class recording_use : std::uint8_t { again, once };

/// A launch as a driver's commands were recorded for it, to know it when it comes again. Kernels
/// that are gone are not kept alive.
struct recorded_launch {
  std::weak_ptr<const kernel_definition> kernel;
  placed_buffers buffers;
  scalar_arguments scalars;
  std::uint64_t releases = 0;  ///< of the device's buffers, before it was recorded
  recording_use use = recording_use::again;

  [[nodiscard]] bool is(const launch_command& what, std::uint64_t releases_now) const {
    return releases == releases_now && !kernel.owner_before(what.kernel) &&
           !what.kernel.owner_before(kernel) && buffers == what.buffers && scalars == what.scalars;
  }
};

/// The recordings of a stream that no command uses. What was recorded in one stays there, for the
/// case that the same launch comes again. Any thread.
///
/// A Recording has the member `content`, an optional recorded_launch, and forget(), which makes it
/// empty.
template <class Recording>
class recording_store {
 public:
  using owner = std::unique_ptr<Recording>;
  using maker = std::function<result<owner>()>;

  explicit recording_store(maker make) : make_(std::move(make)) {}

  /// One in which this launch is recorded; null if there is none. releases is how many of the
  /// device's buffers were given back so far.
  [[nodiscard]] owner take_recorded(const launch_command& what, std::uint64_t releases) {
    const std::lock_guard lock(guard_);
    // What came back last is wanted again first.
    const auto found = std::find_if(free_.rbegin(), free_.rend(), [&](const owner& each) {
      return each->content && each->content->is(what, releases);
    });
    if (found == free_.rend()) return nullptr;
    owner taken = std::move(*found);
    free_.erase(std::prev(found.base()));
    return taken;
  }

  /// Records a launch in one that is free, or in a new one. fill(recording) does so, and returns
  /// why it could not: the recording is destroyed then, because it must not be begun again.
  template <class Fill>
  [[nodiscard]] result<owner> record(const launch_command& what, std::uint64_t releases,
                                     recording_use use, Fill fill) {
    // Copied first: an exception after the take would lose the recording.
    recorded_launch content{what.kernel, what.buffers, what.scalars, releases, use};
    auto taken = take();
    if (!taken) return taken;
    if (failure why = fill(*taken.value())) {
      discard(std::move(taken).value());
      return why;
    }
    taken.value()->content = std::move(content);
    return taken;
  }

  void give_back(owner used) {
    if (used->content->use == recording_use::once) used->forget();
    const std::lock_guard lock(guard_);
    free_.push_back(std::move(used));
  }

 private:
  [[nodiscard]] result<owner> take() {
    // So many launches are remembered that take turns, whatever their number at a time.
    constexpr std::size_t few = 16;
    {
      const std::lock_guard lock(guard_);
      if (!free_.empty() && made_ >= few) {
        owner oldest = std::move(free_.front());
        free_.pop_front();
        oldest->forget();
        return oldest;
      }
      ++made_;
    }
    return make_();
  }

  void discard(owner broken) {
    broken.reset();
    const std::lock_guard lock(guard_);
    --made_;
  }

  const maker make_;
  std::mutex guard_;  // for what follows
  std::deque<owner> free_;
  std::size_t made_ = 0;
};

}  // namespace hocket

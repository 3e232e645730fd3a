// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "slots.hpp"

#include <algorithm>
#include <utility>

namespace hocket::vulkan {

std::unique_ptr<slot> slot_store::take_recorded(const launch_command& what) {
  const std::uint64_t releases = of_.releases();
  const std::lock_guard lock(guard_);
  // What came back last is wanted again first.
  const auto found = std::find_if(free_.rbegin(), free_.rend(), [&](const auto& each) {
    return each->content && each->content->is(what, releases);
  });
  if (found == free_.rend()) return nullptr;
  std::unique_ptr<slot> taken = std::move(*found);
  free_.erase(std::prev(found.base()));
  return taken;
}

result<std::unique_ptr<slot>> slot_store::take(bool stamped) {
  // So many launches are remembered that take turns, whatever their number at a time.
  constexpr std::size_t few = 16;
  {
    const std::lock_guard lock(guard_);
    if (!free_.empty() && (made_ >= few || !free_.front()->content)) {
      std::unique_ptr<slot> oldest = std::move(free_.front());
      free_.pop_front();
      oldest->forget();
      return oldest;
    }
    ++made_;
  }
  return make_slot(of_, stamped);
}

void slot_store::give_back(std::unique_ptr<slot> used) {
  if (!used->content) used->forget();
  const std::lock_guard lock(guard_);
  free_.push_back(std::move(used));
}

void slot_store::discard(std::unique_ptr<slot> broken) {
  broken.reset();
  const std::lock_guard lock(guard_);
  --made_;
}

}  // namespace hocket::vulkan

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/memory/eviction.hpp>

#include <algorithm>
#include <tuple>

#include <hocket/core/saturating.hpp>

namespace hocket {

bool eviction_order::goes_before::operator()(const eviction_candidate& a,
                                             const eviction_candidate& b) const noexcept {
  return std::tie(b.next_use, a.last_use, a.data) < std::tie(a.next_use, b.last_use, b.data);
}

eviction_order::queue& eviction_order::queue_of(const eviction_candidate& candidate) noexcept {
  if (candidate.next_use >= eviction_candidate::unknown) return unused_;
  return candidate.sole_copy ? sole_ : clean_;
}

void eviction_order::set(const eviction_candidate& candidate) {
  if (const queue::const_iterator* const at = known_.find(candidate.data)) {
    if (**at == candidate) return;
    erase(candidate.data);
  }
  known_.insert(candidate.data, queue_of(candidate).insert(candidate).first);
}

void eviction_order::erase(data_id data) {
  const queue::const_iterator* const at = known_.find(data);
  if (at == nullptr) return;
  queue_of(**at).erase(*at);
  known_.erase(data);
}

std::vector<data_id> eviction_order::choose(std::uint64_t bytes, std::uint64_t now) const {
  const auto distance = [now](const eviction_candidate& c) {
    return c.next_use > now ? c.next_use - now : 0;
  };
  std::vector<const eviction_candidate*> chosen;
  std::uint64_t missing = bytes, excess = 0;
  auto unused = unused_.begin(), clean = clean_.begin(), sole = sole_.begin();
  while (missing > 0) {
    if (unused != unused_.end()) {
      chosen.push_back(&*unused++);
    } else if (clean != clean_.end() &&
               (sole == sole_.end() ||
                saturating_add(distance(*clean), distance(*clean)) >= distance(*sole))) {
      chosen.push_back(&*clean++);
    } else if (sole != sole_.end()) {
      chosen.push_back(&*sole++);
    } else {
      break;
    }
    const std::uint64_t more = chosen.back()->bytes;
    if (more > missing) excess = more - missing;
    missing -= std::min(missing, more);
  }

  // A large victim at the end can make smaller ones before it needless; the sooner used are spared.
  for (std::size_t i = chosen.size(); i-- > 0 && missing == 0;) {
    if (chosen[i]->bytes > excess) continue;
    excess -= chosen[i]->bytes;
    chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
  }

  std::vector<data_id> victims;
  for (const auto* c : chosen) victims.push_back(c->data);
  return victims;
}

}  // namespace hocket

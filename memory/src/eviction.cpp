// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/memory/eviction.hpp>

#include <algorithm>

namespace hocket {
namespace {

std::uint64_t weighted_distance(const eviction_candidate& c) noexcept {
  if (c.next_use >= eviction_candidate::unknown) return c.next_use;
  return c.sole_copy ? c.next_use / 2 : c.next_use;
}

bool goes_before(const eviction_candidate* a, const eviction_candidate* b) noexcept {
  const std::uint64_t far = weighted_distance(*a);
  const std::uint64_t other = weighted_distance(*b);
  if (far != other) return far > other;
  // Where the use is not known age alone counts: sparing sole copies there moves more, not less.
  const bool known = far != eviction_candidate::unknown;
  if (known && a->sole_copy != b->sole_copy) return b->sole_copy;
  if (a->last_use != b->last_use) return a->last_use < b->last_use;
  return a->data < b->data;
}

}  // namespace

std::vector<data_id> choose_victims(std::span<const eviction_candidate> candidates,
                                    std::uint64_t bytes) {
  std::vector<const eviction_candidate*> order;
  for (const auto& c : candidates) order.push_back(&c);
  std::sort(order.begin(), order.end(), goes_before);

  std::uint64_t missing = bytes, excess = 0;
  std::size_t count = 0;
  while (count < order.size() && missing > 0) {
    const std::uint64_t more = order[count++]->bytes;
    if (more > missing) excess = more - missing;
    missing -= std::min(missing, more);
  }
  order.resize(count);

  // A large victim at the end can make smaller ones before it needless; the sooner used are spared.
  for (std::size_t i = count; i-- > 0 && missing == 0;) {
    if (order[i]->bytes > excess) continue;
    excess -= order[i]->bytes;
    order.erase(order.begin() + static_cast<std::ptrdiff_t>(i));
  }

  std::vector<data_id> victims;
  for (const auto* c : order) victims.push_back(c->data);
  return victims;
}

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/copy_costs.hpp"

#include <cmath>

#include "placement/time_counts.hpp"

namespace hocket::placement {

double copy_costs::by_rates(memory_id from, memory_id to, std::uint64_t bytes) const {
  const machine::link& link = *machine_.link_between(from, to);
  return count(link.latency) + static_cast<double>(bytes) / link.bytes_per_second * 1e9;
}

nanoseconds copy_costs::predict_anew(link_predictions::prediction& to_keep, memory_id from,
                                     memory_id to, std::uint64_t bytes) const {
  if (kept_ != nullptr && !has_asked_) recall();
  const auto known = known_.find({from, to, size_class(static_cast<double>(bytes))});
  const double factor = known == known_.end() ? 1 : known->second.factor.value();
  to_keep = {from, to, bytes, rounded(by_rates(from, to, bytes) * factor)};
  return to_keep.time;
}

void copy_costs::recall() const {
  has_asked_ = true;
  for (const kept_copy& each : kept_->of_copies()) {
    if (!machine_.link_between(each.from, each.to)) continue;
    const double by_link = by_rates(each.from, each.to, each.bytes);
    if (by_link <= 0) continue;  // a modelled link without a cost
    const copy_key key{each.from, each.to, size_class(static_cast<double>(each.bytes))};
    const auto [made, is_new] = known_.try_emplace(key);
    if (!is_new) continue;
    made->second.factor.add(count(each.time) / by_link);
    made->second.was_kept = true;
  }
}

void copy_costs::measured(memory_id from, memory_id to, std::uint64_t bytes, nanoseconds took) {
  took = std::min(took, longest_sum / 4);
  usual_ += usual_ == nanoseconds{0} ? took : (took - usual_) / 8;
  const double by_link = by_rates(from, to, bytes);
  if (by_link <= 0) return;  // a modelled link without a cost
  link_costs& known = known_[{from, to, size_class(static_cast<double>(bytes))}];
  if (known.factor.changes_by(count(took) / by_link, false)) ++changes_;
  predictions_[machine_.link_between(from, to)->stream.value] = {};
}

void copy_costs::add_learned(std::vector<kept_copy>& to) const {
  for (const auto& [key, costs] : known_) {
    if (costs.factor.count() < enough_to_tell + (costs.was_kept ? 1 : 0)) continue;
    const auto bytes = static_cast<std::uint64_t>(std::ldexp(1.0, key.size));
    const double by_link = by_rates(key.from, key.to, bytes);
    to.push_back({key.from, key.to, bytes, rounded(costs.factor.value() * by_link)});
  }
}

}  // namespace hocket::placement

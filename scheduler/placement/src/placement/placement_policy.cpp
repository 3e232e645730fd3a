// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/placement_policy.hpp"

#include <hocket/core/error.hpp>

#include "placement/earliest_end.hpp"
#include "placement/replanning.hpp"

namespace hocket::placement {

namespace {

struct known_policy {
  std::string_view name;
  std::unique_ptr<placement_policy> (*make)();
};

template <class Policy>
std::unique_ptr<placement_policy> make() {
  return std::make_unique<Policy>();
}

constexpr known_policy policies[] = {
    {"replanning", make<replanning>},
    {"earliest-end", make<earliest_end>},
};

}  // namespace

std::unique_ptr<placement_policy> make_policy(std::string_view name, std::string_view source) {
  if (name.empty()) return policies[0].make();
  std::string known;
  for (const known_policy& each : policies) {
    if (each.name == name) return each.make();
    known.append(known.empty() ? "" : ", ").append(each.name);
  }
  throw usage_error(std::string(source) + " is \"" + std::string(name) +
                    "\"; the policies are: " + known + ".");
}

}  // namespace hocket::placement

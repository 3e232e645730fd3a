// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/device_chooser.hpp"

#include <hocket/core/error.hpp>
#include <hocket/core/printable.hpp>

#include "placement/policies/policies.hpp"
#include "placement/policy_chooser.hpp"
#include "placement/replanning.hpp"

namespace hocket {

namespace placement {

namespace {

using make_policy = std::unique_ptr<placement_policy> (*)();

struct known_policy {
  std::string_view name;
  make_policy make;  ///< null: it has more to say than a placement_policy can
};

constexpr known_policy policies[] = {
    {"replanning", nullptr},
    {"earliest-end", make_earliest_end},
    {"ranked-earliest-end", make_ranked_earliest_end},
    {"work-stealing", make_work_stealing},
    {"locality-first", make_locality_first},
    {"owner-computes", make_owner_computes},
    {"round-robin", make_round_robin},
    {"random", make_random},
    {"least-energy", make_least_energy},
};

std::unique_ptr<device_chooser> make(const known_policy& which) {
  if (which.make == nullptr) return std::make_unique<replanning>();
  return std::make_unique<policy_chooser>(which.make());
}

}  // namespace

std::unique_ptr<device_chooser> make_chooser(std::string_view name, std::string_view source) {
  if (name.empty()) return make(policies[0]);
  std::string known;
  for (const known_policy& each : policies) {
    if (each.name == name) return make(each);
    known.append(known.empty() ? "" : ", ").append(each.name);
  }
  throw usage_error(std::string(source) + " is " + in_quotes(name) +
                    "; the policies are: " + known + ".");
}

std::unique_ptr<device_chooser> make_chooser(std::shared_ptr<placement_policy> own) {
  return std::make_unique<policy_chooser>(std::move(own));
}

}  // namespace placement

std::vector<std::string> placement_policies() {
  std::vector<std::string> names;
  for (const placement::known_policy& each : placement::policies) names.emplace_back(each.name);
  return names;
}

}  // namespace hocket

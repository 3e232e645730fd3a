// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/sim.hpp>
#include <hocket/execution/seeded_executor.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "conformance.hpp"

namespace hocket::testing {

namespace {

target on_threads(std::string name, std::string configuration) {
  target made;
  made.name = std::move(name);
  made.make_backend = make_sim_backend;
  made.make_executor = [] {
    return std::make_unique<tbb_executor>(std::make_shared<const host_topology>());
  };
  made.configuration = std::move(configuration);
  made.lose = [](device& d, const failure& why) { d.lose(why); };
  return made;
}

target on_a_seed(std::string name, std::uint64_t seed, nanoseconds longest_delay) {
  target made =
      on_threads(std::move(name), "2,memory=16M,flops=1G,link=1G,latency=5us,launch=2us,lanes=2;1");
  made.make_executor = [=] {
    return std::make_unique<seeded_executor>(
        seeded_executor_options{.seed = seed,
                                .workers = {2, 2},
                                .delay_probability = longest_delay.count() == 0 ? 0.0 : 0.3,
                                .longest_delay = longest_delay});
  };
  made.modelled = true;
  return made;
}

std::vector<target> sim_targets() {
  target timed = on_threads("timed", "2,memory=16M,flops=100G,launch=3us,latency=2us");
  timed.modelled = true;
  std::vector<target> all{on_threads("real", "2,memory=16M,lanes=2"), timed,
                          on_a_seed("virtual", 1, {})};
  for (std::size_t i = 0; i < 3; ++i) all.push_back(with_faults(all[i]));
  for (std::uint64_t seed = 2; seed < 6; ++seed) {
    all.push_back(on_a_seed("delayed_" + std::to_string(seed), seed, std::chrono::microseconds(9)));
    all.back().gaps["a_modelled_copy_overlaps_a_kernel"] =
        "delays that the seed adds are not part of the model";
  }
  return all;
}

}  // namespace

INSTANTIATE_TEST_SUITE_P(sim, conformance, ::testing::ValuesIn(sim_targets()), target_name);

}  // namespace hocket::testing

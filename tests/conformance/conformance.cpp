// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "conformance.hpp"

#include <algorithm>

#include <hocket/core/environment.hpp>
#include <hocket/devices/fault_injector.hpp>
#include <hocket/execution/tbb_executor.hpp>
#include <hocket/memory/host_resource.hpp>

#include "kernels.hpp"

namespace hocket::testing {

namespace {

/// Numbers for the device after those of the devices before it.
device_numbers number(const device_info& info, const std::vector<device_numbers>& before,
                      bool host_memory) {
  std::uint64_t next = 0;
  for (const device_numbers& b : before) next += b.compute.size() + 2;
  device_numbers made;
  made.device = {before.size()};
  for (std::size_t lane = 0; lane < info.lanes; ++lane) made.compute.push_back({next++});
  made.inbound = {next++};
  made.outbound = {next++};
  made.uses_host_memory = host_memory;
  return made;
}

/// Finds the devices of another backend, with faults.
class decorated_backend final : public backend {
 public:
  explicit decorated_backend(std::unique_ptr<const backend> of) : of_(std::move(of)) {}

  [[nodiscard]] std::string name() const override { return of_->name(); }
  [[nodiscard]] found_devices find(const executor& where, const std::string& configuration,
                                   const adopted_contexts& adopted) const override {
    found_devices found = of_->find(where, configuration, adopted);
    fault_injector faults(fault_plan(
        "fail * launch 1000000000; corrupt * launch 1000000000; hang * wait 1000000000"));
    if (!found.usable.empty()) found.usable = faults.decorate(std::move(found.usable));
    return found;
  }
  [[nodiscard]] std::string why_none() const override { return of_->why_none(); }

 private:
  const std::unique_ptr<const backend> of_;
};

}  // namespace

target on_vendors_driver(decltype(target::make_backend) make_backend, const std::string& variable) {
  target made;
  made.name = "whole";
  made.make_backend = std::move(make_backend);
  made.make_executor = [] {
    return std::make_unique<tbb_executor>(std::make_shared<const host_topology>());
  };
  made.configuration = "memory=16M";
  if (const auto more = environment_variable(variable.c_str())) {
    made.configuration += "," + *more;
  }
  made.lose = [](device& d, const failure& why) { d.lose(why); };
  return made;
}

target with_faults(target of) {
  of.name += "_with_faults";
  of.make_backend = [make = of.make_backend] {
    return std::make_unique<const decorated_backend>(make());
  };
  return of;
}

void conformance::SetUp() {
  const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const auto gap = GetParam().gaps.find(test.substr(0, test.find('/')));
  if (gap != GetParam().gaps.end()) {
    ASSERT_FALSE(gap->second.empty()) << "a gap without a reason";
    GTEST_SKIP() << gap->second;
  }
  nothing_ = do_nothing().definition();
  // Why a target is skipped whose device this machine does not have. Asking the driver again in
  // each test would take long.
  static std::map<std::string, std::string> missing;
  const char* const suite =
      ::testing::UnitTest::GetInstance()->current_test_info()->test_suite_name();
  std::string& why = missing[suite + GetParam().name];
  if (!why.empty()) GTEST_SKIP() << why;
  executor_ = GetParam().make_executor();
  backend_ = GetParam().make_backend();
  const auto found = backend_->find(*executor_, GetParam().configuration).usable;
  if (found.empty()) {
    why = backend_->why_none();
    ASSERT_FALSE(why.empty());
  } else if (GetParam().host_memory && !found.front()->info().imports_host_memory) {
    why = "The device cannot use the host's memory in place, which this case is about.";
  }
  if (!why.empty()) GTEST_SKIP() << why;
  // Devices of unlike drivers do not wait for one another, nor copy to one another.
  for (const auto& candidate : found) {
    if (candidate->info().domain == found.front()->info().domain) connect(*candidate);
  }
  open_memories();
}

void conformance::connect(const device_candidate& found) {
  const bool host_memory = GetParam().host_memory;
  numbers_.push_back(number(found.info(), numbers_, host_memory));
  const device_numbers& own = numbers_.back();
  std::set<stream_id> streams(own.compute.begin(), own.compute.end());
  streams.insert({own.inbound, own.outbound});
  sink.owns(own.device, std::move(streams));
  auto made = found.connect(own, *executor_, sink);
  ASSERT_TRUE(made) << made.error().message();
  devices_.push_back(std::move(made).value());
}

void conformance::open_memories() {
  std::vector<device*> importing;
  if (GetParam().host_memory) {
    for (const auto& d : devices_) importing.push_back(d.get());
    host_memory_ = std::make_unique<host_resource>(device_title(first().info().name));
    pools_.push_back(std::make_unique<pooled_memory>(*host_memory_, first().info(), importing));
  }
  for (const auto& d : devices_) {
    if (!host_memory_) pools_.push_back(std::make_unique<pooled_memory>(d->memory(), d->info()));
    memories_.push_back(std::make_unique<counting_resource>(*pools_.back()));
  }
}

void conformance::TearDown() {
  for (const auto& m : memories_) EXPECT_EQ(m->now().live_allocations, 0U);
  pools_.clear();
  devices_.clear();
  executor_.reset();
}

bool conformance::runs_host_bodies() const {
  const auto& formats = devices_.front()->info().formats;
  return std::find(formats.begin(), formats.end(), kernel_format::host) != formats.end();
}

bool conformance::lacks(std::size_t d, element_type type) const {
  const auto& all = devices_[d]->info().lacks;
  return std::find(all.begin(), all.end(), type) != all.end();
}

launch_command conformance::nothing() const { return launch_of(nothing_, {}); }

void conformance::lose(std::size_t d, const failure& why) { GetParam().lose(*devices_[d], why); }

}  // namespace hocket::testing

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "conformance.hpp"

#include <algorithm>

namespace hocket::testing {

namespace {

/// Numbers for the device after those of the devices before it.
device_numbers number(const device_info& info, const std::vector<device_numbers>& before) {
  std::uint64_t next = 0;
  for (const device_numbers& b : before) next += b.compute.size() + 2;
  device_numbers made;
  made.device = {before.size()};
  for (std::size_t lane = 0; lane < info.lanes; ++lane) made.compute.push_back({next++});
  made.inbound = {next++};
  made.outbound = {next++};
  return made;
}

}  // namespace

void conformance::SetUp() {
  const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const auto gap = GetParam().gaps.find(test.substr(0, test.find('/')));
  if (gap != GetParam().gaps.end()) {
    ASSERT_FALSE(gap->second.empty()) << "a gap without a reason";
    GTEST_SKIP() << gap->second;
  }
  executor_ = GetParam().make_executor();
  backend_ = GetParam().make_backend();
  const auto found = backend_->find(*executor_, GetParam().configuration);
  if (found.empty()) GTEST_SKIP() << backend_->why_none();
  for (const auto& candidate : found) connect(*candidate);
}

void conformance::connect(const device_candidate& found) {
  numbers_.push_back(number(found.info(), numbers_));
  const device_numbers& own = numbers_.back();
  std::set<stream_id> streams(own.compute.begin(), own.compute.end());
  streams.insert({own.inbound, own.outbound});
  sink.owns(own.device, std::move(streams));
  auto made = found.connect(own, *executor_, sink);
  ASSERT_TRUE(made) << made.why().message();
  devices_.push_back(std::move(made).value());
  memories_.push_back(std::make_unique<counting_resource>(devices_.back()->memory()));
}

void conformance::TearDown() {
  for (const auto& m : memories_) EXPECT_EQ(m->now().live_allocations, 0U);
  devices_.clear();
  executor_.reset();
}

bool conformance::runs_host_bodies() const {
  const auto& formats = devices_.front()->info().formats;
  return std::find(formats.begin(), formats.end(), kernel_format::host) != formats.end();
}

void conformance::lose(std::size_t d, const failure& why) { GetParam().lose(*devices_[d], why); }

}  // namespace hocket::testing

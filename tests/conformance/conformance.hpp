// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <hocket/devices/backend.hpp>
#include <hocket/memory/counting_resource.hpp>

#include "commands.hpp"
#include "recording_sink.hpp"

namespace hocket::testing {

/// One way to run the suite: a backend with a configuration, on an executor.
struct target {
  std::string name;
  std::function<std::unique_ptr<executor>()> make_executor;
  std::function<std::unique_ptr<const backend>()> make_backend;
  std::string configuration;  ///< of at least one device, two where the backend can

  /// Makes a device of the backend be lost; empty where the test cannot bring that about.
  std::function<void(device&, const failure&)> lose;

  /// Every command takes at least what predicted() says; on a virtual clock exactly that.
  bool modelled = false;

  /// What the backend cannot do: the name of a test, and the reason why it is skipped.
  std::map<std::string, std::string> gaps;
};

// Found by GoogleTest, which would print bytes otherwise.
inline void PrintTo(const target& t, std::ostream* out) { *out << t.name; }

inline std::string target_name(const ::testing::TestParamInfo<target>& info) {
  return info.param.name;
}

/// The devices of a target, their memories counted. Each test ends with no command in flight, no
/// live allocation and nothing that overlapped.
class conformance : public ::testing::TestWithParam<target> {
 protected:
  void SetUp() override;
  void TearDown() override;

  [[nodiscard]] device& first() { return *devices_.front(); }
  [[nodiscard]] std::size_t devices() const { return devices_.size(); }
  [[nodiscard]] device& at(std::size_t d) { return *devices_[d]; }
  [[nodiscard]] memory_resource& memory(std::size_t d = 0) { return *memories_[d]; }
  [[nodiscard]] const device_numbers& numbers(std::size_t d = 0) const { return numbers_[d]; }
  [[nodiscard]] bool runs_host_bodies() const;
  [[nodiscard]] bool threads() const { return !executor_->is_virtual(); }

  /// Waits until everything that was submitted through `submit` and is heard of has ended.
  void finish(timepoint last) { sink.await(*executor_, last.on->stream(), last.value); }
  [[nodiscard]] command_result result(timepoint of) const {
    return sink.result(of.on->stream(), of.value);
  }
  /// Lets time pass, and what is ready go on.
  void pause(nanoseconds length) {
    executor_->wait([](const auto&) {}, executor_->now() + length);
  }
  void lose(std::size_t d, const failure& why = {failure_code::device_lost, "It is unplugged."});

  recording_sink sink;
  submitter submit;
  std::unique_ptr<executor> executor_;
  std::vector<std::unique_ptr<device>> devices_;

 private:
  void connect(const device_candidate& found);

  std::unique_ptr<const backend> backend_;
  std::vector<device_numbers> numbers_;
  std::vector<std::unique_ptr<counting_resource>> memories_;
};

}  // namespace hocket::testing

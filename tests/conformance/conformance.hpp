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
#include <hocket/devices/pooled_memory.hpp>

#include "commands.hpp"
#include "counting_resource.hpp"
#include "recording_sink.hpp"

namespace hocket::testing {

/// One way to run the suite: a backend with a configuration, on an executor.
struct target {
  std::string name;
  std::function<std::unique_ptr<executor>()> make_executor;
  std::function<std::unique_ptr<const backend>()> make_backend;
  std::string configuration;  ///< of at least one device, two where the backend can

  /// The device uses the host's memory in place of its own; it has to be able to.
  bool host_memory = false;

  /// Makes a device of the backend be lost; empty where the test cannot bring that about.
  std::function<void(device&, const failure&)> lose;

  /// Every command takes at least what predicted() says; on a virtual clock exactly that.
  bool modelled = false;

  /// What the backend cannot do: the name of a test, and the reason why it is skipped.
  std::map<std::string, std::string> gaps;
};

// Found by GoogleTest, which would print bytes otherwise.
inline void PrintTo(const target& t, std::ostream* out) { *out << t.name; }

/// The devices of a vendor's driver. The variable of the environment may name the driver's files.
[[nodiscard]] target on_vendors_driver(decltype(target::make_backend) make_backend,
                                       const std::string& variable);

/// The target with a plan of faults between the suite and the devices, of which none is ever met:
/// the suite must not notice.
[[nodiscard]] target with_faults(target of);

inline std::string target_name(const ::testing::TestParamInfo<target>& info) {
  return info.param.name;
}

/// Why a test is not for a device that has kernels from texts only. Those have tests of their own
/// for the same promise, with kernels that have a body in every format.
inline constexpr const char* needs_host_bodies =
    "The test is about bodies in C++, and this device runs texts in its driver's language.";

/// The devices of a target; their memories are those of a runtime, counted. Each test ends with no
/// command in flight, no live allocation and nothing that overlapped.
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
  [[nodiscard]] bool lacks(std::size_t d, element_type type) const;

  /// An allocation of the device, filled.
  template <class T>
  [[nodiscard]] allocation put(std::size_t d, std::vector<T> values) {
    const allocation made = memory(d).allocate(values.size() * sizeof(T), alignment(d)).value();
    const timepoint done =
        submit(at(d).inbound(), whole_copy<T>({values.data(), made.bytes}, made, values.size()));
    finish(done);
    EXPECT_FALSE(result(done).why) << result(done).why.message();
    return made;
  }

  /// What the allocation holds after a timepoint; it is given back.
  template <class T>
  [[nodiscard]] std::vector<T> take(std::size_t d, const allocation& from, timepoint after) {
    std::vector<T> values(from.bytes / sizeof(T));
    const timepoint done = submit(
        at(d).outbound(), whole_copy<T>(from, {values.data(), from.bytes}, values.size()), {after});
    finish(done);
    EXPECT_FALSE(result(done).why) << result(done).why.message();
    if (after.on != nullptr) finish(after);
    memory(d).deallocate(from);
    return values;
  }

  template <class T>
  [[nodiscard]] static copy_command whole_copy(const allocation& from, const allocation& to,
                                               std::size_t count) {
    return {from, to, {count}, sizeof(T), box::whole({count}), count * sizeof(T)};
  }
  template <class T>
  [[nodiscard]] static placed_buffer whole(const allocation& where, const index_list& extents) {
    return part<T>(where, extents, box::whole(extents));
  }
  template <class T>
  [[nodiscard]] static placed_buffer part(const allocation& where, const index_list& extents,
                                          const box& region) {
    return {where, part_of_array(element_type_of<T>, extents, region)};
  }

  /// A launch of the kernel that does nothing, which every device can run.
  [[nodiscard]] launch_command nothing() const;
  [[nodiscard]] std::size_t alignment(std::size_t d) const { return devices_[d]->info().alignment; }
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
  void open_memories();

  kernel_ref nothing_;
  std::unique_ptr<const backend> backend_;
  std::vector<device_numbers> numbers_;
  std::unique_ptr<memory_resource> host_memory_;
  std::vector<std::unique_ptr<pooled_memory>> pools_;
  std::vector<std::unique_ptr<counting_resource>> memories_;
};

}  // namespace hocket::testing

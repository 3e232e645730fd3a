// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include <hocket/execution/seeded_executor.hpp>
#include <hocket/execution/tbb_executor.hpp>
#include <hocket/scheduler/future.hpp>

#include "../execution/machine.hpp"
#include "host_fixture.hpp"

namespace hocket::testing {

enum class executor_kind { seeded, one_worker, two_workers };

inline std::unique_ptr<executor> make_executor(executor_kind kind) {
  switch (kind) {
    case executor_kind::seeded:
      return std::make_unique<seeded_executor>();
    case executor_kind::one_worker:
      return std::make_unique<tbb_executor>(machine("numa:1 core:1 pu:1"));
    case executor_kind::two_workers:
      return std::make_unique<tbb_executor>(machine("numa:1 core:2 pu:1"));
  }
  return nullptr;
}

/// A test that holds whatever the tasks run on.
class on_every_executor : public ::testing::TestWithParam<executor_kind> {
 protected:
  std::unique_ptr<executor> where = make_executor(GetParam());
  host_fixture rt{*where};
};

/// Names the instances; g++ and clang differ in what they make of a lambda inside the macro.
inline std::string executor_name(const ::testing::TestParamInfo<executor_kind>& info) {
  switch (info.param) {
    case executor_kind::seeded:
      return "seeded";
    case executor_kind::one_worker:
      return "one_worker";
    case executor_kind::two_workers:
      return "two_workers";
  }
  return "unknown";
}

#define HOCKET_ON_EVERY_EXECUTOR(suite)                                                        \
  INSTANTIATE_TEST_SUITE_P(, suite,                                                            \
                           ::testing::Values(executor_kind::seeded, executor_kind::one_worker, \
                                             executor_kind::two_workers),                      \
                           executor_name)

/// A task that ends when the test says so: what a device task is to host tasks.
template <class T>
class hand_task_of final : public detail::task_state {
 public:
  hand_task_of(detail::host_context& context, task_label label)
      : task_state(&context, std::move(label)) {
    context.started(*this);
  }
  void end_with(T value) {
    value_ = value;
    outcome().set_value(&value_);
    finish();
  }

 private:
  T value_{};
};

using hand_task = hand_task_of<int>;

inline boost::intrusive_ptr<hand_task> make_hand_task(host_fixture& rt, task_label label = {}) {
  return {new hand_task(rt, std::move(label))};
}

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace hocket::testing

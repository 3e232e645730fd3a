// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Run without a driver. What drivers do is the conformance suite's.

#include <dlfcn.h>

#include <array>
#include <cstddef>

#include <gtest/gtest.h>

#include <hocket/core/error.hpp>
#include <hocket/devices/cuda.hpp>
#include <hocket/execution/seeded_executor.hpp>
#include <hocket/execution/tbb_executor.hpp>

#include "driver.hpp"
#include "gpu/errors.hpp"
#include "gpu/host_moves.hpp"

namespace hocket {

namespace {

std::string refusal(const std::string& configuration) {
  const tbb_executor where(std::make_shared<const host_topology>());
  try {
    (void)make_cuda_backend()->find(where, configuration);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "none";
}

}  // namespace

TEST(cuda, without_a_driver_there_are_no_devices_and_it_says_what_to_install) {
  if (::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr) {
    GTEST_SKIP() << "There is a driver.";
  }
  const tbb_executor where(std::make_shared<const host_topology>());
  const auto backend = make_cuda_backend();
  EXPECT_TRUE(backend->find(where, "").usable.empty());
  EXPECT_TRUE(backend->find(where, "").left_out.empty());
  EXPECT_NE(backend->why_none().find("libcuda1"), std::string::npos);
}

TEST(cuda, a_driver_that_is_named_and_cannot_be_opened_is_said) {
  const tbb_executor where(std::make_shared<const host_topology>());
  const found_devices found =
      make_cuda_backend()->find(where, "memory=1G,driver=/nonexistent/libcuda.so.1");
  EXPECT_TRUE(found.usable.empty());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].find("/nonexistent/libcuda.so.1"), std::string::npos);
}

TEST(cuda, a_library_that_is_no_driver_lacks_its_functions) {
  const tbb_executor where(std::make_shared<const host_topology>());
  const found_devices found = make_cuda_backend()->find(where, "driver=libm.so.6");
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_NE(found.left_out[0].find("lacks cu"), std::string::npos) << found.left_out[0];
}

TEST(cuda, a_virtual_clock_has_no_drivers) {
  const seeded_executor where(seeded_executor_options{.seed = 1, .workers = {2}});
  EXPECT_TRUE(make_cuda_backend()->find(where, "driver=/nonexistent").left_out.empty());
}

TEST(cuda, a_wrong_configuration_is_refused_without_a_driver_too) {
  EXPECT_NE(refusal("devices=2").find("\"devices=2\""), std::string::npos);
  EXPECT_NE(refusal("memory=much").find("much"), std::string::npos);
  for (const std::string key : {"driver", "nvrtc", "blas"}) {
    const std::string why = refusal(key + "=");
    EXPECT_NE(why.find("\"" + key + "\" in the configuration of cuda is \"\""), std::string::npos)
        << why;
  }
}

TEST(cuda, moves_of_the_host_do_nothing_once_they_are_cancelled) {
  std::array<std::byte, 4> array{}, buffer{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  copy_slab all{};
  all.region = {4, 1, 1};
  gpu::host_moves moves;
  moves.add(all, array.data(), buffer.data(), true);
  gpu::host_moves::run(moves.at(0));
  EXPECT_EQ(array, buffer);
  moves.cancel();
  buffer = {};
  gpu::host_moves::run(moves.at(0));
  EXPECT_EQ(array[3], std::byte{4});
}

TEST(cuda, codes_after_which_a_context_is_of_no_use_lose_the_device) {
  const cuda::driver_api driver;
  const auto failure_of = [&](gpu::code of) {
    return gpu::failure_of(driver, of, "CUDA0", "to run");
  };
  for (const gpu::code lost : {46, 201, 214, 220, 700, 702, 710, 714, 715, 716, 717, 718, 719}) {
    EXPECT_EQ(failure_of(lost).code(), failure_code::device_lost) << lost;
  }
  for (const gpu::code kept : {1, 222, 400, 701, 704, 801}) {
    EXPECT_EQ(failure_of(kept).code(), failure_code::task_failed) << kept;
  }
  EXPECT_EQ(failure_of(2).code(), failure_code::out_of_memory);
  EXPECT_NE(failure_of(2).message().find("CUDA_ERROR_OUT_OF_MEMORY (2)"), std::string::npos);
}

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Contexts of CUDA that the program has made.

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include <hocket/core/environment.hpp>
#include <hocket/hocket.hpp>

namespace hocket::testing {

namespace {

using ::testing::Each;
using ::testing::HasSubstr;

/// Functions of the driver, as a program declares them that has no header of CUDA.
struct driver_functions {
  explicit driver_functions(void* library) {
    if (library == nullptr) return;
    get(library, "cuInit", initialize);
    get(library, "cuCtxCreate_v2", create);
    get(library, "cuCtxDestroy_v2", destroy);
    get(library, "cuCtxPushCurrent_v2", push);
    get(library, "cuCtxPopCurrent_v2", pop);
    get(library, "cuMemAlloc_v2", allocate);
    get(library, "cuMemFree_v2", free);
    get(library, "cuMemcpyHtoD_v2", copy_in);
    get(library, "cuMemcpyDtoDAsync_v2", copy_within);
  }
  template <class F>
  static void get(void* library, const char* name, F& into) {
    into = reinterpret_cast<F>(dlsym(library, name));
  }

  int (*initialize)(unsigned) = nullptr;
  int (*create)(void**, unsigned, int) = nullptr;
  int (*destroy)(void*) = nullptr;
  int (*push)(void*) = nullptr;
  int (*pop)(void**) = nullptr;
  int (*allocate)(std::uint64_t*, std::size_t) = nullptr;
  int (*free)(std::uint64_t) = nullptr;
  int (*copy_in)(std::uint64_t, const void*, std::size_t) = nullptr;
  int (*copy_within)(std::uint64_t, std::uint64_t, std::size_t, void*) = nullptr;
};

class cuda_adopted : public ::testing::Test {
 protected:
  static constexpr std::size_t count = 1000;

  void SetUp() override {
    runtime rt(options({}));
    const auto is_first = [](const device_info& each) { return each.name == "CUDA0"; };
    if (std::ranges::none_of(rt.devices(), is_first)) GTEST_SKIP() << "There is no device of CUDA.";
    ASSERT_EQ(cu_.initialize(0), 0);
    context_ = make();
  }
  void TearDown() override {
    // The context is the program's again, and works.
    if (context_ == nullptr) return;
    EXPECT_EQ(cu_.destroy(context_), 0);
  }

  [[nodiscard]] void* make() const {
    void* made = nullptr;
    EXPECT_EQ(cu_.create(&made, 0, 0), 0);
    EXPECT_EQ(cu_.pop(nullptr), 0);
    return made;
  }
  static runtime_options options(const adopted_contexts& given) {
    std::string configuration = "memory=16M";
    if (const auto more = environment_variable("HOCKET_BACKEND_CUDA")) configuration += "," + *more;
    return {.backends = {{"cuda", configuration}}, .adopted = given};
  }
  static std::string why_not(const adopted_contexts& given) {
    runtime rt(options(given));
    try {
      (void)rt.devices();
    } catch (const usage_error& e) {
      return e.what();
    }
    return "";
  }

  driver_functions cu_{dlopen("libcuda.so.1", RTLD_NOW)};
  void* context_ = nullptr;
};

TEST_F(cuda_adopted, context_has_the_tasks_and_memory_of_the_program) {
  const std::vector<float> threes(count, 3.0F);
  std::uint64_t own = 0;
  ASSERT_EQ(cu_.push(context_), 0);
  ASSERT_EQ(cu_.allocate(&own, count * sizeof(float)), 0);
  ASSERT_EQ(cu_.copy_in(own, threes.data(), count * sizeof(float)), 0);
  ASSERT_EQ(cu_.pop(nullptr), 0);
  {
    runtime rt(options({cuda_context{context_}}));
    const task_options on{.on = rt.device("CUDA0")};
    const auto fetch = kernel<inout_buffer<float>>{"fetch"}.with(
        cuda_body{[&](const cuda_place& at, native_view<float> x) {
          EXPECT_EQ(static_cast<void*>(at.context), context_);
          const auto into = reinterpret_cast<std::uint64_t>(x.data());
          EXPECT_EQ(cu_.copy_within(into, own, x.extent(0) * sizeof(float), at.stream), 0);
        }});
    const auto doubled = elementwise("double", [](auto& x) { x = x * 2.0F; });
    const buffer<float> x{rt, count, 1.0F};
    for (int i = 0; i < 10; ++i) {
      rt.submit(on, fetch, updates(x.rows(0, count / 2)));
      rt.submit(on, fetch, updates(x.rows(count / 2, count)));
      rt.submit(on, doubled, updates(x));
      rt.submit({.on = rt.device("NUMA0")}, doubled, updates(x));
    }
    EXPECT_THAT(x.to_vector(), Each(12.0F));
  }
  ASSERT_EQ(cu_.push(context_), 0);
  EXPECT_EQ(cu_.free(own), 0);
  EXPECT_EQ(cu_.pop(nullptr), 0);
}

TEST_F(cuda_adopted, contexts_that_cannot_be_used_are_refused) {
  EXPECT_THAT(why_not({cuda_context{}}), HasSubstr("its driver says CUDA_ERROR_INVALID_CONTEXT"));
  void* const second = make();
  EXPECT_THAT(why_not({cuda_context{context_}, cuda_context{second}}),
              HasSubstr("two contexts of the CUDA device"));
  EXPECT_EQ(cu_.destroy(second), 0);
}

}  // namespace

}  // namespace hocket::testing

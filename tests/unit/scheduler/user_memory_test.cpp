// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr machine_setting settings[] = {
    {.name = "in_place", .data_tasks = data_path::in_place},
    {.name = "placed"},
    {.name = "with_a_device", .devices = "NUMA0,Sim0", .sim = "1"},
    {.name = "virtual_clock", .devices = "NUMA0,Sim0", .sim = "1", .clock = clock_kind::simulated},
};

/// How often memory was given back.
class returns {
 public:
  [[nodiscard]] auto count() {
    return [this] { ++count_; };
  }
  [[nodiscard]] int so_far() const { return count_; }
  /// A worker may do it a moment after the last handle has gone.
  [[nodiscard]] bool comes() const {
    for (int i = 0; i < 5000 && count_ == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return count_ == 1;
  }

 private:
  std::atomic<int> count_{0};
};

/// All bytes that were copied between memories.
std::uint64_t copied(runtime& rt) {
  std::uint64_t sum = 0;
  for (const device_report& each : rt.report().devices) sum += each.bytes_in + each.bytes_out;
  return sum;
}

class user_memory_of_a_buffer : public ::testing::TestWithParam<machine_setting> {
 protected:
  [[nodiscard]] bool has_a_device() const { return *GetParam().sim != 0; }

  std::vector<float> mine = std::vector<float>(64, 1.0f);
  returns back;
  std::optional<runtime> rt{std::in_place, options_for(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(, user_memory_of_a_buffer, ::testing::ValuesIn(settings),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(user_memory_of_a_buffer, is_used_in_place_on_the_host) {
  const buffer<float> x{*rt, user_memory(mine), "x"};
  const float* seen = nullptr;
  rt->submit(
        {.on = rt->device("NUMA0")},
        [&](buffer_view<float> v) {
          seen = v.data();
          v(0) += 1.0f;
        },
        updates(x))
      .get();
  EXPECT_EQ(seen, mine.data());
  rt->submit({.on = rt->device("NUMA0")}, ops::fill, 5.0f, writes(x.rows(1, 3))).get();
  const auto view = x.read();
  EXPECT_EQ(view.data(), mine.data());
  EXPECT_THAT(std::span(view.begin(), view.end()).first(4), ElementsAre(2, 5, 5, 1));
  EXPECT_EQ(copied(*rt), 0U);
  for (const device_report& each : rt->report().devices) EXPECT_EQ(each.peak_bytes, 0U);
}

TEST_P(user_memory_of_a_buffer, has_what_a_device_wrote_when_it_is_given_back) {
  {
    const buffer<float> x{*rt, user_memory(mine).given_back(back.count()), "x"};
    const device_handle there = rt->device(has_a_device() ? "Sim0" : "NUMA0");
    rt->submit({.on = there}, ops::fill, 7.0f, writes(x.rows(0, 32)));
    rt->submit({.on = there}, ops::axpy, 1.0f, reads(x.rows(0, 32)), updates(x.rows(32, 64)));
  }
  if (GetParam().clock == clock_kind::simulated) {
    rt->wait();
    // Time passes until the copies have come.
    pass(*rt, std::chrono::seconds(1));
    EXPECT_EQ(back.so_far(), 1);
  } else {
    EXPECT_TRUE(back.comes());
  }
  EXPECT_THAT(std::span(mine).first(32), Each(7.0f));
  EXPECT_THAT(std::span(mine).last(32), Each(8.0f));
  rt.reset();
  EXPECT_EQ(back.so_far(), 1);
}

TEST_P(user_memory_of_a_buffer, is_given_back_by_the_end_of_the_runtime) {
  const buffer<float> x{*rt, user_memory(mine).given_back(back.count()), "x"};
  const device_handle there = rt->device(has_a_device() ? "Sim0" : "NUMA0");
  rt->submit({.on = there}, ops::fill, 7.0f, writes(x));
  EXPECT_EQ(back.so_far(), 0);
  rt.reset();
  EXPECT_EQ(back.so_far(), 1) << "though a handle is there";
  EXPECT_THAT(mine, Each(7.0f));
  EXPECT_THROW((void)x.read(), usage_error);
}

TEST_P(user_memory_of_a_buffer, keeps_its_owner_as_long_as_it_is_used) {
  auto owner = std::make_unique<std::vector<float>>(8, 3.0f);
  const auto shared = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = shared;
  std::vector<float>& all = *owner;
  future<float> sum;
  {
    const buffer<float> x{
        *rt, user_memory(all).kept_by(std::move(owner)).kept_by(shared).given_back(back.count()),
        "x"};
    sum = rt->submit(ops::sum, reads(x));
  }
  EXPECT_EQ(sum.get(), 24.0f);
  rt.reset();
  EXPECT_EQ(back.so_far(), 1);
  EXPECT_EQ(watch.use_count(), 1);
}

TEST_P(user_memory_of_a_buffer, that_is_constant_is_only_read) {
  const std::vector<float> constant(16, 2.0f);
  const buffer<float> x{*rt, user_memory(constant), "x"};
  const buffer<float> y{*rt, 16, 0.0f, "y"};
  rt->submit(ops::axpy, 1.0f, reads(x), updates(y));
  EXPECT_THAT(y.to_vector(), Each(2.0f));
  EXPECT_EQ(x.read().data(), constant.data());
  const auto says = HasSubstr("\"x\" lies over constant memory");
  const std::vector<std::function<void()>> uses = {
      [&] { rt->submit(ops::fill, 1.0f, writes(x)); },
      [&] { rt->submit(ops::axpy, 1.0f, reads(y), updates(x.rows(0, 16))); },
      [&] { rt->submit([](buffer_view<float>) {}, reduces(x, plus{})); },
      [&] { (void)x.write(); },
      [&] { (void)x.rows(0, 1).update(); },
  };
  for (const auto& use : uses) EXPECT_THAT(thrown_by<usage_error>(use).what(), says);
}

TEST_P(user_memory_of_a_buffer, with_gaps_leaves_them_alone) {
  // Rows of 3 in a matrix with rows of 5; behind the last row there is none.
  std::vector<int> matrix(5 * 3 + 3, -1);
  {
    const buffer<int, 2> x{*rt, user_memory(matrix.data(), shape<2>{4, 3}, shape<2>{5, 1}), "x"};
    EXPECT_EQ(x.extents(), (shape<2>{4, 3}));
    EXPECT_EQ(x.size(), 12U);
    const device_handle there = rt->device(has_a_device() ? "Sim0" : "NUMA0");
    rt->submit({.on = there}, ops::fill, 2, writes(x));
    rt->submit([](buffer_view<int, 2> v) { v(1, 0) = 3; }, updates(x.rows(1, 3)));
    EXPECT_THAT(x.to_vector(), ElementsAre(2, 2, 2, 2, 2, 2, 3, 2, 2, 2, 2, 2));
    rt->submit({.on = there}, ops::fill, 4, writes(x.tile({0, 1}, {1, 3})));
  }
  rt.reset();
  EXPECT_THAT(matrix, ElementsAre(2, 4, 4, -1, -1, 2, 2, 2, -1, -1, 3, 2, 2, -1, -1, 2, 2, 2));
}

TEST_P(user_memory_of_a_buffer, of_three_dimensions_is_its_own) {
  std::array<float, 24> cube{};
  const buffer<float, 3> x{*rt, user_memory(cube.data(), shape<3>{2, 3, 4}), "x"};
  rt->submit([](buffer_view<float, 3> v) { v(1, 2, 3) = 5.0f; }, updates(x)).get();
  EXPECT_EQ(x.read().data(), cube.data());
  EXPECT_EQ(cube.back(), 5.0f);
}

TEST_P(user_memory_of_a_buffer, with_a_failed_task_keeps_the_rest) {
  {
    const buffer<float> x{*rt, user_memory(mine).given_back(back.count()), "x"};
    const device_handle there = rt->device(has_a_device() ? "Sim0" : "NUMA0");
    rt->submit({.on = there}, ops::fill, 7.0f, writes(x.rows(0, 32)));
    const future<void> bad = rt->submit([](buffer_view<float>) { throw std::domain_error("no"); },
                                        writes(x.rows(32, 64)));
    EXPECT_THROW(bad.get(), std::domain_error);
    EXPECT_THROW((void)x.read(), error);
  }
  rt.reset();
  EXPECT_EQ(back.so_far(), 1);
  EXPECT_THAT(std::span(mine).first(32), Each(7.0f));
}

TEST_P(user_memory_of_a_buffer, that_cannot_be_is_refused_in_words) {
  const auto refusal = [&](auto&& call) {
    return std::string(thrown_by<usage_error>(call).what());
  };
  alignas(float) std::array<std::byte, 16> bytes{};
  const auto* const odd = reinterpret_cast<const float*>(bytes.data() + 1);
  const shape<1> two{2}, none{0}, many{std::size_t{1} << 62U};
  EXPECT_THAT(refusal([&] { buffer x(*rt, user_memory(odd, two), "x"); }),
              ::testing::AllOf(HasSubstr("\"x\""), HasSubstr("no multiple of 4")));
  EXPECT_THAT(refusal([&] { buffer x(*rt, user_memory(static_cast<float*>(nullptr), two), "x"); }),
              HasSubstr("at address null"));
  EXPECT_THAT(refusal([&] { buffer x(*rt, user_memory(mine.data(), none), "x"); }),
              HasSubstr("without elements"));
  EXPECT_THAT(refusal([&] { buffer x(*rt, user_memory(mine.data(), many), "x"); }),
              HasSubstr("more bytes than"));
  EXPECT_THAT(refusal([&] {
                buffer x(*rt, user_memory(mine.data(), shape<1>{std::size_t{1} << 61U}), "x");
              }),
              HasSubstr("more than addresses can count"));
  const shape<2> square{2, 2};
  for (const shape<2>& wrong : {shape<2>{1, 1}, shape<2>{4, 2}}) {
    EXPECT_THAT(refusal([&] { buffer x(*rt, user_memory(mine.data(), square, wrong), "x"); }),
                HasSubstr("strides"));
  }
  // Of no elements, and of rows one upon the other.
  EXPECT_THAT(refusal([&] {
                (void)user_memory(mine.data(), shape<3>{2, 2, 0}, shape<3>{4, 0, 1});
              }),
              HasSubstr("4 x 0 x 1"));
  bool is_back = false;
  EXPECT_THROW(buffer(*rt, user_memory(mine.data(), none).given_back([&] { is_back = true; })),
               usage_error);
  EXPECT_TRUE(is_back);
}

TEST_P(user_memory_of_a_buffer, is_lent_once_at_a_time) {
  {
    const buffer<float> x{*rt, user_memory(std::span(mine).first(32)).given_back(back.count()),
                          "x"};
    const auto again = [&] { buffer y(*rt, user_memory(mine), "y"); };
    EXPECT_THAT(thrown_by<usage_error>(again).what(),
                ::testing::AllOf(HasSubstr("\"y\""), HasSubstr("\"x\"")));
    const buffer beside(*rt, user_memory(std::span(mine).last(32)), "beside");
  }
  if (GetParam().clock == clock_kind::simulated) {
    pass(*rt, std::chrono::seconds(1));
  }
  EXPECT_TRUE(back.comes());
  const buffer y(*rt, user_memory(std::span(mine).first(32)), "y");
  EXPECT_EQ(y.read()(31), 1.0f);
}

TEST_P(user_memory_of_a_buffer, is_recorded_and_run) {
  const buffer<float> x{*rt, user_memory(mine), "x"};
  const graph step = rt->record([&](submitter& s) {
    s.submit(ops::axpy, 1.0f, reads(x.rows(0, 32)), updates(x.rows(32, 64)));
  });
  for (int i = 0; i < 4; ++i) rt->run(step);
  EXPECT_EQ(x.read()(63), 5.0f);
  EXPECT_EQ(mine[63], 5.0f);
}

TEST(UserMemory, IsGivenBackThoughADeviceIsFull) {
  std::vector<std::vector<float>> all(6, std::vector<float>(4096, 1.0f));
  {
    runtime rt({.devices = "NUMA0,Sim0", .backends = {{"sim", "1,memory=40K"}}});
    std::vector<buffer<float>> x;
    for (auto& each : all) x.emplace_back(rt, user_memory(each));
    for (int turn = 0; turn < 3; ++turn) {
      for (const auto& each : x) {
        rt.submit({.on = rt.device("Sim0")}, ops::axpy, 1.0f, reads(each.rows(0, 2048)),
                  updates(each.rows(2048, 4096)));
      }
    }
    x.erase(x.begin(), x.begin() + 3);
  }
  for (const auto& each : all) EXPECT_THAT(std::span(each).last(2048), Each(4.0f));
}

TEST(UserMemory, OfALimitedHostDoesNotCount) {
  std::vector<float> mine(1 << 12, 1.0f);
  runtime rt({.devices = "NUMA0,Sim0", .backends = {{"cpu", "memory=16K"}, {"sim", "1"}}});
  const buffer<float> x{rt, user_memory(mine), "x"};
  const buffer<float> y{rt, 1 << 12, 2.0f, "y"};
  for (int i = 0; i < 3; ++i) {
    rt.submit({.on = rt.device("Sim0")}, ops::axpy, 1.0f, reads(y), updates(x));
    EXPECT_EQ(x.read()(0), 1.0f + 2.0f * static_cast<float>(i + 1));
    EXPECT_EQ(y.read()(0), 2.0f);
  }
}

TEST(UserMemory, OfADeviceThatIsLostSaysWhatIsLost) {
  std::vector<float> mine(64, 1.0f);
  bool is_back = false;
  ::testing::internal::CaptureStderr();
  {
    runtime rt({.devices = "NUMA0,Sim0",
                .backends = {{"sim", "1"}},
                .clock = clock_kind::simulated,
                .faults = "lose Sim0 launch 2"});
    const buffer<float> x{rt, user_memory(mine).given_back([&] { is_back = true; }), "x"};
    rt.submit({.on = rt.device("Sim0")}, ops::fill, 7.0f, writes(x.rows(0, 32))).get();
    const future<void> lost =
        rt.submit({.on = rt.device("Sim0")}, ops::fill, 8.0f, writes(x.rows(0, 8)));
    EXPECT_EQ(lost.error().code(), failure_code::device_lost);
  }
  EXPECT_TRUE(is_back);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              HasSubstr("Buffer \"x\" is given back to the program without content that is lost"));
  EXPECT_THAT(std::span(mine).last(32), Each(1.0f));
}

TEST(UserMemory, OfADeviceThatIsLostIsMadeAgain) {
  for (const char* const plan :
       {"lose Sim0 launch 2", "lose Sim0 copy 1", "lose Sim0 copy 2", "fail Sim0 copy 2"}) {
    SCOPED_TRACE(plan);
    std::vector<float> mine(64, 1.0f);
    bool is_back = false;
    {
      runtime rt({.devices = "NUMA0,Sim0",
                  .backends = {{"sim", "1"}},
                  .clock = clock_kind::simulated,
                  .resilience = resilience_kind::survive,
                  .faults = plan});
      const device_handle there = rt.device("Sim0");
      const buffer<float> x{rt, user_memory(mine).given_back([&] { is_back = true; }), "x"};
      rt.submit({.on = there}, ops::axpy, 1.0f, reads(x.rows(32, 64)), updates(x.rows(0, 32)));
      rt.submit({.on = there}, ops::axpy, 2.0f, reads(x.rows(0, 32)), updates(x.rows(32, 64)));
    }
    EXPECT_TRUE(is_back);
    EXPECT_THAT(std::span(mine).first(32), Each(2.0f));
    EXPECT_THAT(std::span(mine).last(32), Each(5.0f));
  }
}

/// Handles go in several threads while the runtime ends.
TEST(UserMemory, IsGivenBackOnceWhileItsRuntimeEnds) {
  for (int turn = 0; turn < 30; ++turn) {
    constexpr std::size_t threads = 4;
    std::array<std::vector<float>, threads> mine;
    std::array<std::atomic<int>, threads> back{};
    std::optional<runtime> rt{std::in_place,
                              runtime_options{.devices = turn % 2 == 0 ? "NUMA0,Sim0" : "NUMA0",
                                              .backends = {{"sim", "1"}}}};
    std::array<std::optional<buffer<float>>, threads> x;
    for (std::size_t i = 0; i < threads; ++i) {
      mine[i].resize(100, 1.0f);
      x[i].emplace(*rt, user_memory(mine[i]).given_back([&b = back[i]] { ++b; }));
      rt->submit({.on = rt->device(turn % 2 == 0 ? "Sim0" : "NUMA0")}, ops::fill, 2.0f,
                 writes(*x[i]));
    }
    {
      std::vector<std::jthread> dropping;
      for (auto& each : x) dropping.emplace_back([&] { each.reset(); });
      rt.reset();
    }
    for (std::size_t i = 0; i < threads; ++i) {
      EXPECT_EQ(back[i], 1);
      EXPECT_THAT(mine[i], Each(2.0f));
    }
  }
}

}  // namespace
}  // namespace hocket

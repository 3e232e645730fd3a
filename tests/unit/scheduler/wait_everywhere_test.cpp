// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Every public call that can wait, in every kind of body, where the worker that the body leaves
// takes something else up, so that the body often goes on with another one.

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../misuse/guard.hpp"
#include "runtimes.hpp"

namespace hocket {
namespace {

using namespace hocket::testing;

/// A runtime of three workers, with items that occupy them for a moment each.
class busy_runtime {
 public:
  explicit busy_runtime(data_path path)
      : rt({.devices = "NUMA0",
            .data_tasks = path,
            .max_pending = 512,
            .topology = machine("numa:1 core:3 pu:1")}) {}

  /// Some items that run, or wait for a worker, when the caller's wait begins.
  void occupy() {
    for (int i = 0; i < 4; ++i) {
      (void)rt.async([] {
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(30);
        while (std::chrono::steady_clock::now() < end) continue;
      });
    }
  }
  /// A number that is there only after a while.
  [[nodiscard]] future<float> later() {
    occupy();
    return rt.submit(ops::sum, reads(x));
  }

  runtime rt;
  buffer<float> x{rt, 16, 1.0f, "x"};
  buffer<float> y{rt, 16, 1.0f, "y"};
};

struct named_call {
  std::string name;
  std::function<float(busy_runtime&)> run;  ///< returns 16
};

std::vector<named_call> calls_on_futures_and_runtimes() {
  return {
      {"get", [](busy_runtime& b) { return b.later().get(); }},
      {"wait",
       [](busy_runtime& b) {
         const auto f = b.later();
         f.wait();
         return f.get();
       }},
      {"why",
       [](busy_runtime& b) {
         const auto f = b.later();
         return f.error() ? 0.0f : f.get();
       }},
      {"wait_for",
       [](busy_runtime& b) {
         const auto f = b.later();
         while (!f.wait_for(std::chrono::microseconds(20))) b.occupy();
         return f.get();
       }},
      {"report",
       [](busy_runtime& b) {
         b.occupy();
         return b.rt.report().devices.empty() ? 0.0f : 16.0f;
       }},
      {"trace",
       [](busy_runtime& b) {
         b.occupy();
         return b.rt.trace().device_names.empty() ? 0.0f : 16.0f;
       }},
      {"pending",
       [](busy_runtime& b) {
         b.occupy();
         return b.rt.pending().tasks.empty() ? 0.0f : 16.0f;
       }},
      {"devices",
       [](busy_runtime& b) {
         const std::string name = b.rt.devices().front().name;
         (void)b.rt.device(name);
         return 16.0f;
       }},
  };
}

std::vector<named_call> calls_on_data_scopes_and_graphs() {
  return {
      {"views",
       [](busy_runtime& b) {
         buffer<float> own{b.rt, 16, 1.0f, "own"};
         b.occupy();
         {
           const auto v = own.update();
           for (float& each : v) each += 1.0f;
         }
         {
           const auto v = own.write();
           std::fill(v.begin(), v.end(), 1.0f);
         }
         const auto v = own.read();
         return std::accumulate(v.begin(), v.end(), 0.0f);
       }},
      {"to_vector",
       [](busy_runtime& b) {
         b.occupy();
         const std::vector<float> all_of = b.y.to_vector();
         return std::accumulate(all_of.begin(), all_of.end(), 0.0f);
       }},
      {"scope_wait",
       [](busy_runtime& b) {
         std::atomic<int> ran = 0;
         task_scope scope{b.rt};
         for (int i = 0; i < 16; ++i) (void)scope.async([&] { ++ran; });
         scope.wait();
         return static_cast<float>(ran);
       }},
      {"run",
       [](busy_runtime& b) {
         std::atomic<int> ran = 0;
         const graph g = b.rt.record([&](submitter& s) {
           for (int i = 0; i < 16; ++i) (void)s.async([&] { ++ran; });
         });
         b.occupy();
         b.rt.run(g).get();
         return static_cast<float>(ran);
       }},
      {"run_if",
       [](busy_runtime& b) {
         float result = 0;
         b.occupy();
         b.rt.run_if([] { return true; }, [&](submitter& s) { s.async([&] { result = 16; }); })
             .get();
         return result;
       }},
      {"buffer_of_values",
       [](busy_runtime& b) {
         const std::vector<float> ones(16, 1.0f);
         b.occupy();
         const buffer<float> own{b.rt, {16}, std::span<const float>(ones), "own"};
         return b.rt.submit(ops::sum, reads(own)).get();
       }},
      {"coroutine",
       [](busy_runtime& b) {
         const auto doubled = [](future<float> of) -> future<float> { co_return co_await of; };
         return doubled(b.later()).get();
       }},
  };
}

template <class T>
std::vector<T> joined(std::vector<T> all, const std::vector<T>& others) {
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

const std::vector<named_call>& calls() {
  static const std::vector<named_call> all =
      joined(calls_on_futures_and_runtimes(), calls_on_data_scopes_and_graphs());
  return all;
}

/// Runs the call in some kind of body, in a worker, and returns what it returned.
struct named_body {
  std::string name;
  std::function<float(busy_runtime&, const std::function<float()>&)> run;
};

void wait_outside(const future<void>& task) {
  // The caller does not run it.
  while (!task.wait_for(std::chrono::milliseconds(100))) continue;
  task.get();
}

future<float> coroutine_with(runtime& rt, const std::function<float()>& call) {
  const future<void> first = rt.async([] {});
  co_await first;
  const float result = call();
  const future<void> last = rt.async([] {});
  co_await last;
  co_return result;
}

/// Runs a kernel on one element, which it sets to what the call returned.
template <class Body>
float run_kernel(busy_runtime& b, Body body) {
  const auto waits = kernel<inout_buffer<float>>{"waits", host_body{std::move(body)}};
  buffer<float> own{b.rt, 1, 0.0f, "result"};
  wait_outside(b.rt.submit(waits.wide(), updates(own)));
  return own.to_vector().front();
}

std::vector<named_body> bodies_of_functions() {
  return {
      {"async",
       [](busy_runtime& b, const auto& call) {
         float result = 0;
         wait_outside(b.rt.async([&] { result = call(); }));
         return result;
       }},
      {"helped",
       [](busy_runtime& b, const auto& call) { return b.rt.async([&] { return call(); }).get(); }},
      {"then",
       [](busy_runtime& b, const auto& call) {
         float result = 0;
         wait_outside(b.rt.async([] {}).then([&] { result = call(); }));
         return result;
       }},
      {"function_with_accesses",
       [](busy_runtime& b, const auto& call) {
         buffer<float> own{b.rt, 1, 0.0f, "result"};
         wait_outside(b.rt.submit([&](buffer_view<float> to) { to[0] = call(); }, updates(own)));
         return own.to_vector().front();
       }},
      {"recorded_function",
       [](busy_runtime& b, const auto& call) {
         std::array<float, 6> results{};
         const graph g = b.rt.record([&](submitter& s) {
           for (float& each : results) (void)s.async([&] { each = call(); });
         });
         wait_outside(b.rt.run(g));
         return *std::ranges::min_element(results);
       }},
      {"recorded_function_beside_data",
       [](busy_runtime& b, const auto& call) {
         float result = 0;
         buffer<float> own{b.rt, 1, 0.0f, "result"};
         const graph g = b.rt.record([&](submitter& s) {
           (void)s.async([&] { result = call(); });
           (void)s.submit(ops::fill, 1.0f, writes(own));
         });
         wait_outside(b.rt.run(g));
         return result;
       }},
      {"condition",
       [](busy_runtime& b, const auto& call) {
         float result = 0;
         const auto asks = [&] {
           result = call();
           return false;
         };
         wait_outside(b.rt.run_if(asks, [](submitter& s) { s.async([] {}); }));
         return result;
       }},
      {"coroutine",
       [](busy_runtime& b, const auto& call) {
         const future<float> made = coroutine_with(b.rt, call);
         while (!made.wait_for(std::chrono::milliseconds(100))) continue;
         return made.get();
       }},
      {"function_of_a_scope",
       [](busy_runtime& b, const auto& call) {
         float result = 0;
         task_scope scope{b.rt};
         (void)scope.async([&] { result = call(); });
         scope.wait();
         return result;
       }},
  };
}

std::vector<named_body> bodies_of_kernels() {
  return {
      {"wide_kernel",
       [](busy_runtime& b, const auto& call) {
         return run_kernel(b, [&](lane_group& lanes, buffer_view<float> to) {
           std::atomic<int> pieces = 0;
           const auto piece = [&](std::size_t, std::size_t) { ++pieces; };
           lanes.for_ranges(8, 1, piece);
           to[0] = call();
           lanes.for_ranges(8, 1, piece);
           EXPECT_EQ(pieces, 16);
         });
       }},
      {"pieces_of_a_wide_kernel",
       [](busy_runtime& b, const auto& call) {
         return run_kernel(b, [&](lane_group& lanes, buffer_view<float> to) {
           std::array<float, 8> results{};
           lanes.for_ranges(results.size(), 1, [&](std::size_t begin, std::size_t end) {
             for (std::size_t i = begin; i < end; ++i) results[i] = call();
           });
           to[0] = *std::ranges::min_element(results);
         });
       }},
  };
}

const std::vector<named_body>& bodies() {
  static const std::vector<named_body> all = joined(bodies_of_functions(), bodies_of_kernels());
  return all;
}

class WaitEverywhere : public ::testing::TestWithParam<std::tuple<std::size_t, data_path>> {
 protected:
  guard_thread guard_;
};

TEST_P(WaitEverywhere, ComesBackWithTheRightResult) {
  const named_body& body = bodies()[std::get<0>(GetParam())];
  busy_runtime busy{std::get<1>(GetParam())};
  busy.rt.wait();
  for (const named_call& call : calls()) {
    for (int i = 0; i < 5; ++i) {
      ASSERT_EQ(body.run(busy, [&] { return call.run(busy); }), 16.0f) << call.name;
    }
  }
  busy.rt.wait();
}

INSTANTIATE_TEST_SUITE_P(, WaitEverywhere,
                         ::testing::Combine(::testing::Range(std::size_t{0}, bodies().size()),
                                            ::testing::Values(data_path::in_place,
                                                              data_path::placed)),
                         [](const auto& of) {
                           const bool is_in_place = std::get<1>(of.param) == data_path::in_place;
                           return bodies()[std::get<0>(of.param)].name +
                                  (is_in_place ? "_in_place" : "_placed");
                         });

}  // namespace
}  // namespace hocket

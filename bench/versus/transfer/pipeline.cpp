// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "kernels.hpp"
#include "subjects.hpp"

namespace hocket::bench {

namespace {

struct job {
  job(const pipeline& what, const runtime_options& options) : rt(options) {
    const std::vector<float> ones(what.bytes / sizeof(float), 1);
    for (std::size_t i = 0; i < what.count; ++i) {
      from.emplace_back(rt, shape<1>{ones.size()}, ones);
      to.emplace_back(rt, shape<1>{ones.size()}, ones);
    }
    together();
  }

  /// Microseconds on the runtime's clock.
  template <class F>
  double timed(F&& work) {
    const time_stamp begin = rt.now();
    work();
    return std::chrono::duration<double, std::micro>(rt.now() - begin).count();
  }

  /// From now on only the host has the operands.
  void bring_home() {
    for (const auto& each : from) (void)each.write();
  }
  void compute() {
    for (std::size_t i = 0; i < from.size(); ++i) {
      rt.submit(iterate, reads(from[i]), writes(to[i]));
    }
  }
  void fetch() {
    for (const auto& each : to) (void)each.read();
  }

  double together() {
    bring_home();
    return timed([this] {
      compute();
      fetch();
    });
  }

  /// Each leg alone: there, the kernels, and back.
  std::array<double, 3> legs() {
    bring_home();
    const double there = timed([this] {
      for (const auto& each : from) rt.submit(look(), reads(each));
      rt.wait();
    });
    const double kernels = timed([this] {
      compute();
      rt.wait();
    });
    return {there, kernels, timed([this] { fetch(); })};
  }

  runtime rt;
  std::vector<buffer<float>> from, to;
};

}  // namespace

std::vector<contender> hocket_pipeline(const pipeline& what, const runtime_options& options) {
  // One for the three of them, as long as one of them needs it.
  const auto shared = std::make_shared<std::weak_ptr<job>>();
  const auto contender_of = [&](const char* name, double (*measured)(job&)) {
    return contender{name, [=] {
                       std::shared_ptr<job> made = shared->lock();
                       if (!made) *shared = made = std::make_shared<job>(what, options);
                       return [made, measured] { return measured(*made); };
                     }};
  };
  return {contender_of("hocket", [](job& j) { return j.together(); }),
          contender_of("longest",
                       [](job& j) {
                         const auto legs = j.legs();
                         return *std::max_element(legs.begin(), legs.end());
                       }),
          contender_of("sum", [](job& j) {
            const auto legs = j.legs();
            return legs[0] + legs[1] + legs[2];
          })};
}

}  // namespace hocket::bench

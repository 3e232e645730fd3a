// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <hocket/core/sanitizers.hpp>
#include <hocket/hocket.hpp>

namespace hocket {
namespace {

const auto blend = elementwise(
    "blend", [](auto a, const auto& x, const auto& y, auto& z) { z = a * x + (1 - a) * y; });
const auto clip = elementwise("clip", [](const auto& x, auto limit, auto& y, auto& clipped) {
  y = select(x > limit, limit, select(x < -limit, -limit, x));
  clipped += select(abs(x) > limit, 1, 0);
});
const auto bend = elementwise(
    "bend", [](const auto& x, auto& y) { y = y / (1 + abs(x)) + sqrt(abs(x)) - x * x * x; });
const auto curve = elementwise(
    "curve", [](const auto& x, auto& y) { y = exp(-abs(x)) * sin(x) + log(1 + abs(x)); });
const auto wave = elementwise(
    "wave", [](auto a, auto& y, element_index auto i) { y += a * cast<float>(i % 17u); });
const auto digits = elementwise("digits", [](const auto& x, auto& n) {
  const auto small = select(abs(x) < 1000, x, 0);  // what fits an integer, and is a number
  n = cast<std::int32_t>(floor(small * 7)) % 5;
});
const auto values = elementwise("values", [](const auto& n, auto& y) { y = cast<float>(n) / 3; });

/// What chains work with: buffers of which they use parts, so that indices differ from places.
struct arrays {
  arrays(runtime& rt, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<float> any(-2, 2);
    for (int k = 0; k < 5; ++k) {
      std::vector<float> content(rows * columns);
      for (float& each : content) each = any(random);
      reals.emplace_back(rt, shape<2>{rows, columns}, std::span<const float>(content));
      whole.emplace_back(rt, shape<2>{rows, columns}, static_cast<std::int32_t>(k));
    }
  }

  [[nodiscard]] std::vector<std::vector<float>> content() const {
    std::vector<std::vector<float>> made;
    for (const auto& each : reals) made.push_back(each.to_vector());
    for (const auto& each : whole) {
      const std::vector<std::int32_t> numbers = each.to_vector();
      made.emplace_back(numbers.begin(), numbers.end());
    }
    return made;
  }

  static constexpr std::size_t rows = 37, columns = 111;
  std::vector<buffer<float, 2>> reals;
  std::vector<buffer<std::int32_t, 2>> whole;
};

/// Submits random tasks, the same ones for the same seed.
class random_chain {
 public:
  random_chain(submitter& s, const arrays& with, device_handle on, std::uint64_t seed)
      : s_(s), with_(with), options_{.on = on}, random_(seed) {}

  void submit(int tasks) {
    // Made here, they are the recording's own.
    const buffer<float, 2> first{s_.home(), {arrays::rows, arrays::columns}};
    const buffer<float, 2> second{s_.home(), {arrays::rows, arrays::columns}};
    own_ = {first, second};
    s_.submit(options_, ops::copy, reads(with_.reals[0]), writes(first));
    s_.submit(options_, ops::fill, 0.5f, writes(second));
    for (int i = 0; i < tasks; ++i) submit_one();
    own_.clear();
  }

 private:
  std::size_t below(std::size_t count) { return random_() % count; }
  float number() { return static_cast<float>(below(64)) / 32 - 1; }

  /// Mostly one tile, else one beside it or all of it.
  template <class T>
  region<T, 2> part(const buffer<T, 2>& of) {
    switch (below(12)) {
      case 0:
        return of;
      case 1:
        return of.tile({0, 1}, {arrays::rows - 1, arrays::columns});
      default:
        return of.tile({1, 0}, {arrays::rows, arrays::columns - 1});
    }
  }
  region<float, 2> real() {
    const std::size_t which = below(with_.reals.size() + own_.size());
    return which < own_.size() ? part(own_[which]) : part(with_.reals[which - own_.size()]);
  }
  region<std::int32_t, 2> integer() { return part(with_.whole[below(with_.whole.size())]); }

  /// Some choices of regions are refused: they overlap, or their extents differ.
  void submit_one() {
    try {
      submit_any();
    } catch (const usage_error&) {
    }
  }

  void submit_any() {
    const region<float, 2> x = real(), y = real(), z = real();
    const region<std::int32_t, 2> n = integer();
    switch (below(12)) {
      case 0:
        s_.submit(options_, blend, number(), reads(x), reads(y), writes(z));
        break;
      case 1:
        s_.submit(options_, clip, reads(x), 1 + number(), writes(y), updates(n));
        break;
      case 2:
        s_.submit(options_, bend, reads(x), updates(y));
        break;
      case 3:
        s_.submit(options_, curve, reads(x), writes(y));
        break;
      case 4:
        s_.submit(options_, wave, number(), updates(x));
        break;
      case 5:
        s_.submit(options_, digits, reads(x), writes(n));
        break;
      case 6:
        s_.submit(options_, values, reads(n), writes(x));
        break;
      case 7:
        s_.submit(options_, ops::axpy, number(), reads(x), reduces(y, plus{}));
        break;
      case 8:
        s_.submit(options_, ops::fill, number(), writes(x));
        break;
      case 9:
        last_ = s_.submit(options_, ops::max, reads(x));
        break;
      case 10:
        if (last_.valid()) s_.submit(options_, blend, last_, reads(x), reads(y), writes(z));
        break;
      default:
        s_.submit(options_, ops::mul, reads(x), reads(y), writes(z));
    }
  }

  submitter& s_;
  const arrays& with_;
  task_options options_;
  std::mt19937_64 random_;
  std::vector<buffer<float, 2>> own_;
  future<float> last_;
};

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// How many tasks the recordings had.
struct sizes {
  std::size_t plain = 0;
  std::size_t joined = 0;
};

void compare(runtime& rt, const device_handle& on, std::uint64_t seed,
             const record_options& options, sizes& tasks) {
  const arrays expected(rt, seed), found(rt, seed);
  const graph plain =
      rt.record([&](submitter& s) { random_chain(s, expected, on, seed).submit(30); });
  const graph joined =
      rt.record(options, [&](submitter& s) { random_chain(s, found, on, seed).submit(30); });
  tasks.plain += plain.size();
  tasks.joined += joined.size();
  for (int run = 0; run < 2; ++run) {
    rt.run(plain);
    rt.run(joined);
  }
  const auto a = expected.content(), b = found.content();
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto [x, y] = std::ranges::mismatch(a[k], b[k], same);
    ASSERT_TRUE(x == a[k].end()) << "array " << k << ", element " << x - a[k].begin() << ": " << *x
                                 << " became " << *y << ", seed " << seed;
  }
}

/// So many chains: each is new to the compilers of drivers, which take long under ThreadSanitizer
/// and are not what it is for.
#ifdef HOCKET_THREAD_SANITIZER
constexpr int chains_of_drivers = 2;
#else
constexpr int chains_of_drivers = 6;
#endif

/// Compares random chains on every device with what becomes of them under the options. Returns the
/// sums of sizes, by device.
std::vector<sizes> compare_on_all(runtime& rt, const record_options& options) {
  const std::uint64_t seed = std::random_device{}();
  std::vector<sizes> all;
  for (const device_info& device : rt.devices()) {
    SCOPED_TRACE(device.name + ", " + device.description);
    sizes& tasks = all.emplace_back();
    const bool has_driver = device.backend != "cpu" && device.backend != "sim";
    const int chains = has_driver ? chains_of_drivers : 40;
    for (int chain = 0; chain < chains; ++chain) {
      compare(rt, rt.device(device.name), seed + static_cast<std::uint64_t>(chain), options, tasks);
      if (::testing::Test::HasFatalFailure()) return all;
    }
  }
  return all;
}

runtime_options with_a_simulated_device() {
  runtime_options options;
  options.backends = {{"sim", "1"}};
  return options;
}

TEST(fused_chains, give_the_bits_of_their_tasks_on_every_device) {
  runtime rt(with_a_simulated_device());
  for (const sizes& tasks : compare_on_all(rt, {.fuse = true})) {
    EXPECT_LT(tasks.joined, tasks.plain * 3 / 4) << "most chains have something to fuse";
  }
}

TEST(batched_chains, give_the_bits_of_their_tasks_on_every_device) {
  runtime rt(with_a_simulated_device());
  const std::vector<sizes> all = compare_on_all(rt, {.batch = true});
  if (HasFatalFailure()) return;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (rt.devices()[i].lanes > 1) continue;
    EXPECT_LT(all[i].joined, all[i].plain * 3 / 4) << "most chains have neighbours";
  }
}

TEST(fused_and_batched_chains, give_the_bits_of_their_tasks_on_every_device) {
  runtime rt(with_a_simulated_device());
  (void)compare_on_all(rt, {.fuse = true, .batch = true});
}

}  // namespace
}  // namespace hocket

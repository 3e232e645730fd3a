// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <bit>
#include <cstring>

#include "comparison.hpp"

namespace hocket::testing {
namespace {

template <class T>
constexpr bool is_real = std::is_floating_point_v<T>;

template <class T>
T element_of_bits(std::uint64_t bits) {
  T made;
  std::memcpy(&made, &bits, sizeof made);
  return made;
}

/// The order that ops::sort promises, said in another way: numbers, with -0 before 0; then the NaN.
template <class T>
bool in_order(const T& a, const T& b) {
  if constexpr (is_real<T>) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a);
    if (a == b) return std::signbit(a) && !std::signbit(b);
  }
  return a < b;
}

/// Empty if `found` is `given` in order, with the bits of each number.
template <class T>
std::string difference(std::vector<T> given, const std::vector<T>& found) {
  const auto last = std::partition(given.begin(), given.end(), [](T v) { return v == v; });
  std::sort(given.begin(), last, in_order<T>);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const bool is_number = given[i] == given[i];
    if (is_number ? std::memcmp(&given[i], &found[i], sizeof(T)) == 0 : found[i] != found[i]) {
      continue;
    }
    return "element " + std::to_string(i) + " of " + std::to_string(given.size()) + " is " +
           std::to_string(found[i]) + " and not " + std::to_string(given[i]);
  }
  return "";
}

/// Vectors that are hard to sort, by name.
template <class T>
class sort_inputs {
 public:
  explicit sort_inputs(std::size_t count) : count_(count) {}

  [[nodiscard]] std::vector<T> any_bits() {
    return made([&](std::size_t) { return element_of_bits<T>(random_()); });
  }
  [[nodiscard]] std::vector<T> few_values() {
    return made([&](std::size_t) { return static_cast<T>(random_() % 5); });
  }
  [[nodiscard]] std::vector<T> sorted() const {
    return made([](std::size_t i) { return static_cast<T>(i); });
  }
  [[nodiscard]] std::vector<T> reversed() const {
    return made([&](std::size_t i) { return static_cast<T>(count_ - i); });
  }
  /// Zeros of both signs, the extremes of the type, infinities, subnormal numbers and NaN.
  [[nodiscard]] std::vector<T> special() {
    using limits = std::numeric_limits<T>;
    std::vector<T> values{0, 1, limits::max(), limits::lowest(), limits::min()};
    if constexpr (is_real<T>) {
      const T tiny = limits::denorm_min(), nan = limits::quiet_NaN();
      for (const T each : {T{0}, tiny, 3 * tiny, limits::min(), limits::infinity(), nan}) {
        values.push_back(each);
        values.push_back(-each);
      }
    }
    return made([&](std::size_t) { return values[random_() % values.size()]; });
  }

 private:
  template <class F>
  [[nodiscard]] std::vector<T> made(const F& f) const {
    std::vector<T> all(count_);
    for (std::size_t i = 0; i < count_; ++i) all[i] = f(i);
    return all;
  }

  std::size_t count_;
  std::mt19937_64 random_{count_ + 1};
};

/// Sorts on the host and on each device.
class array_sort : public ::testing::Test {
 protected:
  /// Calls f(options, device) for each device that has the type.
  template <class T, class F>
  void on_each(const F& f) {
    const auto lacks = [](const device_info& device, element_type type) {
      return std::ranges::find(device.lacks, type) != device.lacks.end();
    };
    for (const device_info& each : rt_.devices()) {
      SCOPED_TRACE(each.name + ", " + each.description);
      if (lacks(each, element_type_of<T>)) continue;
      if (sizeof(T) == 8 && lacks(each, element_type::u64)) continue;
      f(task_options{.on = rt_.device(each.name)}, each);
    }
  }

  template <class T>
  buffer<T> of(const std::vector<T>& values) {
    return {rt_, shape<1>{values.size()}, std::span<const T>(values)};
  }

  template <class T>
  void sorts(const task_options& on, const std::vector<T>& values) {
    const buffer<T> x = of(values);
    rt_.submit(on, ops::sort, updates(x));
    ASSERT_EQ(difference(values, x.to_vector()), "");
  }

  template <class T>
  void sorts_every_length() {
    on_each<T>([&](const task_options& on, const device_info&) {
      for (const std::size_t count : {0U, 1U, 2U, 3U, 63U, 64U, 65U, 127U, 129U, 1000U, 1023U,
                                      1024U, 1025U, 2049U, 4095U, 4096U, 4097U, 10007U}) {
        sort_inputs<T> inputs(count);
        sorts(on, inputs.any_bits());
        sorts(on, inputs.few_values());
        if (count < 1000 || count > 4096) {
          sorts(on, inputs.sorted());
          sorts(on, inputs.reversed());
          sorts(on, inputs.special());
        }
      }
    });
  }

  runtime rt_;
};

TEST_F(array_sort, of_every_length_is_in_order) {
  sorts_every_length<float>();
  sorts_every_length<double>();
  sorts_every_length<std::int32_t>();
  sorts_every_length<std::uint32_t>();
  sorts_every_length<std::int64_t>();
  sorts_every_length<std::uint64_t>();
}

TEST_F(array_sort, of_many_elements_is_in_order) {
  on_each<float>([&](const task_options& on, const device_info& device) {
    // Kernels of the stand-in drivers are interpreted.
    const bool is_slow = device.backend == "cuda" || device.backend == "hip";
    for (const std::size_t count : is_slow ? std::vector<std::size_t>{70001}
                                           : std::vector<std::size_t>{65536, 500001, 1000000}) {
      sorts(on, sort_inputs<float>(count).any_bits());
    }
    sorts(on, sort_inputs<float>(70001).few_values());
  });
}

TEST_F(array_sort, gives_the_bits_of_the_host) {
  on_each<float>([&](const task_options& on, const device_info&) {
    std::vector<float> values = sort_inputs<float>(20011).special();
    const auto any = sort_inputs<float>(20011).any_bits();
    values.insert(values.end(), any.begin(), any.end());
    const buffer<float> x = of(values), y = of(values);
    rt_.submit({.on = rt_.device("NUMA0")}, ops::sort, updates(x));
    rt_.submit(on, ops::sort, updates(y));
    const std::vector<float> expected = x.to_vector(), found = y.to_vector();
    EXPECT_EQ(std::memcmp(expected.data(), found.data(), found.size() * sizeof(float)), 0);
  });
}

TEST_F(array_sort, of_a_part_leaves_the_rest) {
  on_each<double>([&](const task_options& on, const device_info&) {
    for (const auto& [begin, end] :
         {std::pair{1U, 5U}, {0U, 4999U}, {1U, 5000U}, {2U, 2U}, {3U, 1100U}, {77U, 4777U}}) {
      std::vector<double> values = sort_inputs<double>(5000).few_values();
      const buffer<double> x = of(values);
      rt_.submit(on, ops::sort, updates(x.rows(begin, end)));
      std::sort(values.begin() + begin, values.begin() + end);
      EXPECT_EQ(x.to_vector(), values) << begin << " to " << end;
    }
  });
}

TEST_F(array_sort, is_ordered_with_what_else_writes_on_the_device) {
  const auto negated = elementwise("negated", [](auto& x) { x = -x; });
  constexpr std::size_t count = 3001;
  on_each<float>([&](const task_options& on, const device_info& device) {
    const buffer<float> x{rt_, count}, y{rt_, count};
    rt_.submit({.on = rt_.device("NUMA0")}, ops::random_uniform, 1U, 2U, writes(y)).get();
    std::vector<float> expected = y.to_vector();
    rt_.submit(on, ops::random_uniform, 1U, 2U, writes(x)).get();
    const auto moved_out = [&] {
      const auto all = rt_.report(report_detail::counts).devices;
      return std::ranges::find(all, device.name, &device_report::name)->bytes_out;
    };
    const std::uint64_t before = moved_out();
    rt_.submit(on, negated, updates(x));
    rt_.submit(on, ops::sort, updates(x));
    rt_.submit(on, negated, updates(x));
    rt_.submit(on, ops::sort, updates(x.rows(0, count / 2))).get();
    EXPECT_EQ(moved_out(), before) << "no element was read from the device";
    std::ranges::sort(expected, std::greater<>());
    std::sort(expected.begin(), expected.begin() + count / 2);
    EXPECT_EQ(x.to_vector(), expected);
  });
}

}  // namespace
}  // namespace hocket::testing

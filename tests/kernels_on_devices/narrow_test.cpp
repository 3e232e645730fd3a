// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <limits>
#include <vector>

#include "comparison.hpp"

namespace hocket::testing {
namespace {

/// Numbers of 8 bits, and integers of 4 and 2 bits, as storage.
class narrow_storage : public kernels_on_devices {
 protected:
  template <class T>
  void through_operations() {
    if (!has<T>()) return;
    for (const std::size_t padding : {0U, 1U, 3U}) {
      const shape<2> extents{67, 129};
      const auto x = make<T>(extents, padding), z = make<T>(extents, 1);
      const auto turned = make<T>(shape<2>{extents[1], extents[0]}, padding);
      compare("fill", 0, ops::fill, number(0.7F), writes(z));
      compare("copy", 0, ops::copy, reads(x), writes(z));
      compare("transpose", 0, ops::transpose, reads(x), writes(turned));
    }
  }
};

TEST_F(narrow_storage, of_8_bits_goes_through_the_operations) {
  for_each_device([&] {
    through_operations<float8_e4m3>();
    through_operations<float8_e5m2>();
  });
}

TEST_F(narrow_storage, of_8_bits_is_computed_with_as_floats) {
  for_each_device([&] {
    if (!has<float8_e4m3, float8_e5m2, float16>()) return;
    for (const std::size_t padding : {0U, 2U}) {
      const shape<2> extents{31, 70};
      const auto x = make<float8_e4m3>(extents, padding), y = make<float8_e4m3>(extents, 1);
      const auto u = make<float8_e5m2>(extents, padding), v = make<float8_e5m2>(extents, 0);
      const auto f = make<float>(extents, 0, -600, 600);
      const auto h = make<float16>(extents, padding);
      compare("mixed", 0, mixed, reads(x), number(0.3F), writes(y));
      compare("mixed", 0, mixed, reads(u), number(0.3F), writes(v));
      compare("mixed", 0, mixed, reads(u), number(0.3F), writes(f));
      compare("converted", 0, converted, reads(x), writes(v));
      compare("converted", 0, converted, reads(h), writes(y));
      compare("converted", 0, converted, reads(v), writes(h));
      compare("converted", 0, converted, reads(f), writes(y));
    }
  });
}

TEST_F(narrow_storage, of_8_bits_takes_the_greatest_number_where_it_is_asked_for) {
  const auto saturated = elementwise("saturated", [](const auto& x, auto& a, auto& b) {
    a = saturate_cast<float8_e4m3>(x);
    b = saturate_cast<float8_e5m2>(x * 100);
  });
  const float infinite = std::numeric_limits<float>::infinity();
  const std::vector<float> values{0.3F,  448,  463,       464,      465,      -480,
                                  -1e9F, 1e9F, -infinite, infinite, -0.0078F, 573.5F};
  for_each_device([&] {
    if (!has<float8_e4m3, float8_e5m2>()) return;
    runtime rt;
    const std::size_t count = values.size();
    const buffer<float> x{rt, shape<1>{count}, std::span<const float>(values)};
    const buffer<float8_e4m3> a{rt, count};
    const buffer<float8_e5m2> b{rt, count, "b"};
    rt.submit({.on = rt.device(name())}, saturated, reads(x), writes(a), writes(b));
    const auto found_a = a.read();
    const auto found_b = b.read();
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(found_a[i].bits(), saturate_cast<float8_e4m3>(values[i]).bits()) << values[i];
      EXPECT_EQ(found_b[i].bits(), saturate_cast<float8_e5m2>(values[i] * 100).bits()) << values[i];
      EXPECT_LE(std::abs(float{found_a[i]}), 448);
    }
  });
}

TEST_F(narrow_storage, of_8_bits_is_reduced_as_floats) {
  const auto total = reduction("total", 0, [](auto p, auto q) { return p + q; });
  const auto magnitude = transform_reduction(
      "magnitude", 0, [](auto p, auto q) { return max(p, q); }, [](auto x) { return abs(x); });
  for_each_device([&] {
    if (!has<float8_e4m3>()) return;
    runtime rt;
    const task_options on{.on = rt.device(name())};
    const buffer<float8_e4m3> ones{rt, 100000, 1};
    const future<float> sum = rt.submit(on, total, reads(ones));
    EXPECT_EQ(sum.get(), 100000);
    ones.write()[777] = -13;
    const future<float> greatest = rt.submit(on, magnitude, reads(ones));
    EXPECT_EQ(greatest.get(), 13);
  });
}

TEST_F(narrow_storage, is_as_narrow_in_a_fused_kernel_as_in_memory) {
  const auto third = elementwise("third", [](const auto& x, auto& y) { y = x * (1 / 3.0F); });
  const auto packed = elementwise("packed", [](const auto& x, auto& q) {
    q.set_saturated(0, rint(x * 8));
    q.set_saturated(1, rint(x * 2));
  });
  const auto sum = elementwise("sum", [](const auto& x, const auto& q, auto& y) {
    y = x + cast<float>(q.get(0) + q.get(1));
  });
  for_each_device([&] {
    if (!has<float8_e4m3, packed_i4>()) return;
    compare_fused<float>(5, [&](runtime& rt, submitter& s, const task_options& on, const auto& x,
                                const buffer<float>& to) {
      const buffer<float8_e4m3> between{rt, x.size(), "between"};
      const buffer<packed_i4> pairs{rt, x.size(), "pairs"};
      s.submit(on, third, reads(x), writes(between));
      s.submit(on, packed, reads(between), writes(pairs));
      s.submit(on, sum, reads(between), reads(pairs), writes(to));
    });
  });
}

/// Each integer of a byte, times a scale, in the columns of a row; and back.
template <class T>
void unpack_and_pack(runtime& rt, const device_handle& on) {
  const auto unpack =
      elementwise("unpack", [](const auto& from, auto scale, auto& first, auto& last) {
        first = scale * cast<float>(from.get(0));
        last = scale * cast<float>(from.get(T::count - 1));
      });
  const auto pack =
      elementwise("pack", [](const auto& first, const auto& last, auto scale, auto& to) {
        for (std::size_t i = 1; i + 1 < T::count; ++i) to.set_saturated(i, to.get(0));
        to.set_saturated(0, rint(first / scale));
        to.set_saturated(T::count - 1, rint(last / scale));
      });
  constexpr std::size_t count = 256;
  const buffer<T, 2> bytes{rt, {count, 1}}, again{rt, {count, 1}};
  const buffer<float, 2> values{rt, {count, 2}};
  {
    const auto all = bytes.write();
    for (std::size_t i = 0; i < count; ++i) all(i, 0) = T::from_bits(static_cast<std::uint8_t>(i));
  }
  rt.submit(ops::copy, reads(bytes), writes(again));
  const auto first = values.tile({0, 0}, {count, 1}), last = values.tile({0, 1}, {count, 2});
  rt.submit({.on = on}, unpack, reads(bytes), 0.5F, writes(first), writes(last));
  rt.submit({.on = on}, pack, reads(first), reads(last), 0.25F, updates(again));
  const auto all = bytes.read(), found = again.read();
  const auto unpacked = values.read();
  for (std::size_t i = 0; i < count; ++i) {
    const T one = all(i, 0);
    ASSERT_EQ(unpacked(i, 0), 0.5F * static_cast<float>(one.get(0))) << i;
    ASSERT_EQ(unpacked(i, 1), 0.5F * static_cast<float>(one.get(T::count - 1))) << i;
    T expected = one;
    for (std::size_t k = 1; k + 1 < T::count; ++k) expected.set(k, one.get(0));
    expected.set_saturated(0, 2 * one.get(0));
    expected.set_saturated(T::count - 1, 2 * one.get(T::count - 1));
    ASSERT_EQ(found(i, 0).bits(), expected.bits()) << i;
  }
}

TEST_F(narrow_storage, of_packed_integers_is_taken_apart_and_put_together) {
  for_each_device([&] {
    if (!has<packed_i4>()) return;
    runtime rt;
    const device_handle on = rt.device(name());
    unpack_and_pack<packed_i4>(rt, on);
    unpack_and_pack<packed_u4>(rt, on);
    unpack_and_pack<packed_i2>(rt, on);
    unpack_and_pack<packed_u2>(rt, on);
  });
}

TEST_F(narrow_storage, of_packed_integers_saturates_the_same_everywhere) {
  const auto packed = elementwise("packed", [](const auto& x, const auto& n, auto& a, auto& b) {
    a.set_saturated(0, x);
    a.set_saturated(1, n);
    b.set_saturated(3, x);
    b.set_saturated(2, n);
    b.set_saturated(1, 3);
    b.set_saturated(0, -3);
  });
  const float infinite = std::numeric_limits<float>::infinity();
  const std::vector<float> values{0,     0.9F,  -0.9F, 6.99F,     7,        7.5F,
                                  -8.5F, 1e20F, -1e9F, -infinite, infinite, 3};
  for_each_device([&] {
    if (!has<packed_i4, std::int64_t>()) return;
    runtime rt;
    const std::size_t count = values.size();
    const buffer<float> x{rt, shape<1>{count}, std::span<const float>(values)};
    const buffer<std::int64_t> n{rt, count};
    {
      const auto numbers = n.write();
      for (std::size_t i = 0; i < count; ++i) {
        numbers[i] = (std::int64_t{1} << (5 * i)) * (i % 2 == 0 ? 1 : -1);
      }
    }
    const buffer<packed_i4> a{rt, count};
    const buffer<packed_u2> b{rt, count};
    rt.submit({.on = rt.device(name())}, packed, reads(x), reads(n), writes(a), writes(b));
    const auto numbers = n.read();
    const auto found_a = a.read();
    const auto found_b = b.read();
    for (std::size_t i = 0; i < count; ++i) {
      packed_i4 expected_a;
      expected_a.set_saturated(0, values[i]);
      expected_a.set_saturated(1, numbers[i]);
      packed_u2 expected_b(0, 3, 0, 0);
      expected_b.set_saturated(3, values[i]);
      expected_b.set_saturated(2, numbers[i]);
      EXPECT_EQ(found_a[i].bits(), expected_a.bits()) << values[i] << " " << numbers[i];
      EXPECT_EQ(found_b[i].bits(), expected_b.bits()) << values[i] << " " << numbers[i];
    }
  });
}

}  // namespace
}  // namespace hocket::testing

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <bit>
#include <complex>
#include <cstdlib>
#include <memory>

#include <gmock/gmock.h>

#include "comparison.hpp"

namespace hocket::testing {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Types of elements besides the numbers that devices compute with.
class elements : public kernels_on_devices {
 protected:
  /// Products of numbers of T, whose sums are floats and are stored as numbers of C.
  template <class T, class C, class Family>
  void products(const Family& family, bool transpose_a, bool transpose_b) {
    if (!has<T>()) return;
    constexpr std::size_t sizes[][3] = {{1, 1, 1}, {17, 23, 9}, {70, 66, 130}, {3, 4, 0}};
    for (const auto& [m, n, k] : sizes) {
      for (const std::size_t padding : {0U, 3U}) {
        const auto a = make<T>(transpose_a ? shape<2>{k, m} : shape<2>{m, k}, padding);
        const auto b = make<T>(transpose_b ? shape<2>{n, k} : shape<2>{k, n}, padding);
        const auto c = make<C>(shape<2>{m, n}, padding);
        // Another order of the sum may round to a neighbour; floats show more of the order.
        constexpr double unit = (std::is_same_v<T, C> ? 1 : 16) * eps<C>;
        const double tolerance = unit * std::sqrt(static_cast<double>(k) + 1);
        compare("gemm", tolerance, family, reads(a), reads(b), writes(c));
        compare("gemm", 2 * tolerance, family, reads(a), reads(b), updates(c));
        compare("gemm", 2 * tolerance, family, number(-0.5F), reads(a), reads(b), number(0.75F),
                updates(c));
        compare("fill", 0, ops::fill, number(nan), writes(c));
        compare("gemm", tolerance, family, number(1.0F), reads(a), reads(b), number(0.0F),
                updates(c));
      }
    }
  }

  /// Compares the operations of the library on numbers in 16 bits.
  template <class T>
  void operations() {
    if (!has<T>()) return;
    const auto a = number(0.7F);
    for (const std::size_t padding : {0U, 1U, 3U}) {
      const shape<2> extents{67, 129};
      const auto x = make<T>(extents, padding), y = make<T>(extents, 0), z = make<T>(extents, 1);
      const auto turned = make<T>(shape<2>{extents[1], extents[0]}, padding);
      compare("fill", 0, ops::fill, a, writes(z));
      compare("copy", 0, ops::copy, reads(x), writes(z));
      compare("transpose", 0, ops::transpose, reads(x), writes(turned));
      compare("axpy", 0, ops::axpy, a, reads(x), updates(y));
      compare("add", 0, ops::add, reads(x), reads(y), writes(z));
      compare("mul", 0, ops::mul, reads(x), reads(y), writes(z));
      compare_value("sum", 1e-4, ops::sum, reads(x));
      compare_value("dot", 1e-4, ops::dot, reads(x), reads(y));
      compare_value("max", 0, ops::max, reads(x));
      compare_value("min", 0, ops::min, reads(x));
    }
  }
};

/// All patterns of 8 or 16 bits.
template <class T>
std::vector<T> every_pattern() {
  std::vector<T> made;
  for (std::uint32_t bits = 0; bits < 1U << 8U * sizeof(T); ++bits) {
    made.push_back(T::from_bits(static_cast<typename T::bits_type>(bits)));
  }
  return made;
}

/// Floats around each number of a type and around the middle between two, and of all magnitudes.
template <class T>
std::vector<float> near_every_pattern() {
  constexpr bool is_8_bits_wide = sizeof(T) == 1;
  constexpr std::array<std::uint32_t, 2> halves =
      is_8_bits_wide ? std::array{0x80000U, 0x100000U} : std::array{0x1000U, 0x8000U};
  std::vector<float> made;
  for (const T each : every_pattern<T>()) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(each));
    made.push_back(std::bit_cast<float>(bits));
    made.push_back(std::bit_cast<float>(bits + 1U));
    for (const std::uint32_t half : halves) {
      for (const std::uint32_t beside : {half - 1U, half, half + 1U}) {
        made.push_back(std::bit_cast<float>(bits + beside));
      }
    }
  }
  for (std::uint32_t high = 0; is_8_bits_wide && high < 65536; ++high) {
    made.push_back(std::bit_cast<float>(high << 16U | (high * 40503U & 0xffffU)));
  }
  return made;
}

/// Equal, or neither is a number.
template <class T>
bool is_same(T a, T b) {
  const auto left = static_cast<float>(a), right = static_cast<float>(b);
  return std::bit_cast<std::uint32_t>(left) == std::bit_cast<std::uint32_t>(right) ||
         (std::isnan(left) && std::isnan(right));
}

template <class To, class From>
std::size_t differences(runtime& rt, const device_handle& on, const std::vector<From>& values) {
  const buffer<From> from{rt, shape<1>{values.size()}, std::span<const From>(values)};
  const buffer<To> to{rt, values.size()};
  rt.submit({.on = on}, converted, reads(from), writes(to)).get();
  const auto found = to.read();
  std::size_t count = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    count += is_same(found[i], To(static_cast<float>(values[i]))) ? 0U : 1U;
  }
  return count;
}

TEST_F(elements, of_few_bits_are_converted_to_the_same_bits_as_on_the_host) {
  const auto all = [&]<class T>(T) {
    if (!has<T>()) return;
    runtime rt;
    const device_handle on = rt.device(name());
    EXPECT_EQ(differences<float>(rt, on, every_pattern<T>()), 0U);
    EXPECT_EQ(differences<T>(rt, on, near_every_pattern<T>()), 0U);
  };
  for_each_device([&] {
    all(float16{});
    all(bfloat16{});
    all(float8_e4m3{});
    all(float8_e5m2{});
  });
}

TEST_F(elements, of_16_bits_go_through_the_operations) {
  for_each_device([&] {
    operations<float16>();
    operations<bfloat16>();
  });
}

TEST_F(elements, of_16_bits_are_multiplied_as_matrices) {
  for_each_device([&] {
    products<float16, float16>(ops::gemm_nt, false, true);
    products<bfloat16, bfloat16>(ops::gemm_nn, false, false);
  });
}

TEST_F(elements, of_16_bits_have_products_that_are_floats) {
  for_each_device([&] {
    products<float16, float>(ops::gemm_nn, false, false);
    products<bfloat16, float>(ops::gemm_nt, false, true);
    products<bfloat16, float>(ops::gemm_tn, true, false);
    if (!has<float16>()) return;
    const auto a = make<float16>(shape<3>{3, 18, 7}, 1), b = make<float16>(shape<3>{3, 7, 20}, 0);
    const auto c = make<float>(shape<3>{3, 18, 20}, 2);
    compare("batch", 64 * eps<float>, ops::gemm_nn, reads(a), reads(b), writes(c));
    compare("batch", 128 * eps<float>, ops::gemm_nn, number(2.0F), reads(a), reads(b),
            number(-1.0F), updates(c));
  });
}

TEST_F(elements, of_16_bits_are_computed_with_as_floats) {
  for_each_device([&] {
    if (!has<float16, bfloat16>()) return;
    for (const std::size_t padding : {0U, 2U}) {
      const shape<2> extents{31, 70};
      const auto x = make<float16>(extents, padding), y = make<float16>(extents, 1);
      const auto u = make<bfloat16>(extents, padding), v = make<bfloat16>(extents, 0);
      const auto f = make<float>(extents, 0);
      compare("mixed", 0, mixed, reads(x), number(0.3F), writes(y));
      compare("mixed", 0, mixed, reads(u), number(0.3F), writes(v));
      compare("mixed", 0, mixed, reads(u), number(0.3F), writes(f));
      compare("converted", 0, converted, reads(x), writes(v));
      compare("converted", 0, converted, reads(f), writes(y));
    }
  });
}

TEST_F(elements, that_are_truths_are_traced) {
  const auto above =
      elementwise("above", [](const auto& x, auto limit, auto& is_above) { is_above = x > limit; });
  const auto chosen = elementwise("chosen", [](const auto& is_above, const auto& x, auto& y) {
    y = select(!is_above || x < -0.5F, x, 0);
  });
  const auto held = transform_reduction(
      "held", 0, [](auto a, auto b) { return a + b; },
      [](auto holds) { return select(holds, std::int32_t{1}, std::int32_t{0}); });
  for_each_device([&] {
    if (!has<bool>()) return;
    runtime rt;
    constexpr std::size_t count = 70001;
    const buffer<float> x{rt, count}, y{rt, count};
    const buffer<bool> is_above{rt, count, true};
    {
      const auto values = x.write();
      for (std::size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<float>(i));
    }
    const task_options on{.on = rt.device(name())};
    rt.submit(on, above, reads(x), 0.25F, writes(is_above));
    rt.submit(on, chosen, reads(is_above), reads(x), writes(y));
    const std::int32_t number = rt.submit(on, held, reads(is_above)).get();
    const auto values = x.read(), found = y.read();
    const auto truths = is_above.read();
    std::int32_t expected = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool holds = values[i] > 0.25F;
      expected += holds ? 1 : 0;
      ASSERT_EQ(truths[i], holds) << i;
      ASSERT_EQ(found[i], !holds || values[i] < -0.5F ? values[i] : 0.0F) << i;
    }
    EXPECT_EQ(number, expected);
  });
}

TEST_F(elements, that_are_truths_are_made_of_numbers_and_chosen) {
  const auto truths = elementwise("truths", [](const auto& x, const auto& n, auto& a, auto& b) {
    a = cast<bool>(x);
    b = !select(cast<bool>(n), x > 0, a) && select(x < 2, true, a);
  });
  const auto any = reduction("any", false, [](auto p, auto q) { return p || q; });
  for_each_device([&] {
    if (!has<bool>()) return;
    runtime rt;
    const task_options on{.on = rt.device(name())};
    const std::vector<float> values{0, -0.0F, 0.25F, -1, 256, 65536, 3, 1};
    const auto count = values.size();
    const buffer<float> x{rt, shape<1>{count}, std::span<const float>(values)};
    const buffer<std::int32_t> n{rt, count, 0};
    n.write().for_each([i = 0](std::int32_t& each) mutable { each = i++ % 3 * 256; });
    const buffer<bool> a{rt, count}, b{rt, count, "b"};
    rt.submit(on, truths, reads(x), reads(n), writes(a), writes(b));
    {
      const auto found_a = a.read(), found_b = b.read();
      for (std::size_t i = 0; i < count; ++i) {
        const bool holds = values[i] != 0;
        EXPECT_EQ(found_a[i], holds) << values[i];
        const bool chosen = i % 3 != 0 ? values[i] > 0 : holds;
        EXPECT_EQ(found_b[i], !chosen && (values[i] < 2 || holds)) << values[i];
      }
    }
    EXPECT_TRUE(rt.submit(any, reads(a)).get());
    rt.submit(ops::fill, false, writes(a));
    EXPECT_FALSE(rt.submit(any, reads(a)).get());
  });
}

TEST_F(elements, of_16_bits_are_reduced_as_floats) {
  const auto total = reduction("total", 0, [](auto p, auto q) { return p + q; });
  for_each_device([&] {
    if (!has<float16>()) return;
    runtime rt;
    const buffer<float16> ones{rt, 100000, 1};
    const future<float> sum = rt.submit({.on = rt.device(name())}, total, reads(ones));
    EXPECT_EQ(sum.get(), 100000);
  });
}

TEST_F(elements, are_as_narrow_in_a_fused_kernel_as_in_memory) {
  const auto above = elementwise("above", [](const auto& x, auto& y) { y = x > 0.1F; });
  const auto third = elementwise("third", [](const auto& x, auto& y) { y = x * (1 / 3.0F); });
  const auto chosen = elementwise(
      "chosen", [](const auto& b, const auto& x, auto& y) { y = select(b, x * 3, -x); });
  for_each_device([&] {
    if (!has<float16, bool>()) return;
    compare_fused<float16>(1, [&](runtime& rt, submitter& s, const task_options& on, const auto& x,
                                  const buffer<float>& to) {
      const buffer<bool> is_above{rt, x.size(), "above"};
      const buffer<float16> between{rt, x.size(), "between"};
      s.submit(on, third, reads(x), writes(between));
      s.submit(on, above, reads(between), writes(is_above));
      s.submit(on, chosen, reads(is_above), reads(between), writes(to));
    });
  });
}

struct particle {
  float position[2];
  float velocity[2];
  std::int32_t steps;
  float weight;
};

constexpr const char* move_text =
    "uint i = ITEM(0); if (i < p_extent0) { p(i).x += dt * p(i).vx; p(i).y += dt * p(i).vy; "
    "p(i).steps += 1; w(i) = p(i).weight; }";
constexpr const char* particle_text =
    "struct particle { f32 x; f32 y; f32 vx; f32 vy; i32 steps; f32 weight; };\n";

using move_kernel = kernel<float, inout_buffer<particle>, out_buffer<float>>;

move_kernel move_particles() {
  const auto on_host = [](float dt, buffer_view<particle> p, buffer_view<float> w) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (std::size_t d = 0; d < 2; ++d) p[i].position[d] += dt * p[i].velocity[d];
      ++p[i].steps;
      w[i] = p[i].weight;
    }
  };
  return move_kernel("move", host_body{on_host})
      .with(opencl_c{
          .names = "dt, struct particle p, w", .text = move_text, .structures = particle_text})
      .with(cuda_c{.names = "dt, particle p, w", .text = move_text, .structures = particle_text})
      .with(glsl{.names = "dt, particle p, w", .text = move_text, .structures = particle_text});
}

TEST_F(elements, that_are_structures_go_to_texts) {
  const move_kernel moved = move_particles();
  for_each_device([&] {
    runtime rt;
    const task_options on{.on = rt.device(name())};
    constexpr std::size_t count = 1001, first = 7, last = 900;
    const particle one{{1, 2}, {0.5F, -0.25F}, 3, 0.125F};
    const buffer<particle> all{rt, count, one};
    const buffer<float> weights{rt, count, 0.0F};
    for (int step = 0; step < 3; ++step) {
      rt.submit(on, moved, 2.0F, updates(all.rows(first, last)), writes(weights.rows(first, last)));
    }
    const auto found = all.read();
    const auto weight = weights.read();
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_in = i >= first && i < last;
      ASSERT_EQ(found[i].position[0], is_in ? 4 : 1) << i;
      ASSERT_EQ(found[i].position[1], is_in ? 0.5F : 2) << i;
      ASSERT_EQ(found[i].steps, is_in ? 6 : 3) << i;
      ASSERT_EQ(weight[i], is_in ? 0.125F : 0) << i;
    }
  });
}

template <std::size_t Size>
struct bytes {
  std::array<std::uint8_t, Size> value;
};

template <std::size_t Size>
void copy_structures(runtime& rt, const device_handle& on) {
  const buffer<bytes<Size>, 2> from{rt, {19, 23}}, to{rt, {19, 23}};
  {
    const auto content = from.write();
    std::uint8_t next = 1;
    content.for_each([&](bytes<Size>& each) {
      for (std::uint8_t& value : each.value) value = next++;
    });
    to.write().for_each([](bytes<Size>& each) { each = {}; });
  }
  rt.submit({.on = on}, ops::copy, reads(from.tile({3, 5}, {17, 20})),
            writes(to.tile({1, 2}, {15, 17})));
  const auto copied = to.read(), whole = from.read();
  for (std::size_t i = 0; i < 19; ++i) {
    for (std::size_t j = 0; j < 23; ++j) {
      const bool is_in = i >= 1 && i < 15 && j >= 2 && j < 17;
      const auto expected = is_in ? whole(i + 2, j + 3).value : std::array<std::uint8_t, Size>{};
      ASSERT_EQ(copied(i, j).value, expected) << Size << " bytes at " << i << ", " << j;
    }
  }
}

TEST_F(elements, that_are_structures_are_copied) {
  for_each_device([&] {
    if (!has<std::uint8_t, std::uint16_t>()) return;
    runtime rt;
    const device_handle on = rt.device(name());
    copy_structures<1>(rt, on);
    copy_structures<2>(rt, on);
    copy_structures<3>(rt, on);
    copy_structures<4>(rt, on);
    copy_structures<12>(rt, on);
    copy_structures<30>(rt, on);
    copy_structures<64>(rt, on);
    copy_structures<1000>(rt, on);
  });
}

constexpr const char* product_text =
    "uint i = ITEM(0); if (i < x_extent0) "
    "{ T a = x(i); T b = y(i); y(i).x = a.x * b.x - a.y * b.y; y(i).y = a.x * b.y + a.y * b.x; }";

template <class T>
void multiply_complex(runtime& rt, const device_handle& on, const std::string& type) {
  using complex = std::complex<T>;
  const std::string text = "#define T " + type + "\n" + product_text;
  const auto product = kernel<in_buffer<complex>, inout_buffer<complex>>("product")
                           .with(opencl_c{"x, y", text})
                           .with(cuda_c{"x, y", text})
                           .with(glsl{"x, y", text});
  constexpr std::size_t count = 100;
  const buffer<complex> x{rt, count, complex(1, 2)}, y{rt, count, complex(0.5F, -3)};
  const buffer<complex> z{rt, count};
  rt.submit({.on = on}, product, reads(x), updates(y));
  rt.submit({.on = on}, ops::copy, reads(y), writes(z));
  const auto found = z.read();
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(found[i], complex(6.5F, -2)) << i;
}

using program_memory = std::unique_ptr<std::byte, decltype(&std::free)>;

/// Copies from memory of the program that begins `offset` bytes behind a page, and is kept.
template <std::size_t Size>
void copy_from_program(runtime& rt, const device_handle& on, std::size_t offset,
                       std::vector<program_memory>& kept) {
  constexpr std::size_t count = 501, page = 4096;
  const auto* const memory = &kept.emplace_back(
      static_cast<std::byte*>(std::aligned_alloc(page, (count * Size + 2 * page) / page * page)),
      &std::free);
  auto* const first = reinterpret_cast<bytes<Size>*>(memory->get() + offset);
  for (std::size_t i = 0; i < count; ++i) first[i].value.fill(static_cast<std::uint8_t>(i));
  const buffer<bytes<Size>> from{rt, user_memory(std::span(first, count))};
  const buffer<bytes<Size>> to{rt, count};
  const future<void> copied =
      rt.submit({.on = on}, ops::copy, reads(from.rows(1, count)), writes(to.rows(1, count)));
  try {
    copied.get();
  } catch (const error& e) {
    EXPECT_THAT(e.what(), ::testing::HasSubstr("has to begin at a multiple of"));
    return;
  }
  const auto found = to.rows(1, count).read();
  for (std::size_t i = 0; i + 1 < count; ++i) {
    ASSERT_EQ(found[i].value, first[i + 1].value) << Size << " bytes, " << offset << " at " << i;
  }
}

TEST_F(elements, that_are_structures_lie_anywhere_in_memory_of_the_program) {
  for_each_device([&] {
    std::vector<program_memory> kept;
    runtime rt;
    const device_handle on = rt.device(name());
    for (const std::size_t offset : {0U, 8U, 16U, 40U}) {
      copy_from_program<24>(rt, on, offset, kept);
      copy_from_program<32>(rt, on, offset, kept);
      copy_from_program<96>(rt, on, offset, kept);
      copy_from_program<128>(rt, on, offset, kept);
    }
  });
}

TEST_F(elements, that_are_complex_go_to_texts) {
  for_each_device([&] {
    runtime rt;
    const device_handle on = rt.device(name());
    multiply_complex<float>(rt, on, "c64");
    if (has<std::complex<double>>()) multiply_complex<double>(rt, on, "c128");
  });
}

}  // namespace
}  // namespace hocket::testing

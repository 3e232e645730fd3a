// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "conformance.hpp"

namespace hocket::testing {

namespace {

constexpr std::uint8_t blank = 0xee;

struct copy_case {
  index_list extents;
  box region;
  std::size_t element_size;
};

std::vector<copy_case> cases() {
  return {
      {{}, {{}, {}}, 8},
      {{1}, {{0}, {1}}, 4},
      {{1021}, {{0}, {1021}}, 4},
      {{1021}, {{7}, {1013}}, 1},
      {{1021}, {{5}, {5}}, 4},
      {{0}, {{0}, {0}}, 4},
      {{33, 17}, {{0, 0}, {33, 17}}, 4},
      {{33, 17}, {{3, 0}, {31, 17}}, 8},
      {{33, 17}, {{0, 5}, {33, 6}}, 2},
      {{33, 17}, {{32, 16}, {33, 17}}, 4},
      {{33, 17}, {{4, 9}, {4, 12}}, 4},
      {{7, 11, 13}, {{0, 0, 0}, {7, 11, 13}}, 4},
      {{7, 11, 13}, {{2, 0, 0}, {5, 11, 13}}, 4},
      {{7, 11, 13}, {{2, 3, 0}, {5, 8, 13}}, 4},
      {{7, 11, 13}, {{1, 2, 3}, {6, 9, 12}}, 1},
      {{7, 1, 13}, {{1, 0, 3}, {6, 1, 4}}, 8},
      {{300, 1000}, {{100, 1}, {200, 999}}, 4},
  };
}

/// True for bytes of elements in the region.
std::vector<bool> inside(const copy_case& c) {
  std::vector<bool> made;
  index_list index(c.extents.size(), 0);
  for (std::size_t n = 0, all = volume(c.extents); n < all; ++n) {
    bool in = true;
    for (std::size_t d = c.extents.size(), rest = n; d-- > 0; rest /= c.extents[d]) {
      const std::size_t i = rest % c.extents[d];
      in = in && i >= c.region.begin[d] && i < c.region.end[d];
    }
    made.insert(made.end(), c.element_size, in);
  }
  return made;
}

copy_command copy_of(const copy_case& c, const allocation& from, const allocation& to) {
  return {from, to, c.extents, c.element_size, c.region, c.region.elements() * c.element_size};
}

/// The host arrays of one round trip: what goes out, a blank, and what comes back.
struct round_trip {
  explicit round_trip(const copy_case& c)
      : bytes(volume(c.extents) * c.element_size), out(bytes), blanks(bytes, blank), back(bytes) {
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  }
  static allocation of(std::vector<std::uint8_t>& v) { return {v.data(), v.size()}; }

  void check(const copy_case& c) const {
    const std::vector<bool> in = inside(c);
    for (std::size_t i = 0; i < bytes; ++i) {
      ASSERT_EQ(back[i], in[i] ? out[i] : blank)
          << "byte " << i << " of " << to_string(c.region) << " of " << to_string(c.extents);
    }
  }

  std::size_t bytes;
  std::vector<std::uint8_t> out, blanks, back;
};

}  // namespace

TEST_P(conformance, a_box_goes_in_and_comes_back) {
  for (const copy_case& c : cases()) {
    round_trip trip(c);
    const copy_case whole{c.extents, box::whole(c.extents), c.element_size};
    const allocation there = memory().allocate(trip.bytes, first().info().alignment).value();
    submit(first().inbound(), copy_of(whole, trip.of(trip.blanks), there));
    const timepoint in = submit(first().inbound(), copy_of(c, trip.of(trip.out), there));
    const timepoint out =
        submit(first().outbound(), copy_of(whole, there, trip.of(trip.back)), {in});
    finish(out);
    finish(in);  // it may be reported after what waited for it
    EXPECT_FALSE(result(in).why);
    EXPECT_FALSE(result(out).why);
    trip.check(c);
    memory().deallocate(there);
  }
}

TEST_P(conformance, a_box_goes_from_device_to_device) {
  if (devices() < 2) GTEST_SKIP() << "one device";
  for (const copy_case& c : cases()) {
    round_trip trip(c);
    const copy_case whole{c.extents, box::whole(c.extents), c.element_size};
    const allocation here = memory(0).allocate(trip.bytes, first().info().alignment).value();
    const allocation there = memory(1).allocate(trip.bytes, at(1).info().alignment).value();
    const timepoint in = submit(first().inbound(), copy_of(whole, trip.of(trip.out), here));
    submit(at(1).inbound(), copy_of(whole, trip.of(trip.blanks), there));
    const timepoint over = submit(at(1).inbound(), copy_of(c, here, there), {in});
    finish(submit(at(1).outbound(), copy_of(whole, there, trip.of(trip.back)), {over}));
    trip.check(c);
    memory(0).deallocate(here);
    memory(1).deallocate(there);
  }
}

TEST_P(conformance, both_directions_are_used_at_the_same_time) {
  const copy_case c{{64, 1024}, box::whole({64, 1024}), 4};
  round_trip trip(c);
  const allocation a = memory().allocate(trip.bytes, 64).value();
  const allocation b = memory().allocate(trip.bytes, 64).value();
  const timepoint first_in = submit(first().inbound(), copy_of(c, trip.of(trip.out), a));
  timepoint in, out;
  for (int i = 0; i < 20; ++i) {
    in = submit(first().inbound(), copy_of(c, trip.of(trip.out), b));
    out = submit(first().outbound(), copy_of(c, a, trip.of(trip.back)), {first_in});
  }
  finish(in);
  finish(out);
  trip.check(c);
  memory().deallocate(a);
  memory().deallocate(b);
}

}  // namespace hocket::testing

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// A program as people write them, with all names of the standard library and of ours. What it calls
// its own things must not collide with them.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <ranges>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

using namespace std;     // NOLINT
using namespace hocket;  // NOLINT
using namespace std::chrono_literals;

// At namespace scope, where a using-directive makes names meet.
struct view {
  int width = 1;
};
enum class direction { forth, back };
istream& in = cin;
ostream& out = cout;
int inout = 3;
struct work {
  string name;
  function<int()> run;
};
int input = 1, output = 2, sum = 3, count_of = 4, total = 5, node = 6, edge = 7, range = 8,
    step = 9;
double scale(double x) { return 2 * x; }
struct item {
  view seen;
};
struct matrix {
  vector<float> values;
};
void fill(matrix& m, float value) { ranges::fill(m.values, value); }
template <class T>
T square(T x) {
  return x * x;
}

TEST(TypicalProgram, CompilesWithAllNames) {
  vector<work> queue{{"one", [] { return 1; }}, {"two", [] { return 2; }}};
  matrix m{vector<float>(16)};
  fill(m, 1.0f);
  runtime rt;
  const buffer<float> x{rt, user_memory(m.values), "x"};
  const buffer<float> all{rt, 16, 0.0f, "all"};
  vector<hocket::future<int>> results;
  for (const work& each : queue) results.push_back(rt.async(each.run));
  const auto both = when_all(results).get();
  EXPECT_EQ(accumulate(both.begin(), both.end(), 0, plus<int>{}), 3);
  EXPECT_EQ(accumulate(both.begin(), both.end(), 0, plus{}), 3);
  rt.submit(ops::axpy, 2.0f, reads(x), updates(all));
  rt.submit([](buffer_view<const float> from, buffer_view<float> to) { to(0) += from(0); },
            reads(x), reduces(all, plus{}));
  const kernel<float, in_buffer<float>, out_buffer<float>> add{
      "add", host_body{[](float a, buffer_view<const float> from, buffer_view<float> to) {
        for (size_t i = 0; i < to.size(); ++i) to(i) = max(a, from(i));
      }}};
  rt.submit(add.cost([](const launch_shape&) {
    return launch_work{1, 1};
  }),
            3.0f, reads(all), writes(all.rows(0, 0)));
  auto text = make_unique<string>("moved");
  const string mine = move(*text);
  EXPECT_EQ(all.read()(0), 3.0f);
  EXPECT_EQ(min(abs(-2), 5), 2);
  EXPECT_EQ(pow(2.0, 3.0), 8.0);
  EXPECT_EQ(square(inout) + item{}.seen.width + static_cast<int>(direction::back), 11);
  EXPECT_EQ(input + output + sum + count_of + total + node + edge + range + step, 45);
  EXPECT_EQ(scale(1.5), 3.0);
  EXPECT_TRUE(in.good() && out.good() && mine == "moved");
}

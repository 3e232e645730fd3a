// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Buffers over memory of the program on each device: those that use the host's memory copy nothing.

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hocket/hocket.hpp>

namespace hocket::testing {

namespace {

using ::testing::Each;

class own_memory : public ::testing::Test {
 protected:
  /// Calls test(runtime, handle) with the host and each other device alone.
  template <class F>
  static void on_each_device(const std::string& import, const F& test) {
    const std::map<std::string, std::string> backends = {
        {"opencl", "import=" + import}, {"vulkan", "import=" + import}, {"sim", "1"}};
    std::vector<device_info> all;
    {
      runtime rt({.backends = backends});
      all = rt.devices();
    }
    for (const device_info& each : all) {
      if (each.shares_host_memory) continue;
      SCOPED_TRACE(each.name + " (" + each.description + ")");
      runtime rt({.devices = "NUMA0," + each.name, .backends = backends});
      test(rt, rt.device(each.name));
      std::uint64_t copied = 0;
      for (const device_report& of : rt.report().devices) copied += of.bytes_in + of.bytes_out;
      std::printf("%s: %llu bytes copied\n", each.name.c_str(),
                  static_cast<unsigned long long>(copied));
      if (each.imports_host_memory) {
        EXPECT_EQ(copied, 0U);
      } else {
        EXPECT_GT(copied, 0U);
      }
    }
  }
};

/// Elements in the middle of pages, at every distance from their beginning.
void adds_at_any_address(runtime& rt, device_handle there) {
  constexpr std::size_t count = 3000;
  std::vector<std::int32_t> mine(3 * count, -1);
  for (const std::size_t first : {std::size_t{1}, std::size_t{17}, std::size_t{1027}}) {
    const auto mid = std::span(mine).subspan(first, count);
    const std::vector<std::int32_t> constant(count, 5);
    {
      const buffer<std::int32_t> x{rt, user_memory(mid), "x"};
      const buffer<std::int32_t> y{rt, user_memory(std::span(constant).first(count - 3)), "y"};
      rt.submit({.on = there}, ops::fill, 2, writes(x));
      rt.submit({.on = there}, ops::axpy, 3, reads(y), updates(x.rows(3, count)));
      // The host changes it in between.
      rt.submit([](buffer_view<std::int32_t> v) { v(0) = 4; }, updates(x));
      rt.submit({.on = there}, ops::axpy, 1, reads(x.rows(0, 1)), updates(x.rows(1, 2)));
      EXPECT_EQ(x.read().data(), mid.data());
    }
    rt.wait();
    EXPECT_EQ(mid[0], 4);
    EXPECT_EQ(mid[1], 6);
    EXPECT_EQ(mid[2], 2);
    EXPECT_THAT(mid.subspan(3), Each(17));
    EXPECT_EQ(mine[first - 1], -1);
    EXPECT_EQ(mine[first + count], -1);
    // The next buffer lies over the same memory, once it is given back.
    for (bool is_free = false; !is_free;) {
      try {
        const buffer<std::int32_t> again{rt, user_memory(mid), "again"};
        is_free = true;
      } catch (const usage_error&) {
      }
    }
    std::ranges::fill(mine, -1);
  }
}

TEST_F(own_memory, is_used_in_place_by_devices_that_import) {
  on_each_device("yes", adds_at_any_address);
}

TEST_F(own_memory, is_copied_for_others) { on_each_device("no", adds_at_any_address); }

struct position {
  float x, y, z;
};

// A device may have no place before the first structure to bind the memory from.
TEST_F(own_memory, of_structures_is_used_where_it_can_be_bound) {
  constexpr std::size_t count = 1000, page = 4096;
  runtime rt({.backends = {{"vulkan", "import=yes"}}, .policy = "round-robin"});
  std::vector<position> room(count + page, position{1, 2, 3});
  // The first one that begins in a page with a part of the one before it.
  std::size_t first = 1;
  const auto behind = [&] { return reinterpret_cast<std::uintptr_t>(&room[first]) % page; };
  while (behind() == 0 || behind() >= sizeof(position)) ++first;
  const auto mine = std::span(room).subspan(first, count);
  const buffer<position> x{rt, user_memory(mine), "x"};
  const buffer<position> y{rt, count, position{}, "y"};
  for (int i = 0; i < 20; ++i) rt.submit(ops::copy, reads(x), writes(y)).get();
  EXPECT_EQ(y.read()(5).z, 3.0f);
}

TEST_F(own_memory, with_gaps_is_a_matrix_on_each_device) {
  on_each_device("yes", [](runtime& rt, device_handle there) {
    constexpr std::size_t rows = 33, columns = 21, pitch = 40;
    std::vector<float> matrix(pitch * (rows - 1) + columns, -1.0f);
    {
      const buffer<float, 2> x{
          rt, user_memory(matrix.data(), shape<2>{rows, columns}, shape<2>{pitch, 1}), "x"};
      rt.submit({.on = there}, ops::fill, 2.0f, writes(x));
      const buffer<float, 2> two{rt, {columns, columns}, 2.0f, "two"};
      const buffer<float, 2> product{rt, {rows, columns}, "product"};
      rt.submit({.on = there}, ops::gemm_nn, reads(x), reads(two), writes(product));
      rt.submit({.on = there}, ops::copy, reads(product), writes(x)).get();
      const auto view = x.read();
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) EXPECT_EQ(view(r, c), 84.0f);
      }
    }
    for (std::size_t i = columns; i < matrix.size(); ++i) {
      const bool is_gap = i % pitch >= columns;
      EXPECT_EQ(matrix[i], is_gap ? -1.0f : 84.0f) << i;
    }
  });
}

/// Tensors of a library over memory of its own, at any address, and one that a library gets.
TEST_F(own_memory, goes_to_other_libraries_and_comes_from_them) {
  on_each_device("yes", [](runtime& rt, device_handle there) {
    constexpr std::int64_t rows = 30, columns = 50, pitch = 64;
    std::vector<float> matrix(static_cast<std::size_t>(rows * pitch) + 3, -1.0f);
    std::array<std::int64_t, 2> extents{rows, columns}, strides{pitch, 1};
    std::atomic<int> deleted{0};  // a worker may do it a moment after the last handle has gone
    dlpack::managed_tensor_versioned tensor{};
    tensor.version.major = 1;
    tensor.manager_ctx = &deleted;
    tensor.deleter = [](auto* self) { ++*static_cast<std::atomic<int>*>(self->manager_ctx); };
    tensor.dl_tensor = {matrix.data(),  {1, 0},           2, {2, 32, 1}, extents.data(),
                        strides.data(), 3 * sizeof(float)};
    {
      const buffer<float, 2> x{rt, from_dlpack<float, 2>(&tensor), "x"};
      rt.submit({.on = there}, ops::fill, 2.0f, writes(x));
      rt.submit({.on = there}, ops::axpy, 1.0f, reads(x.rows(0, 10)), updates(x.rows(10, 20)));
      dlpack::managed_tensor_versioned* const out = to_dlpack(x.rows(10, 30).read());
      EXPECT_EQ(out->dl_tensor.data, matrix.data() + 3 + 10 * pitch);
      EXPECT_EQ(out->dl_tensor.strides[0], pitch);
      const auto* const seen = static_cast<const float*>(out->dl_tensor.data);
      EXPECT_EQ(seen[9 * pitch + columns - 1], 4.0f);
      EXPECT_EQ(seen[10 * pitch], 2.0f);
      out->deleter(out);
      rt.submit({.on = there}, ops::fill, 6.0f, writes(x.rows(29, 30)));
    }
    while (deleted == 0) std::this_thread::yield();
    EXPECT_EQ(deleted, 1);
    EXPECT_EQ(matrix[3 + 29 * pitch], 6.0f);
    EXPECT_EQ(matrix[3 + columns], -1.0f);
  });
}

}  // namespace

}  // namespace hocket::testing

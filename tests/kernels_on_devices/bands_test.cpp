// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Tiles of matrices that do not fit the device: replicas of bands.

#include <string>
#include <vector>

#include "comparison.hpp"

namespace hocket::testing {
namespace {

class bands : public kernels_on_devices {
 protected:
  /// The device has three mebibytes of its own.
  [[nodiscard]] runtime_options with_little_memory() const {
    const bool may_import = backend() == "opencl" || backend() == "vulkan";
    return {.backends = {{backend(), may_import ? "memory=3M,import=no" : "memory=3M"}}};
  }
};

TEST_F(bands, of_a_product_that_does_not_fit) {
  // Matrices of 2.25 MiB, rows of tiles of a third of that.
  constexpr std::size_t n = 768, step = 256;
  for_each_device([&] {
    runtime rt(with_little_memory());
    const task_options there{.on = rt.device(name())};
    const buffer<float, 2> a{rt, {n, n}}, b{rt, {n, n}}, c{rt, {n, n}, 0.0F};
    const auto set = [&](const buffer<float, 2>& to, std::size_t factor) {
      rt.submit(
          [=](buffer_view<float, 2> values) {
            for (std::size_t i = 0; i < n; ++i) {
              for (std::size_t j = 0; j < n; ++j) {
                values(i, j) = static_cast<float>((factor * i + j) % 5);
              }
            }
          },
          writes(to));
    };
    set(a, 3);
    set(b, 7);
    for (std::size_t i = 0; i < n; i += step) {
      for (std::size_t j = 0; j < n; j += step) {
        for (std::size_t k = 0; k < n; k += step) {
          rt.submit(there, ops::gemm_nn, reads(a.tile({i, k}, {i + step, k + step})),
                    reads(b.tile({k, j}, {k + step, j + step})),
                    updates(c.tile({i, j}, {i + step, j + step})));
        }
      }
    }
    const std::vector<float> found = c.to_vector();
    for (std::size_t i = 0; i < n; i += 37) {
      for (std::size_t j = 0; j < n; j += 41) {
        std::size_t expected = 0;
        for (std::size_t k = 0; k < n; ++k) expected += (3 * i + k) % 5 * ((7 * k + j) % 5);
        ASSERT_EQ(found[i * n + j], static_cast<float>(expected)) << name() << i << ", " << j;
      }
    }
  });
}

}  // namespace
}  // namespace hocket::testing

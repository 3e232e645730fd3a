// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Memory that the program has already: a vector, a part of a matrix with gaps between its rows, and
// a tensor of another library by DLPack, there and back. Nothing of it is copied for the host, nor
// for devices that use the host's memory.

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include <hocket/hocket.hpp>

#include "common/ending.hpp"

using namespace hocket;

namespace {

using tensor =
    dlpack::managed_tensor_versioned;  // or DLManagedTensorVersioned of <dlpack/dlpack.h>

/// A library of arrays as another project might have it: gives its arrays out as tensors, and takes
/// others.
namespace library {

struct array {
  std::vector<float> values;
  std::array<std::int64_t, 2> extents;
  tensor out{};
};

tensor* make(std::int64_t rows, std::int64_t columns, float value) {
  auto made = std::make_unique<array>();
  made->values.assign(static_cast<std::size_t>(rows * columns), value);
  made->extents = {rows, columns};
  made->out.version = {1, 0};
  made->out.manager_ctx = made.get();
  made->out.deleter = [](tensor* self) { delete static_cast<array*>(self->manager_ctx); };
  made->out.dl_tensor = {made->values.data(),
                         {dlpack::device_types::cpu, 0},
                         2,
                         {2, 32, 1},
                         made->extents.data(),
                         nullptr,
                         0};
  return &made.release()->out;
}

/// Adds up what it is given, and deletes it.
float sum(tensor* given) {
  const dlpack::tensor& t = given->dl_tensor;
  float all = 0;
  for (std::int64_t i = 0; i < t.shape[0]; ++i) {
    const float* const row = static_cast<const float*>(t.data) + i * t.strides[0];
    for (std::int64_t j = 0; j < t.shape[1]; ++j) all += row[j * t.strides[1]];
  }
  given->deleter(given);
  return all;
}

}  // namespace library

}  // namespace

int main() try {
  std::vector<float> line(1000, 1.0F);       // made before the runtime, so that they outlive it
  std::vector<float> matrix(8 * 10, -1.0F);  // 8 rows of 10, of which 6 are used
  bool right = true;
  runtime rt;
  {
    const buffer<float> x{rt, user_memory(line), "line"};
    rt.submit(ops::fill, 2.0F, writes(x.rows(0, 500)));
    const auto view = x.read();  // waits for the task; the view is the vector itself
    right = right && view.data() == line.data() && line[499] == 2 && line[500] == 1;
  }
  {
    const buffer<float, 2> part{rt, user_memory(matrix.data(), shape<2>{8, 6}, shape<2>{10, 1}),
                                "part"};
    rt.submit(ops::fill, 3.0F, writes(part));
    (void)part.read();
    right = right && matrix[75] == 3 && matrix[76] == -1;  // the gaps are left alone
  }
  {
    // Owned by a shared_ptr: no order of destruction to think of.
    const auto shared = std::make_shared<std::vector<float>>(100, 4.0F);
    const buffer<float> kept{rt, user_memory(*shared).kept_by(shared), "kept"};
    right = right && rt.submit(ops::sum, reads(kept)).get() == 400;
  }
  // The deleter of the library is called when the buffer no longer needs the memory.
  const buffer<float, 2> theirs{rt, from_dlpack<float, 2>(library::make(20, 30, 5.0F)), "theirs"};
  rt.submit(ops::fill, 7.0F, writes(theirs.rows(0, 10)));
  // Tasks that would change what the library reads wait until it has deleted the tensor.
  const float sum = library::sum(to_dlpack(theirs.tile({5, 0}, {15, 30}).read()));
  right = right && sum == 5 * 30 * 7 + 5 * 30 * 5;

  if (!right) throw std::runtime_error("Memory of the program does not have the right content.");

  rt.wait();
  std::uint64_t copied = 0;
  for (const device_report& each : rt.report().devices) copied += each.bytes_in + each.bytes_out;
  std::printf("the sum is %g, %llu bytes were copied\n", sum,
              static_cast<unsigned long long>(copied));
  examples::flush_output();
} catch (...) {
  return examples::end_of_program("11_own_memory");
}

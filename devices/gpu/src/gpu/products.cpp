// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/products.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include <hocket/devices/device.hpp>

#include "gpu/memory.hpp"

namespace hocket::gpu {

namespace {

/// A matrix as the libraries see it: rows of ours are columns there.
struct matrix {
  /// Of several matrices, the one with that number.
  matrix(const placed_buffer& of, std::size_t number) {
    const array_part& part = *of.part;
    const std::size_t row = part.sizes().size() - 2;
    std::size_t first = part.first_byte();
    if (row == 1) first += number * part.strides()[0] * size_of(part.type());
    elements = reinterpret_cast<void*>(address_of(of.where, first));
    rows = part.sizes()[row];
    columns = part.sizes()[row + 1];
    leading = std::max({part.strides()[row], columns, std::size_t{1}});
  }

  void* elements;
  std::size_t rows, columns;
  std::size_t leading;  ///< elements from one row to the next
};

/// An argument of the kernel, a double if the matrices are of doubles.
double number_of(const scalar_argument& given, element_type of) {
  return of == element_type::f64 ? given.as<double>() : static_cast<double>(given.as<float>());
}

}  // namespace

std::size_t count_of_products(const launch_command& launch) {
  const index_list& c = launch.buffers[2].part->sizes();
  return c.size() == 3 ? c[0] : 1;
}

std::optional<column_product> column_product_of(const matrix_product& what,
                                                const launch_command& launch, std::size_t number) {
  const matrix a(launch.buffers[0], number), b(launch.buffers[1], number),
      c(launch.buffers[2], number);
  const element_type type = launch.buffers[0].part->type();
  const bool has_numbers = launch.scalars.size() == 2;
  column_product made;
  made.transpose_a = what.transpose_a;
  made.transpose_b = what.transpose_b;
  made.a = a.elements;
  made.b = b.elements;
  made.c = c.elements;
  made.alpha = has_numbers ? number_of(launch.scalars[0], type) : 1;
  made.beta = has_numbers ? number_of(launch.scalars[1], type) : static_cast<double>(what.beta);
  // Products that count for nothing are left out, as on the host.
  const std::size_t inner = made.alpha == 0 ? 0 : what.transpose_a ? a.rows : a.columns;
  const std::size_t wanted[] = {c.columns, c.rows, inner, a.leading, b.leading, c.leading};
  int* const fits[] = {&made.columns,   &made.rows,      &made.inner,
                       &made.leading_a, &made.leading_b, &made.leading_c};
  for (std::size_t i = 0; i < std::size(wanted); ++i) {
    if (wanted[i] > std::numeric_limits<int>::max()) return std::nullopt;
    *fits[i] = static_cast<int>(wanted[i]);
  }
  return made;
}

failure product_failure(const std::string& device, const std::string& doing,
                        const std::string& library, const char* text, int answer) {
  return {failure_code::task_failed, device_title(device) + " fails " + doing + ": " + library +
                                         " says " + (text == nullptr ? "" : text) + " (" +
                                         std::to_string(answer) + ")."};
}

}  // namespace hocket::gpu

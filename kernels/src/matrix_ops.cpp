// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/matrix_ops.hpp>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include <hocket/core/error.hpp>
#include <hocket/core/never_destroyed.hpp>

#include "blas.hpp"
#include "device/bodies.hpp"
#include "rows.hpp"

// Of LAPACK, which OpenBLAS contains, there is no header: these are its Fortran functions. Texts
// are followed by their lengths at the end.
extern "C" {
void spotrf_(const char* triangle, const blasint* n, float* a, const blasint* lda, blasint* info,
             std::size_t);
void dpotrf_(const char* triangle, const blasint* n, double* a, const blasint* lda, blasint* info,
             std::size_t);
void sgetrf_(const blasint* m, const blasint* n, float* a, const blasint* lda, blasint* pivots,
             blasint* info);
void dgetrf_(const blasint* m, const blasint* n, double* a, const blasint* lda, blasint* pivots,
             blasint* info);
}

namespace hocket::ops::detail {

using hocket::detail::count_of;
using hocket::detail::countable;
using hocket::detail::leading;
using hocket::detail::max_blas;
using hocket::detail::require_extents;

namespace {

void require_square(const std::string& kernel, const char* what, const index_list& extents) {
  if (extents[0] != extents[1]) {
    throw usage_error("Kernel \"" + kernel + "\" is given " + what + " of " + to_string(extents) +
                      "; it must be square.");
  }
}

void require_countable(const std::string& kernel, const launch_shape& shape) {
  for (const index_list& extents : shape) {
    if (std::ranges::max(extents) <= max_blas) continue;
    throw usage_error("Kernel \"" + kernel + "\" is given a matrix of " + to_string(extents) +
                      "; no extent may exceed " + std::to_string(max_blas) + ".");
  }
}

/// So many operations, and the bytes of all matrices, of which the last is read and written.
template <class T>
launch_work cost_of(double operations, const launch_shape& shape) {
  std::size_t elements = volume(shape.back());
  for (const index_list& extents : shape) elements += volume(extents);
  return {operations, static_cast<double>(elements * sizeof(T))};
}

constexpr const char* syrk_name = "syrk_lower";

template <class T>
void syrk(T alpha, buffer_view<const T, 2> given_a, T beta, buffer_view<T, 2> given_c) {
  if (given_c.extent(0) == 0) return;
  const hocket::detail::one_thread_for_each_call setting;
  const countable<const T> held_a(given_a);
  const countable<T> held_c(given_c);
  const auto& a = held_a.get();
  const auto& c = held_c.get();
  const blasint n = count_of(c, 0), k = alpha == 0 ? 0 : count_of(a, 1);
  if constexpr (std::is_same_v<T, float>) {
    cblas_ssyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, k, alpha, a.data(), leading(a), beta,
                c.data(), leading(c));
  } else {
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, n, k, alpha, a.data(), leading(a), beta,
                c.data(), leading(c));
  }
  held_c.store();
}

void check_syrk(const launch_shape& shape) {
  require_extents(syrk_name, "a result", shape[1], "its matrix asks for one",
                  {shape[0][0], shape[0][0]});
  require_countable(syrk_name, shape);
}

const char* name_of(triangular_system solved) {
  switch (solved) {
    case triangular_system::lower:
      return "trsm_lower";
    case triangular_system::lower_transposed:
      return "trsm_lower_transposed";
    default:
      return "trsm_right_lower_transposed";
  }
}

template <triangular_system Solved, class T>
void trsm(buffer_view<const T, 2> given_l, buffer_view<T, 2> given_b) {
  if (given_b.size() == 0) return;
  const hocket::detail::one_thread_for_each_call setting;
  const countable<const T> held_l(given_l);
  const countable<T> held_b(given_b);
  const auto& l = held_l.get();
  const auto& b = held_b.get();
  constexpr auto side =
      Solved == triangular_system::right_lower_transposed ? CblasRight : CblasLeft;
  constexpr auto transposed = Solved == triangular_system::lower ? CblasNoTrans : CblasTrans;
  const blasint m = count_of(b, 0), n = count_of(b, 1);
  if constexpr (std::is_same_v<T, float>) {
    cblas_strsm(CblasRowMajor, side, CblasLower, transposed, CblasNonUnit, m, n, 1, l.data(),
                leading(l), b.data(), leading(b));
  } else {
    cblas_dtrsm(CblasRowMajor, side, CblasLower, transposed, CblasNonUnit, m, n, 1, l.data(),
                leading(l), b.data(), leading(b));
  }
  held_b.store();
}

template <triangular_system Solved>
void check_trsm(const launch_shape& shape) {
  const std::string name = name_of(Solved);
  require_square(name, "a triangle", shape[0]);
  const bool right = Solved == triangular_system::right_lower_transposed;
  const std::size_t order = shape[1][right ? 1 : 0];
  require_extents(name, "a triangle", shape[0], "the right side asks for one", {order, order});
  require_countable(name, shape);
}

constexpr const char* potrf_name = "potrf_lower";

template <class T>
void potrf(buffer_view<T, 2> given) {
  if (given.size() == 0) return;
  const hocket::detail::one_thread_for_each_call setting;
  const countable<T> held(given);
  const auto& a = held.get();
  const blasint n = count_of(a, 0), apart = leading(a);
  blasint info = 0;
  // Column by column, as LAPACK has it, the lower triangle is the upper one.
  if constexpr (std::is_same_v<T, float>) {
    spotrf_("U", &n, a.data(), &apart, &info, 1);
  } else {
    dpotrf_("U", &n, a.data(), &apart, &info, 1);
  }
  held.store();
  // The library goes on with what is no number, which has reached a later diagonal then.
  for (blasint i = 0; info == 0 && i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!(a(at, at) > 0)) info = i + 1;
  }
  if (info > 0) {
    // The task puts the name of the kernel before it.
    throw error(failure(failure_code::task_failed,
                        "The matrix is not positive definite: its leading minor of order " +
                            std::to_string(info) + " is not."));
  }
}

constexpr const char* getrf_name = "getrf";

/// Copies all elements from(i, j) to to(i, j), a tile after the other, as one of them is read or
/// written by columns.
template <class From, class To>
void copy_tiles(const buffer_view<From, 2>& from, const buffer_view<To, 2>& to) {
  constexpr std::size_t edge = 32;
  const std::size_t rows = from.extent(0), columns = from.extent(1);
  for (std::size_t i = 0; i < rows; i += edge) {
    for (std::size_t j = 0; j < columns; j += edge) {
      for (std::size_t p = i; p < std::min(i + edge, rows); ++p) {
        for (std::size_t q = j; q < std::min(j + edge, columns); ++q) to(p, q) = from(p, q);
      }
    }
  }
}

/// LAPACK's matrices are stored by columns.
template <class T>
void getrf(buffer_view<T, 2> a, buffer_view<std::int32_t> pivots) {
  if (a.size() == 0) return;
  const hocket::detail::one_thread_for_each_call setting;
  const blasint m = count_of(a, 0), n = count_of(a, 1);
  std::vector<T> memory(a.size());
  const buffer_view<T, 2> columns(memory.data(), {a.extent(0), a.extent(1)}, {1, a.extent(0)});
  copy_tiles(a, columns);
  std::vector<blasint> exchanged(pivots.size());
  blasint info = 0;
  if constexpr (std::is_same_v<T, float>) {
    sgetrf_(&m, &n, memory.data(), &m, exchanged.data(), &info);
  } else {
    dgetrf_(&m, &n, memory.data(), &m, exchanged.data(), &info);
  }
  if (info != 0) {
    throw error(failure(failure_code::task_failed, "The matrix is singular: element " +
                                                       std::to_string(info) +
                                                       " of the diagonal of U is zero."));
  }
  copy_tiles(columns, a);
  for (std::size_t i = 0; i < pivots.size(); ++i) pivots[i] = exchanged[i] - 1;
}

}  // namespace

template <class T>
auto syrk_lower_op::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made =
      type<T>(syrk_name, host_body{syrk<T>})
          .check(check_syrk)
          .cost([](const launch_shape& shape) {
            const auto n = static_cast<double>(shape[1][0]);
            return cost_of<T>(n * (n + 1) * static_cast<double>(shape[0][1]), shape);
          })
          .with(hocket::detail::syrk_bodies(element_type_of<T>));
  return made;
}

template <triangular_system Solved>
template <class T>
auto trsm_op<Solved>::instance() -> const type<T>& {
  constexpr bool right = Solved == triangular_system::right_lower_transposed;
  constexpr bool backward = Solved == triangular_system::lower_transposed;
  static const never_destroyed<type<T>> made =
      type<T>(name_of(Solved), host_body{trsm<Solved, T>})
          .check(check_trsm<Solved>)
          .cost([](const launch_shape& shape) {
            const auto order = static_cast<double>(shape[0][0]);
            return cost_of<T>(order * static_cast<double>(volume(shape[1])), shape);
          })
          .with(hocket::detail::trsm_bodies({element_type_of<T>, right, backward}));
  return made;
}

template <class T>
auto potrf_lower_op::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made =
      type<T>(potrf_name, host_body{potrf<T>})
          .check([](const launch_shape& shape) {
            require_square(potrf_name, "a matrix", shape[0]);
            require_countable(potrf_name, shape);
          })
          .cost([](const launch_shape& shape) {
            const auto n = static_cast<double>(shape[0][0]);
            return cost_of<T>(n * n * n / 3, shape);
          });
  return made;
}

template <class T>
auto getrf_op::instance() -> const type<T>& {
  static const never_destroyed<type<T>> made =
      type<T>(getrf_name, host_body{getrf<T>})
          .check([](const launch_shape& shape) {
            require_extents(getrf_name, "pivots", shape[1], "its matrix asks for some",
                            {std::min(shape[0][0], shape[0][1])});
            require_countable(getrf_name, shape);
          })
          .cost([](const launch_shape& shape) {
            const auto m = static_cast<double>(shape[0][0]), n = static_cast<double>(shape[0][1]);
            const double k = std::min(m, n);
            return cost_of<T>(2 * (m * n * k - (m + n) * k * k / 2 + k * k * k / 3), {shape[0]});
          })
          .positional();
  return made;
}

#define HOCKET_INSTANTIATE(OP)                           \
  template const OP::type<float>& OP::instance<float>(); \
  template const OP::type<double>& OP::instance<double>();
HOCKET_INSTANTIATE(syrk_lower_op)
HOCKET_INSTANTIATE(trsm_op<triangular_system::lower>)
HOCKET_INSTANTIATE(trsm_op<triangular_system::lower_transposed>)
HOCKET_INSTANTIATE(trsm_op<triangular_system::right_lower_transposed>)
HOCKET_INSTANTIATE(potrf_lower_op)
HOCKET_INSTANTIATE(getrf_op)
#undef HOCKET_INSTANTIATE

}  // namespace hocket::ops::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/scheduler/checked_gemm.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <hocket/kernels/checksum_ops.hpp>
#include <hocket/scheduler/kept_result.hpp>

#include "runtime/gemm_sums.hpp"

namespace hocket::detail {

failure wrong_product(const std::string& task, const std::string& buffer, std::size_t attempts,
                      const wrong_sums& rows, const wrong_sums& columns) {
  const auto counted = [](const wrong_sums& sums, const char* what) {
    const std::string number = std::to_string(sums.count) + " sums of " + what + "s";
    if (sums.count == 0) return number;
    return number + " (the first is that of " + what + " " + std::to_string(sums.first) + ")";
  };
  return {failure_code::data_corrupted,
          "The product \"" + task + "\" in buffer \"" + buffer + "\" is wrong after " +
              std::to_string(attempts) + " attempts: " + counted(rows, "row") + " and " +
              counted(columns, "column") + " differ from what its factors ask for."};
}

namespace {

using counter = std::atomic<std::uint64_t> check_counts::*;

void count(const check_counts_ref& in, counter what) {
  if (in != nullptr) ++((*in).*what);
}

/// One checked product: its matrices, and the sums that are compared.
template <class T>
class product_check {
 public:
  product_check(runtime& home, const gemm_check_options& options, const checked_product<T>& what)
      : options_(options),
        what_(what),
        m_(what.c.extents()[0]),
        n_(what.c.extents()[1]),
        k_(what.a.extents()[what.transpose_a ? 0 : 1]),
        ones_(home, std::max({m_, n_, k_}), T{1}, "ones"),
        rows_(home, m_),
        columns_(home, n_),
        kept_(home, what.accumulates ? shape<2>{m_, n_} : shape<2>{0, 0}, "C as it was"),
        row_limit_(options.tolerance * rounding_limit<T>(k_ + n_ + 4)),
        column_limit_(options.tolerance * rounding_limit<T>(k_ + m_ + 4)) {}

  future<void> submit(submitter& to) const {
    if (what_.accumulates) to.submit(ops::copy, reads(what_.c), writes(kept_));
    add_attempt(to);
    const run_options how{.label = options_.task.label, .priority = options_.task.priority};
    return to.run_if(how, differs(), [this](submitter& repair) { add_repair(repair); });
  }

 private:
  [[nodiscard]] region<T, 1> ones(std::size_t number) const { return ones_.rows(0, number); }

  /// y = M x and z = |M| w, of the matrix or its transpose.
  static void add_sums(submitter& to, const region<T, 2>& matrix, bool transposed,
                       const region<T, 1>& x, const region<T, 1>& w, const region<T, 1>& y,
                       const region<T, 1>& z) {
    if (transposed) {
      to.submit(ops::column_checksums, reads(matrix), reads(x), reads(w), writes(y), writes(z));
    } else {
      to.submit(ops::row_checksums, reads(matrix), reads(x), reads(w), writes(y), writes(z));
    }
  }

  /// With the sums that the result has to have: they may be what is wrong.
  void add_attempt(submitter& to) const {
    add_expected_sums(to);
    add_product(to);
    add_sums_of_result(to);
  }

  /// The sums that the result has to have: of its rows op(A) (op(B) e), of its columns
  /// (e^T op(A)) op(B), where C is added to also those of C as it was.
  void add_expected_sums(submitter& to) const {
    const buffer<T> right(to.home(), k_), right_bound(to.home(), k_);
    const buffer<T> left(to.home(), k_), left_bound(to.home(), k_);
    add_sums(to, what_.b, what_.transpose_b, ones(n_), ones(n_), right, right_bound);
    add_sums(to, what_.a, what_.transpose_a, right, right_bound, rows_.expected(), rows_.bound());
    add_sums(to, what_.a, !what_.transpose_a, ones(m_), ones(m_), left, left_bound);
    add_sums(to, what_.b, !what_.transpose_b, left, left_bound, columns_.expected(),
             columns_.bound());
    if (!what_.accumulates) return;
    add_sums_as_it_was(to, false, n_, rows_);
    add_sums_as_it_was(to, true, m_, columns_);
  }

  void add_sums_as_it_was(submitter& to, bool transposed, std::size_t summed,
                          const gemm_sums<T>& of) const {
    const buffer<T> before(to.home(), of.count), bound(to.home(), of.count);
    add_sums(to, what_.c, transposed, ones(summed), ones(summed), before, bound);
    to.submit(ops::axpy, T{1}, reads(before), updates(of.expected()));
    to.submit(ops::axpy, T{1}, reads(bound), updates(of.bound()));
  }

  template <class Family>
  void add(submitter& to, const Family& product) const {
    if (what_.accumulates) {
      to.submit(options_.task, product, reads(what_.a), reads(what_.b), updates(what_.c));
    } else {
      to.submit(options_.task, product, reads(what_.a), reads(what_.b), writes(what_.c));
    }
  }
  void add_product(submitter& to) const {
    if (what_.transpose_a) {
      add(to, ops::gemm_tn);
    } else if (what_.transpose_b) {
      add(to, ops::gemm_nt);
    } else {
      add(to, ops::gemm_nn);
    }
    keep_result(to, what_.c, options_.task.priority);
  }

  void add_sums_of_result(submitter& to) const {
    const buffer<T> row_values(to.home(), m_), column_values(to.home(), n_);
    add_sums(to, what_.c, false, ones(n_), ones(n_), rows_.found(), row_values);
    add_sums(to, what_.c, true, ones(m_), ones(m_), columns_.found(), column_values);
  }

  /// True if the result is wrong.
  [[nodiscard]] auto differs() const {
    return when(
        [of_rows = row_limit_, of_columns = column_limit_](buffer_view<const T> rows,
                                                           buffer_view<const T> columns) {
          return find_wrong(rows, of_rows).count > 0 || find_wrong(columns, of_columns).count > 0;
        },
        reads(rows_.all), reads(columns_.all));
  }

  /// The repair of a wrong result: it is recorded with each product, and hardly ever run.
  void add_repair(submitter& to) const {
    add_correction(to);
    add_sums_of_result(to);
    to.run_while(
        differs(),
        [this](submitter& again) {
          if (what_.accumulates) again.submit(ops::copy, reads(kept_), writes(what_.c));
          add_attempt(again);
          again.submit([counts = options_.counts](
                           buffer_view<const T>) { count(counts, &check_counts::repeated); },
                       reads(rows_.all));
        },
        options_.attempts - 1);
    add_verdict(to);
  }

  /// Computes a single wrong element anew. C as it was is looked at only where it is added to.
  void add_correction(submitter& to) const {
    const auto correct =
        [counts = options_.counts, of_rows = row_limit_, of_columns = column_limit_,
         accumulates = what_.accumulates, ta = what_.transpose_a, tb = what_.transpose_b](
            buffer_view<const T> rows, buffer_view<const T> columns, buffer_view<const T, 2> a,
            buffer_view<const T, 2> b, buffer_view<const T, 2> before, buffer_view<T, 2> c) {
          count(counts, &check_counts::differed);
          const wrong_sums row = find_wrong(rows, of_rows);
          const wrong_sums column = find_wrong(columns, of_columns);
          if (row.count != 1 || column.count != 1) return;
          const std::size_t i = row.first, j = column.first;
          double sum = accumulates ? static_cast<double>(before(i, j)) : 0;
          for (std::size_t l = 0; l < a.extent(ta ? 0 : 1); ++l) {
            sum += static_cast<double>(ta ? a(l, i) : a(i, l)) *
                   static_cast<double>(tb ? b(j, l) : b(l, j));
          }
          c(i, j) = static_cast<T>(sum);
          count(counts, &check_counts::corrected);
        };
    to.submit({.label = "correct an element"}, correct, reads(rows_.all), reads(columns_.all),
              reads(what_.a), reads(what_.b),
              reads(what_.accumulates ? region<T, 2>(kept_) : what_.a), updates(what_.c));
  }

  /// Fails if the result is wrong after all attempts.
  void add_verdict(submitter& to) const {
    const auto judge = [options = options_, label = what_.c.ref().data->label(),
                        of_rows = row_limit_, of_columns = column_limit_](
                           buffer_view<const T> rows, buffer_view<const T> columns,
                           buffer_view<T, 2>) {
      const wrong_sums row = find_wrong(rows, of_rows);
      const wrong_sums column = find_wrong(columns, of_columns);
      if (row.count == 0 && column.count == 0) return;
      count(options.counts, &check_counts::failed);
      throw error(wrong_product(std::string(options.task.label.text()), label, options.attempts,
                                row, column));
    };
    to.submit({.label = "check of a product"}, judge, reads(rows_.all), reads(columns_.all),
              updates(what_.c));
  }

  const gemm_check_options options_;
  const checked_product<T> what_;
  const std::size_t m_, n_, k_;
  const buffer<T> ones_;
  const gemm_sums<T> rows_;
  const gemm_sums<T> columns_;
  const buffer<T, 2> kept_;  ///< C before the product, where it is added to
  const double row_limit_;
  const double column_limit_;
};

}  // namespace

template <class T>
future<void> submit_checked(submitter& to, const gemm_check_options& options,
                            const checked_product<T>& what) {
  if (options.attempts == 0) {
    throw usage_error("gemm_check_options::attempts is 0; it must be at least 1.");
  }
  if (!(options.tolerance > 0 && options.tolerance <= 1)) {
    throw usage_error("gemm_check_options::tolerance is " + std::to_string(options.tolerance) +
                      "; it must be more than 0 and at most 1.");
  }
  return product_check<T>(to.home(), options, what).submit(to);
}
template future<void> submit_checked(submitter&, const gemm_check_options&,
                                     const checked_product<float>&);
template future<void> submit_checked(submitter&, const gemm_check_options&,
                                     const checked_product<double>&);

}  // namespace hocket::detail

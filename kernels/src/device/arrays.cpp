// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <string>

#include <hocket/core/shape.hpp>
#include <hocket/kernels/expression.hpp>
#include <hocket/kernels/traced_source.hpp>

#include "../define.hpp"
#include "bodies.hpp"

namespace hocket::detail {

namespace {

/// How many parts the elements are cut into, each for one work-item: PARTS in texts.
struct part_count {
  std::size_t least_elements;
  std::size_t most;

  [[nodiscard]] std::size_t of(const launch_shape& shape) const {
    return std::min(volume(shape[0]) / least_elements + 1, most);
  }
  [[nodiscard]] std::string macro() const {
    return define("PARTS", "min(x_count / " + std::to_string(least_elements) + "u + 1u, " +
                               std::to_string(most) + "u)");
  }
  [[nodiscard]] std::function<grid(const launch_shape&)> items() const {
    return [self = *this](const launch_shape& shape) { return grid{self.of(shape), 1, 1}; };
  }
};

std::function<grid(const launch_shape&)> so_many(std::size_t items) {
  return [items](const launch_shape&) { return grid{items, 1, 1}; };
}

/// The elements of a part: a run of them, or of a GPU those that lie as far apart as there are
/// parts, so that neighbouring work-items read neighbouring elements.
constexpr const char* first_places_text = R"(
uint each = x_count / PARTS + 1u;
uint begin = STRIDED ? ITEM(0) : min(ITEM(0) * each, x_count);
uint step = STRIDED ? PARTS : 1u;
uint after = x_count - min(begin, x_count);
uint count = STRIDED ? (after + step - 1u) / step : min(each, after);
if (ITEM(0) < PARTS) {
  uint best = NO_PLACE;
  for (uint k = 0u; k < count; ++k) {
    uint i = begin + k * step;
    if (best == NO_PLACE || BETTER(VALUE(i), VALUE(best))) best = i;
  }
  scratch[ITEM(0)] = best;
}
)";

/// The best of the places from ITEM(0) on that lie as far apart as there are work-items. Of equal
/// elements the first place counts, in whatever order they are met.
constexpr const char* next_places_text = R"(
uint best = NO_PLACE;
uint count = FROM;
if (ITEM(0) < TO) {
  for (uint k = ITEM(0); k < count; k += TO) {
    uint i = PLACE(k);
    if (i == NO_PLACE) continue;
    if (best == NO_PLACE || BETTER(VALUE(i), VALUE(best)) ||
        (i < best && !BETTER(VALUE(best), VALUE(i)))) best = i;
  }
  KEEP(best);
}
)";

constexpr std::size_t middle_parts = 128;

/// From so many places, which PLACE(k) gives, to so many others, which `keep` keeps.
std::string next_places(const std::string& from, const std::string& place, const std::string& to,
                        const std::string& keep) {
  return define("FROM", from) + define("PLACE(k)", place) + define("TO", to) +
         define("KEEP(best)", keep) + next_places_text;
}

/// The sum of each part, then the sums before each part, then the sums of elements in each part.
constexpr const char* part_sums_text = R"(
uint each = x_count / PARTS + 1u;
uint begin = min(ITEM(0) * each, x_count);
uint count = min(each, x_count - begin);
if (ITEM(0) < PARTS) {
  TYPE sum = AS(TYPE, 0);
  for (uint k = 0u; k < count; ++k) sum = ADD(sum, x(begin + k));
  PUT(ITEM(0), sum);
}
)";

constexpr const char* sums_before_text = R"(
uint parts = PARTS;
TYPE sum = AS(TYPE, 0);
for (uint k = 0u; k < parts && ITEM(0) == 0u; ++k) {
  TYPE next = GET(k);
  PUT(k, sum);
  sum = ADD(sum, next);
}
)";

/// The sums before each part, by one group: each work-item has a run of parts.
constexpr const char* sums_before_in_group_text = R"(
uint lane = LOCAL_ITEM(0);
uint each = (PARTS + 255u) / 256u;
uint begin = min(lane * each, PARTS);
uint end = min(begin + each, PARTS);
TYPE sum = AS(TYPE, 0);
for (uint k = begin; k < end; ++k) sum = ADD(sum, GET(k));
sums[lane] = sum;
for (uint step = 1u; step < 256u; step *= 2u) {
  BARRIER();
  TYPE before = lane >= step ? sums[lane - step] : AS(TYPE, 0);
  BARRIER();
  sums[lane] = ADD(before, sums[lane]);
}
BARRIER();
sum = lane > 0u ? sums[lane - 1u] : AS(TYPE, 0);
for (uint k = begin; k < end; ++k) {
  TYPE next = GET(k);
  PUT(k, sum);
  sum = ADD(sum, next);
}
)";

constexpr const char* scanned_text = R"(
uint each = x_count / PARTS + 1u;
uint begin = min(ITEM(0) * each, x_count);
uint count = min(each, x_count - begin);
if (ITEM(0) < PARTS) {
  TYPE sum = GET(ITEM(0));
  for (uint k = 0u; k < count; ++k) {
    TYPE next = ADD(sum, x(begin + k));
    y(begin + k) = INCLUSIVE ? next : sum;
    sum = next;
  }
}
)";

/// Integers wrap around.
std::string add_macro(element_type of) {
  const bool is_signed = of == element_type::i32 || of == element_type::i64;
  if (!is_signed) return define("ADD(a, b)", "((a) + (b))");
  const std::string bits = of == element_type::i32 ? "u32" : "u64";
  return define("ADD(a, b)", "AS(TYPE, AS(" + bits + ", a) + AS(" + bits + ", b))");
}

}  // namespace

std::vector<kernel_source> extreme_place_bodies(element_type of, bool greatest) {
  return for_both([&](kernel_format format, bool for_gpus) {
    const part_count parts{for_gpus ? std::size_t{64} : std::size_t{4096},
                           for_gpus ? std::size_t{16384} : std::size_t{256}};
    const std::string is_beyond = greatest ? "(a) > (b)" : "(a) < (b)";
    kernel_source made{format, {"x", "result"}, {}};
    made.functions = read_macros(of) + define("VALUE(i)", "READ(x(i))") +
                     define("NO_PLACE", "0xffffffffu") +
                     define("STRIDED", for_gpus ? "true" : "false") + parts.macro() +
                     define("BETTER(a, b)", "((" + is_beyond + ") || ((a) != (a) && (b) == (b)))");
    const std::string few = std::to_string(middle_parts) + "u";
    made.passes = {
        {first_places_text, {64, 1, 1}, parts.items()},
        {next_places("PARTS", "scratch[k]", few, "scratch[PARTS + ITEM(0)] = best"),
         {64, 1, 1},
         so_many(middle_parts)},
        {next_places(few, "scratch[PARTS + k]", "1u", "result(0) = best"), {1, 1, 1}, so_many(1)}};
    made.scratch = [parts](const launch_shape& shape) { return parts.of(shape) + middle_parts; };
    return made;
  });
}

std::vector<kernel_source> scan_bodies(element_type of, bool inclusive) {
  return for_both([&](kernel_format format, bool for_gpus) {
    const part_count parts{for_gpus ? std::size_t{64} : std::size_t{4096},
                           for_gpus ? std::size_t{16384} : std::size_t{256}};
    const std::string type = type_name(of);
    kernel_source made{format, {"x", "y"}, {}};
    made.functions = define("TYPE", type) + add_macro(of) + scratch_macros(of, format) +
                     define("INCLUSIVE", inclusive ? "true" : "false") + parts.macro();
    kernel_pass before{sums_before_text, {1, 1, 1}, so_many(1)};
    if (for_gpus)
      before = {sums_before_in_group_text, {256, 1, 1}, so_many(256), {type + " sums[256]"}};
    made.passes = {{part_sums_text, {64, 1, 1}, parts.items()},
                   std::move(before),
                   {scanned_text, {64, 1, 1}, parts.items()}};
    made.scratch = [parts, words = size_of(of) / 4](const launch_shape& shape) {
      return parts.of(shape) * words;
    };
    return made;
  });
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <algorithm>

#include "bodies.hpp"

namespace hocket::detail {

namespace {

/// The largest logit of a row, NaN if there is one, and the sum of the exponentials; the row's
/// label counts as none where it is out of range. A device's exp may lose what is not finite, so
/// that it is found by itself.
constexpr const char* row_macros = R"(
#define SOFTMAX_ROW \
  uint classes = logits_extent1; \
  uint label = AS(u32, labels(i)); \
  REAL top = logits(i, 0); \
  for (uint j = 1u; j < classes; ++j) { \
    REAL value = logits(i, j); \
    if (!isnan(top) && (isnan(value) || value > top)) top = value; \
  } \
  REAL sum = AS(REAL, 0); \
  for (uint j = 0u; j < classes; ++j) sum += EXP(logits(i, j) - top); \
  bool valid = label < classes && !isnan(top) && !isinf(top);
)";

constexpr const char* loss_text = R"(
uint i = ITEM(0);
if (i < ITEMS0) {
  SOFTMAX_ROW
  loss(i) = NOT_A_NUMBER;
  if (valid) loss(i) = LOG(sum) - (logits(i, label) - top);
}
)";

/// Each element is read before it is written, because the gradient may take the logits' place.
constexpr const char* backward_text = R"(
uint i = ITEM(0);
if (i < ITEMS0) {
  SOFTMAX_ROW
  for (uint j = 0u; j < classes; ++j) {
    REAL part = EXP(logits(i, j) - top) / sum;
    dlogits(i, j) = valid ? scale * (part - AS(REAL, j == label ? 1 : 0)) : NOT_A_NUMBER;
  }
}
)";

constexpr std::size_t max_counts = 256;

constexpr const char* count_text = R"(
uint rows = logits_extent0;
uint classes = logits_extent1;
uint found = 0u;
for (uint i = ITEM(0); i < rows && ITEM(0) < ITEMS0; i += ITEMS0) {
  uint label = AS(u32, labels(i));
  bool correct = label < classes;
  REAL value = logits(i, correct ? label : 0u);
  correct = correct && !isnan(value);
  for (uint j = 0u; j < classes; ++j) {
    REAL other = logits(i, j);
    correct = correct && (j < label ? value > other : value >= other);
  }
  found += correct ? 1u : 0u;
}
if (ITEM(0) < ITEMS0) scratch[ITEM(0)] = found;
)";

/// The result as two words: some devices have no numbers of 64 bits.
constexpr const char* count_end_text = R"(
uint counts = min(logits_extent0, MOST_COUNTS);
uint found = 0u;
for (uint k = 0u; k < counts; ++k) found += scratch[k];
if (ITEM(0) == 0u) {
  result_[0] = found;
  result_[1] = 0u;
}
)";

grid each_row(const launch_shape& shape) { return {shape[0][0], 1, 1}; }

std::vector<kernel_source> row_bodies(element_type real, const std::vector<std::string>& names,
                                      const char* text) {
  std::vector<kernel_source> made;
  add_bodies(made, real, names, {text, {64, 1, 1}, each_row}, row_macros, {device_style::gpu});
  add_bodies(made, real, names, {text, {8, 1, 1}, each_row}, row_macros,
             {device_style::cpu_compiler, device_style::cpu_lanes, device_style::cpu_switching});
  return made;
}

}  // namespace

std::vector<kernel_source> softmax_forward_bodies(element_type real) {
  return row_bodies(real, {"logits", "labels", "loss"}, loss_text);
}

std::vector<kernel_source> softmax_backward_bodies(element_type real) {
  return row_bodies(real, {"scale", "logits", "labels", "dlogits"}, backward_text);
}

std::vector<kernel_source> count_correct_bodies(element_type real) {
  std::vector<kernel_source> made;
  const kernel_pass count = {count_text, {8, 1, 1}, [](const launch_shape& shape) {
                               return grid{std::min(shape[0][0], max_counts), 1, 1};
                             }};
  const kernel_pass end = {count_end_text, {1, 1, 1}, [](const launch_shape&) {
                             return grid{1, 1, 1};
                           }};
  for (const kernel_format format : body_formats) {
    made.push_back(
        {format,
         {"logits", "labels", "result"},
         {count, end},
         real_macros(real, format) + define("MOST_COUNTS", std::to_string(max_counts) + "u"),
         [](const launch_shape&) { return max_counts; },
         {},
         {},
         true});
  }
  return made;
}

}  // namespace hocket::detail

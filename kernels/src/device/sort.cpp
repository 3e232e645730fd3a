// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <string>

#include <hocket/core/shape.hpp>
#include <hocket/kernels/expression.hpp>
#include <hocket/kernels/traced_source.hpp>

#include "../define.hpp"
#include "bodies.hpp"

namespace hocket::detail {

namespace {

/// A merge sort: runs of RUN elements are sorted in x, then merged in pairs, round by round, from x
/// to the scratch memory and back. A GPU sorts a run by one group, in the memory that its
/// work-items share, and merges as many elements at a time; elsewhere a work-item does so alone.
constexpr std::size_t group_run = 1024, group_items = 256, item_run = 64;

/// Runs grow by a factor of four in two rounds, so the length of none in front of a round needs
/// more than 32 bits if the first ones have a power of four.
constexpr bool is_power_of_four(std::size_t number) {
  return (number & (number - 1)) == 0 && (number & 0x55555555U) != 0;
}
static_assert(is_power_of_four(group_run) && is_power_of_four(item_run));

/// Until one run has all elements, and an even number of times: the last round writes to x.
std::size_t merge_rounds(std::size_t count, std::size_t run) {
  std::size_t rounds = 0;
  for (; run < count; run *= 4) rounds += 2;
  return rounds;
}

constexpr const char* sorted_by_item_text = R"(
uint begin = min(ITEM(0) * RUN, x_count);
uint end = begin + min(RUN, x_count - begin);
for (uint i = begin + 1u; i < end; ++i) {
  KEY_TYPE key = X_KEY(i);
  uint to = i;
  while (to > begin) {
    KEY_TYPE before = X_KEY(to - 1u);
    if (before <= key) break;
    PUT_X(to, before);
    --to;
  }
  PUT_X(to, key);
}
)";

/// A bitonic sort of RUN keys. Those behind the last element are the greatest.
constexpr const char* sorted_by_group_text = R"(
uint lane = LOCAL_ITEM(0);
uint begin = GROUP(0) * RUN;
uint count = min(RUN, x_count - begin);
for (uint k = lane; k < RUN; k += LANES) {
  KEY_TYPE key = LAST_KEY;
  if (k < count) key = X_KEY(begin + k);
  keys[k] = key;
}
for (uint size = 2u; size <= RUN; size *= 2u) {
  for (uint step = size / 2u; step > 0u; step /= 2u) {
    BARRIER();
    for (uint pair = lane; pair < RUN / 2u; pair += LANES) {
      uint i = 2u * pair - (pair & (step - 1u));
      KEY_TYPE one = keys[i];
      KEY_TYPE other = keys[i + step];
      if ((one > other) == ((i & size) == 0u)) {
        keys[i] = other;
        keys[i + step] = one;
      }
    }
  }
}
BARRIER();
for (uint k = lane; k < count; k += LANES) PUT_X(begin + k, keys[k]);
)";

/// The pair of runs that element `begin` is in. mask + 1 is the length of a whole pair, which may
/// have 33 bits.
constexpr const char* pair_of_runs_text = R"(
uint length = RUN << ROUND;
uint mask = 2u * length - 1u;
uint first = begin & ~mask;
uint both = min(mask, x_count - 1u - first) + 1u;
uint left = min(length, both);
uint right = both - left;
)";

/// `low` becomes how many of the first `taken` elements of two merged runs are of the left one, by
/// bisection. Equal keys are the same bits, so it does not matter which one comes first.
std::string split_text(const std::string& left_key, const std::string& right_key) {
  return R"(
uint low = taken - min(taken, right);
uint high = min(taken, left);
while (low < high) {
  uint middle = low + (high - low) / 2u;
  if ()" +
         right_key + " < " + left_key + R"() high = middle;
  else low = middle + 1u;
}
)";
}

/// Keys that a work-item merges. That of a run that has ended is the greatest, as are all keys that
/// the other run may still have then.
constexpr const char* merged_by_item_text = R"(
uint i = first + low;
uint j = first + left + taken - low;
uint end_of_left = first + left;
uint end_of_right = first + both;
KEY_TYPE left_key = LAST_KEY;
KEY_TYPE right_key = LAST_KEY;
if (i < end_of_left) left_key = FROM(i);
if (j < end_of_right) right_key = FROM(j);
uint count = min(RUN, both - taken);
for (uint k = 0u; k < count; ++k) {
  bool is_left = left_key <= right_key;
  TO(begin + k, is_left ? left_key : right_key);
  if (is_left) ++i; else ++j;
  uint from = is_left ? i : j;
  KEY_TYPE key = LAST_KEY;
  if (from < (is_left ? end_of_left : end_of_right)) key = FROM(from);
  left_key = is_left ? key : left_key;
  right_key = is_left ? right_key : key;
}
)";

std::string merge_by_item() {
  return "uint begin = ITEM(0) * RUN;\nif (ITEM(0) < ITEMS0) {" + std::string(pair_of_runs_text) +
         "uint taken = begin - first;" +
         split_text("FROM(first + middle)", "FROM(first + left + taken - 1u - middle)") +
         merged_by_item_text + "}\n";
}

/// The parts of both runs that make a tile come to the memory that the group shares; each work-item
/// merges as many elements of them as the others.
std::string merge_by_group() {
  return "uint lane = LOCAL_ITEM(0);\nuint begin = GROUP(0) * RUN;" +
         std::string(pair_of_runs_text) +
         "if (lane < 2u) {\nuint taken = min(begin - first + lane * RUN, both);" +
         split_text("FROM(first + middle)", "FROM(first + left + taken - 1u - middle)") +
         "splits[lane] = low;\n}\n" + R"(
BARRIER();
uint left_begin = first + splits[0];
uint right_begin = begin + left - splits[0];
uint count = min(RUN, both - (begin - first));
left = splits[1] - splits[0];
right = count - left;
for (uint k = lane; k < count; k += LANES) {
  uint from = k < left ? left_begin + k : right_begin + (k - left);
  keys[k] = FROM(from);
}
BARRIER();
uint taken = min(lane * (RUN / LANES), count);
)" + split_text("keys[middle]", "keys[left + taken - 1u - middle]") +
         R"(
uint i = low;
uint j = left + taken - low;
uint end = min(taken + RUN / LANES, count);
for (uint k = taken; k < end; ++k) {
  bool is_left = j == count || (i < left && keys[i] <= keys[j]);
  uint from = is_left ? i : j;
  TO(begin + k, keys[from]);
  if (is_left) ++i; else ++j;
}
)";
}

/// In even rounds FROM and TO are x and the scratch memory, in odd rounds the other way round.
std::string by_turns(const std::string& text) {
  const auto between = [&](const char* from, const char* to) {
    return "\n" + define("FROM(i)", from) + define("TO(i, key)", to) + text +
           "#undef FROM\n#undef TO\n";
  };
  return "if (ROUND % 2u == 0u) {" + between("X_KEY(i)", "PUT(i, key)") + "} else {" +
         between("GET(i)", "PUT_X(i, key)") + "}\n";
}

/// BITS(v) and NUMBER(bits): a real number as an unsigned one with its bits, and back.
std::string bits_macros(element_type of, kernel_format format) {
  if (of == element_type::f32) {
    return define("BITS(v)", "FLOAT_BITS(v)") + define("NUMBER(bits)", "BITS_FLOAT(bits)");
  }
  switch (format) {
    case kernel_format::opencl_c:
      return define("BITS(v)", "as_ulong(v)") + define("NUMBER(bits)", "as_double(bits)");
    case kernel_format::glsl:
      return define("BITS(v)", "packUint2x32(unpackDouble2x32(v))") +
             define("NUMBER(bits)", "packDouble2x32(unpackUint2x32(bits))");
    default:
      return define("BITS(v)", "AS(u64, __double_as_longlong(v))") +
             define("NUMBER(bits)", "__longlong_as_double(AS(i64, bits))");
  }
}

/// KEY(v) and ELEMENT(key): an element as an unsigned number in the order of elements, and back.
/// The bits of a real number without a sign are in its order, with one in the opposite order; with
/// NANS subtracted the NaN of negative sign come behind those of positive sign.
std::string key_macros(element_type of, kernel_format format) {
  const bool is_wide = size_of(of) == 8;
  std::string text = define("KEY_TYPE", is_wide ? "u64" : "u32") +
                     define("SIGN", is_wide ? "(AS(u64, 1) << 63u)" : "0x80000000u") +
                     define("LAST_KEY", "(~AS(KEY_TYPE, 0))");
  if (of == element_type::f32 || of == element_type::f64) {
    return text + bits_macros(of, format) +
           define("NANS", is_wide ? "((AS(u64, 1) << 52u) - AS(u64, 1))" : "0x7fffffu") +
           define("KEY(v)", "hocket_key(BITS(v))") +
           define("ELEMENT(key)", "NUMBER(hocket_bits(key))") + R"(
KEY_TYPE hocket_key(KEY_TYPE bits) {
  return ((bits & SIGN) != AS(KEY_TYPE, 0) ? ~bits : bits | SIGN) - NANS;
}
KEY_TYPE hocket_bits(KEY_TYPE key) {
  KEY_TYPE ordered = key + NANS;
  return (ordered & SIGN) != AS(KEY_TYPE, 0) ? ordered ^ SIGN : ~ordered;
}
)";
  }
  const bool is_signed = of == element_type::i32 || of == element_type::i64;
  const std::string turned = is_signed ? " ^ SIGN" : "";
  return text + define("KEY(v)", "(AS(KEY_TYPE, v)" + turned + ")") +
         define("ELEMENT(key)", std::string("AS(") + type_name(of) + ", (key)" + turned + ")");
}

}  // namespace

std::vector<kernel_source> sort_bodies(element_type of) {
  return for_both([&](kernel_format format, bool for_gpus) {
    const bool is_wide = size_of(of) == 8;
    const element_type key = is_wide ? element_type::u64 : element_type::u32;
    const std::size_t run = for_gpus ? group_run : item_run;
    const std::size_t items = for_gpus ? group_items : 1;
    const grid local{for_gpus ? group_items : 64, 1, 1};
    const auto work = [=](const launch_shape& shape) {
      return grid{(volume(shape[0]) + run - 1) / run * items, 1, 1};
    };
    const auto rounds = [=](const launch_shape& shape) {
      return merge_rounds(volume(shape[0]), run);
    };
    std::vector<std::string> keys, merged;
    if (for_gpus) {
      keys = {"KEY_TYPE keys[" + std::to_string(group_run) + "]"};
      merged = {keys.front(), "uint splits[2]"};
    }
    kernel_source made{format, {"x"}, {}};
    made.functions =
        key_macros(of, format) + scratch_macros(key, format) + define("X_KEY(i)", "KEY(x(i))") +
        define("PUT_X(i, key)", "x(i) = ELEMENT(key)") + define("RUN", std::to_string(run) + "u") +
        define("LANES", std::to_string(group_items) + "u");
    made.passes = {
        {for_gpus ? sorted_by_group_text : sorted_by_item_text, local, work, std::move(keys)},
        {by_turns(for_gpus ? merge_by_group() : merge_by_item()), local, work, std::move(merged),
         rounds}};
    made.scratch = [=](const launch_shape& shape) {
      const std::size_t count = volume(shape[0]);
      return count > run ? count * (is_wide ? 2 : 1) : 0;
    };
    made.types = {key};
    return made;
  });
}

}  // namespace hocket::detail

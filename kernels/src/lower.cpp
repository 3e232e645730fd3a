// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include <hocket/core/error.hpp>
#include <hocket/kernels/program.hpp>

namespace hocket {

namespace {

/// A region as device code walks it: the last stride is one.
struct walk {
  index_list extents;
  index_list strides;
};

/// Merges dimensions that lie one after another in memory.
walk collapsed(const index_list& extents, const index_list& strides) {
  walk made;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 1) continue;
    if (!made.extents.empty() && made.strides.back() == extents[d] * strides[d]) {
      made.extents.back() *= extents[d];
      made.strides.back() = strides[d];
    } else {
      made.extents.push_back(extents[d]);
      made.strides.push_back(strides[d]);
    }
  }
  if (made.extents.empty() || made.strides.back() != 1) {
    made.extents.push_back(1);
    made.strides.push_back(1);
  }
  return made;
}

std::size_t first_element(const box& region, const index_list& strides) {
  std::size_t offset = 0;
  for (std::size_t d = 0; d < strides.size(); ++d) offset += region.begin[d] * strides[d];
  return offset;
}

/// Places of elements have 32 bits in bodies, and a loop that goes over them in steps passes the
/// end by one step.
constexpr std::size_t max_elements = 4'000'000'000;

bool fits(const device_argument& argument) { return volume(*argument.extents) <= max_elements; }

/// The first element of a buffer, its extents, and its strides but the last one.
std::size_t words_of_buffer(std::size_t rank) { return rank == 0 ? 1 : 2 * rank; }

void add_buffer(lowered_launch& made, std::vector<std::uint32_t>& words,
                const device_argument& argument, bool any_rank_wanted) {
  const index_list whole = dense_strides(*argument.extents);
  const index_list extents = argument.region->extents();
  const walk w = any_rank_wanted ? collapsed(extents, whole) : walk{extents, whole};
  made.variant.ranks.push_back(w.extents.size());
  words.push_back(static_cast<std::uint32_t>(first_element(*argument.region, whole)));
  for (const std::size_t extent : w.extents) words.push_back(static_cast<std::uint32_t>(extent));
  for (std::size_t d = 0; d + 1 < w.strides.size(); ++d) {
    words.push_back(static_cast<std::uint32_t>(w.strides[d]));
  }
}

void add_scalar(std::vector<std::uint32_t>& words, const scalar_argument& scalar) {
  std::uint32_t two[2];
  switch (scalar.type) {
    case element_type::i8:
      words.push_back(static_cast<std::uint32_t>(std::int32_t{scalar.as<std::int8_t>()}));
      return;
    case element_type::u8:
    case element_type::boolean:
    case element_type::f8e4m3:
    case element_type::f8e5m2:
      words.push_back(scalar.as<std::uint8_t>());
      return;
    case element_type::i16:
      words.push_back(static_cast<std::uint32_t>(std::int32_t{scalar.as<std::int16_t>()}));
      return;
    case element_type::u16:
    case element_type::f16:
    case element_type::bf16:
      words.push_back(scalar.as<std::uint16_t>());
      return;
    default:
      std::memcpy(two, scalar.bytes, sizeof two);
      words.insert(words.end(), two, two + size_of(scalar.type) / sizeof(std::uint32_t));
  }
}

grid wanted_items(const kernel_pass& pass, const launch_shape& shape) {
  if (pass.items) return pass.items(shape);
  std::size_t most = 0;
  for (const index_list& extents : shape) most = std::max(most, volume(extents));
  return {most, 1, 1};
}

/// words are those of the arguments.
void add_rounds(lowered_launch& to, const kernel_source& source, std::size_t number,
                const launch_shape& shape, const std::vector<std::uint32_t>& words) {
  const kernel_pass& pass = source.passes[number];
  const grid items = wanted_items(pass, shape);
  const std::size_t rounds = pass.rounds ? pass.rounds(shape) : 1;
  for (std::size_t round = 0; round < rounds; ++round) {
    lowered_pass& lowered = to.passes.emplace_back();
    lowered.pass = number;
    lowered.words.reserve(items.size() + words.size() + 1);
    for (std::size_t d = 0; d < items.size(); ++d) {
      lowered.groups[d] = (items[d] + pass.local[d] - 1) / pass.local[d];
      lowered.words.push_back(static_cast<std::uint32_t>(items[d]));
    }
    lowered.words.insert(lowered.words.end(), words.begin(), words.end());
    if (has_rounds(source)) lowered.words.push_back(static_cast<std::uint32_t>(round));
  }
}

}  // namespace

bool has_rounds(const kernel_source& source) {
  return std::ranges::any_of(source.passes,
                             [](const kernel_pass& pass) { return bool{pass.rounds}; });
}

const kernel_source* source_for(const kernel_definition& kernel, kernel_format format,
                                device_style style) {
  const auto suits = [&](const kernel_source& s) {
    return s.format == format &&
           (s.styles.empty() || std::ranges::find(s.styles, style) != s.styles.end());
  };
  const auto found = std::ranges::find_if(kernel.sources, suits);
  return found == kernel.sources.end() ? nullptr : &*found;
}

result<lowered_launch> lower(const kernel_definition& kernel, const kernel_source& source,
                             std::span<const device_argument> buffers,
                             std::span<const scalar_argument> scalars) {
  lowered_launch made;
  constexpr std::size_t usual_words = 16;
  std::vector<std::uint32_t> words;
  words.reserve(usual_words);
  launch_shape shape;
  shape.reserve(buffers.size());
  made.passes.reserve(source.passes.size());
  std::size_t next = 0;
  const auto add = [&](bool any_rank_wanted) {
    shape.push_back(buffers[next].region->extents());
    add_buffer(made, words, buffers[next++], any_rank_wanted);
  };
  for (const parameter& p : kernel.parameters) {
    if (p.is == parameter::kind::buffer) add(p.rank == any_rank);
  }
  if (kernel.result) add(false);
  if (source.native) {
    made.passes.emplace_back();
    return made;
  }
  if (!std::ranges::all_of(buffers, fits)) {
    return failure(failure_code::task_failed,
                   "Kernel \"" + kernel.name + "\" has an argument of more than " +
                       std::to_string(max_elements) +
                       " elements, which its body in a device's language cannot address.");
  }
  for (const scalar_argument& scalar : scalars) add_scalar(words, scalar);
  if (source.scratch) made.scratch_words = source.scratch(shape);
  for (std::size_t i = 0; i < source.passes.size(); ++i) add_rounds(made, source, i, shape, words);
  return made;
}

void set_first_elements(lowered_launch& launch, std::span<const std::uint32_t> first) {
  std::size_t at = std::tuple_size_v<grid>;
  for (std::size_t b = 0; b < first.size(); ++b) {
    for (lowered_pass& pass : launch.passes) pass.words[at] = first[b];
    at += words_of_buffer(launch.variant.ranks[b]);
  }
}

std::size_t argument_words(const kernel_definition& kernel, const kernel_source& source,
                           const program_variant& variant) {
  std::size_t words = std::tuple_size_v<grid> + (has_rounds(source) ? 1 : 0);
  for (const std::size_t rank : variant.ranks) words += words_of_buffer(rank);
  for (const parameter& p : kernel.parameters) {
    if (p.is == parameter::kind::scalar) words += size_of(p.type) > sizeof(std::uint32_t) ? 2 : 1;
  }
  return words;
}

}  // namespace hocket

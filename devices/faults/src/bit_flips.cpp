// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "bit_flips.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include <hocket/streams/perform.hpp>

namespace hocket::faults {

namespace {

constexpr std::size_t stride = 64;
// Of a float it changes the exponent and the mantissa, and makes few of them infinite or no number.
constexpr std::array<unsigned char, 4> mask{0xa1, 0xa5, 0x25, 0x3c};

void flip(std::byte* first, std::size_t bytes, std::uint64_t number) {
  for (std::size_t at = 0; at < bytes; at += stride) {
    for (std::size_t i = 0; i < std::min(mask.size(), bytes - at); ++i) {
      first[at + i] ^= std::byte{mask[(i + number) % mask.size()]};
    }
  }
}

/// As a word of a machine whose words begin with the lowest byte.
std::uint32_t first_bytes_of_mask(std::size_t count) {
  std::uint32_t word = 0;
  for (std::size_t i = count; i-- > 0;) word = word << 8U | mask[i];
  return word;
}

/// A launch that keeps the one that it stands for.
struct standing_in final : counted_launch {
  standing_in(launch_command&& what, launch_ref of)
      : counted_launch(std::move(what)), original(std::move(of)) {}
  const launch_ref original;
};

/// The regions that the launch writes, but for empty ones.
std::vector<placed_buffer> written_by(const launch_command& launch) {
  std::vector<placed_buffer> all;
  std::size_t next = 0;
  const auto add = [&](bool writes) {
    const placed_buffer& buffer = launch.buffers[next++];
    if (writes && buffer.part->elements() > 0) all.push_back(buffer);
  };
  for (const parameter& each : launch.kernel->parameters) {
    if (each.is == parameter::kind::buffer) add(writes_content(each.mode));
  }
  if (launch.kernel->result) add(true);
  return all;
}

copy_command as_copied(const placed_buffer& region) {
  copy_command made;
  made.to = region.where;
  made.extents = region.part->extents();
  made.element_size = size_of(region.part->type());
  made.region = region.part->region();
  return made;
}

launch_ref flipped_on_host(const launch_ref& launch) {
  launch_command made = *launch;
  auto kernel = std::make_shared<kernel_definition>(*made.kernel);
  kernel->host = [body = launch->body(), written = written_by(*launch)](const host_launch& given) {
    body(given);
    for (const placed_buffer& each : written) flip_bits(as_copied(each));
  };
  made.kernel = std::move(kernel);
  return {new standing_in(std::move(made), launch)};
}

/// name: of the type in texts.
kernel_ref flip_kernel(element_type type, const std::string& name, std::uint32_t bits) {
  const std::size_t step = stride / size_of(type);
  auto made = std::make_shared<kernel_definition>();
  made->name = "flipped bits of " + name;
  made->parameters = {{parameter::kind::buffer, type, access_mode::update}};
  kernel_pass pass;
  pass.text = "uint i = ITEM(0) * " + std::to_string(step) + "u; if (i < x_count) x(i) = AS(" +
              name + ", AS(u32, x(i)) ^ " + std::to_string(bits) + "u);";
  pass.items = [step](const launch_shape& shape) {
    return grid{(volume(shape.front()) + step - 1) / step, 1, 1};
  };
  for (const kernel_format format :
       {kernel_format::opencl_c, kernel_format::glsl, kernel_format::cuda_c}) {
    kernel_source source;
    source.format = format;
    source.names = {"x"};
    source.passes = {pass};
    source.types = {element_type::u32};
    made->sources.push_back(std::move(source));
  }
  return made;
}

/// The bytes of the word in which an element of that size is flipped: 1, 2 or 4.
std::size_t bytes_of_word(std::size_t size) { return size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : 1; }

/// The bytes of the buffer as words of at most four bytes.
placed_buffer in_words(const placed_buffer& of) {
  static constexpr std::array<element_type, 3> types{element_type::u8, element_type::u16,
                                                     element_type::u32};
  const std::size_t size = size_of(of.part->type());
  index_list extents = of.part->extents();
  box region = of.part->region();
  const std::size_t word = bytes_of_word(size);
  const std::size_t words = size / word;
  if (!extents.empty()) {
    extents.back() *= words;
    region.begin.back() *= words;
    region.end.back() *= words;
  }
  return {of.where, part_of_array(types[word / 2], extents, region)};
}

std::vector<std::size_t> first_indices(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace

void flip_bits(const copy_command& written, std::uint64_t number) {
  auto* const base = static_cast<std::byte*>(written.to.address());
  for_each_piece(
      written, [=](std::size_t offset, std::size_t bytes) { flip(base + offset, bytes, number); });
}

flip_kernels::flip_kernels()
    : of_size_{flip_kernel(element_type::u8, "u8", first_bytes_of_mask(1)),
               flip_kernel(element_type::u16, "u16", first_bytes_of_mask(2)),
               flip_kernel(element_type::u32, "u32", first_bytes_of_mask(4))} {}

const kernel_ref& flip_kernels::for_size(std::size_t bytes) const {
  return of_size_[bytes_of_word(bytes) / 2];
}

launch_ref flip_kernels::corrupted(launch_ref launch, bool on_host) const {
  return on_host ? flipped_on_host(launch) : flipped_by_device(launch);
}

launch_ref flip_kernels::flipped_by_device(const launch_ref& launch) const {
  launch_command made = *launch;
  auto kernel = std::make_shared<kernel_definition>(*made.kernel);
  if (kernel->sequence.empty()) {
    kernel->sequence.push_back(
        {made.kernel, first_indices(made.buffers.size()), first_indices(made.scalars.size())});
  }
  kernel->sources.clear();
  for (const placed_buffer& each : written_by(*launch)) {
    kernel->sequence.push_back({for_size(size_of(each.part->type())), {made.buffers.size()}, {}});
    made.buffers.push_back(in_words(each));
  }
  made.kernel = std::move(kernel);
  return {new standing_in(std::move(made), launch)};
}

}  // namespace hocket::faults

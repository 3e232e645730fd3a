// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/sequence.hpp>

#include <algorithm>

#include <boost/container/small_vector.hpp>

namespace hocket {

namespace {

void run_parts(const std::vector<kernel_part>& parts, const host_launch& given) {
  boost::container::small_vector<buffer_argument, 4> buffers;
  boost::container::small_vector<scalar_argument, 4> scalars;
  for (const kernel_part& part : parts) {
    buffers.clear();
    scalars.clear();
    for (const std::size_t b : part.buffers) buffers.push_back(given.buffers[b]);
    for (const std::size_t s : part.scalars) scalars.push_back(given.scalars[s]);
    part.kernel->host(host_launch{
        {buffers.data(), buffers.size()}, {scalars.data(), scalars.size()}, given.lanes});
  }
}

body_width widest(const std::vector<kernel_part>& parts, const launch_shape& shape) {
  const auto is_wide = [&](const kernel_part& part) {
    launch_shape own;
    for (const std::size_t b : part.buffers) own.push_back(shape[b]);
    return part.kernel->width_of(own) == body_width::wide;
  };
  return std::ranges::any_of(parts, is_wide) ? body_width::wide : body_width::serial;
}

}  // namespace

kernel_ref sequence_of(std::string name, std::vector<parameter> parameters,
                       std::vector<kernel_part> parts, launch_work cost) {
  auto made = std::make_shared<kernel_definition>();
  made->name = std::move(name);
  made->parameters = std::move(parameters);
  made->positional =
      std::ranges::any_of(parts, [](const kernel_part& part) { return part.kernel->positional; });
  made->estimate = [cost](const launch_shape&) { return cost; };
  const auto has_body = [](const kernel_part& part) {
    return part.kernel->has(kernel_format::host);
  };
  if (std::ranges::all_of(parts, has_body)) {
    made->host = [parts](const host_launch& given) { run_parts(parts, given); };
    made->width = [parts](const launch_shape& shape) { return widest(parts, shape); };
  }
  made->sequence = std::move(parts);
  return made;
}

}  // namespace hocket

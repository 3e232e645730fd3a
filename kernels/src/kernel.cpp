// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/kernel.hpp>

#include <iterator>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>

#include <hocket/core/error.hpp>

namespace hocket::detail {

kernel_ref with_sources(const kernel_definition& from, std::vector<kernel_source> sources) {
  const std::size_t wanted = from.parameters.size() + (from.result ? 1 : 0);
  for (const kernel_source& source : sources) {
    if (source.names.size() == wanted) continue;
    throw usage_error("A body of kernel \"" + from.name + "\" names " +
                      std::to_string(source.names.size()) + " parameters; the kernel has " +
                      std::to_string(wanted) + (from.result ? " with its result." : "."));
  }
  return changed(from, [&](kernel_definition& made) {
    made.sources.insert(made.sources.begin(), std::make_move_iterator(sources.begin()),
                        std::make_move_iterator(sources.end()));
    // A kernel that it is fused into would not have these bodies.
    made.lambda = nullptr;
  });
}

std::vector<std::string> split_names(const std::string& names) {
  std::vector<std::string> parts;
  if (names.empty()) return parts;
  boost::split(parts, names, boost::is_any_of(","));
  for (std::string& part : parts) boost::trim(part);
  return parts;
}

}  // namespace hocket::detail

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/kernel.hpp>

#include <iterator>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>

#include <hocket/core/error.hpp>

#include "program_text.hpp"

namespace hocket::detail {

namespace {

void check_names(const kernel_definition& kernel, const kernel_source& source) {
  const std::size_t wanted = kernel.parameters.size() + (kernel.result ? 1 : 0);
  if (source.names.size() != wanted) {
    throw usage_error("A body of kernel \"" + kernel.name + "\" names " +
                      std::to_string(source.names.size()) + " parameters; the kernel has " +
                      std::to_string(wanted) + (kernel.result ? " with its result." : "."));
  }
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const bool has_type = !declared(source.names[i]).type.empty();
    if (has_type == is_structure(kernel.parameters[i].type)) continue;
    throw usage_error("A body of kernel \"" + kernel.name + "\" calls a parameter \"" +
                      source.names[i] + "\", whose elements are of type " +
                      to_string(kernel.parameters[i].type) +
                      (has_type ? ": the name of a type before it is for structures."
                                : ": the name of that structure stands before the parameter's, as "
                                  "in \"particle x\"."));
  }
}

/// A place of one API must not come to a function for another, nor to a compiler.
void check_format(const kernel_definition& kernel, const kernel_source& source) {
  const bool has_commands = source.format >= kernel_format::opencl_commands;
  if (source.format != kernel_format::host && has_commands == static_cast<bool>(source.native)) {
    return;
  }
  throw usage_error("A source of kernel \"" + kernel.name + "\" has the format number " +
                    std::to_string(static_cast<int>(source.format)) + " and " +
                    (source.native ? "a" : "no") +
                    " native body: formats of commands have one, those of text none, and the body "
                    "for the host is no source.");
}

}  // namespace

kernel_ref with_sources(const kernel_definition& from, std::vector<kernel_source> sources) {
  for (const kernel_source& source : sources) {
    check_format(from, source);
    if (!source.native) check_names(from, source);
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

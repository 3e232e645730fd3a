// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/kernel.hpp>

#include <array>
#include <cctype>
#include <iterator>
#include <string_view>

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

/// True if the text has the name, and not as the end of a longer one.
bool has_name(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const unsigned char before = at == 0 ? ' ' : static_cast<unsigned char>(text[at - 1]);
    if (std::isalnum(before) == 0 && before != '_') return true;
  }
  return false;
}

/// Work-items that nothing is said of lie in dimension 0. A text that goes on in steps of the items
/// of another dimension is right with one of them.
void check_items(const kernel_definition& kernel, const kernel_source& source) {
  struct dimension {
    const char *item, *group, *items;
  };
  constexpr std::array<dimension, 2> others{
      {{"ITEM(1)", "GROUP(1)", "ITEMS1"}, {"ITEM(2)", "GROUP(2)", "ITEMS2"}}};
  for (const kernel_pass& pass : source.passes) {
    if (pass.items) continue;
    for (const dimension& d : others) {
      const char* const used = has_name(pass.text, d.item)    ? d.item
                               : has_name(pass.text, d.group) ? d.group
                                                              : nullptr;
      if (used == nullptr || has_name(pass.text, d.items)) continue;
      throw usage_error("A text of kernel \"" + kernel.name + "\"" +
                        (source.place.empty() ? "" : " (" + source.place + ")") + " uses " + used +
                        ", but has no .items: there is one work-item for each element of the "
                        "largest buffer, and all of them are in dimension 0. Say how many there "
                        "are in each, as in .items = [](const launch_shape& shape) { return "
                        "grid{shape[0][1], shape[0][0], 1}; }.");
    }
  }
}

}  // namespace

kernel_ref with_sources(const kernel_definition& from, std::vector<kernel_source> sources) {
  for (const kernel_source& source : sources) {
    check_format(from, source);
    if (source.native) continue;
    check_names(from, source);
    check_items(from, source);
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

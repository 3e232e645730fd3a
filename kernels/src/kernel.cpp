// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <hocket/kernels/kernel.hpp>

#include <algorithm>

namespace hocket::detail {

kernel_ref with_source(const kernel_definition& from, kernel_format format, std::string text) {
  return changed(from, [&](kernel_definition& made) {
    const auto same = std::ranges::find(made.sources, format, &kernel_definition::source::format);
    if (same != made.sources.end()) {
      same->text = std::move(text);
    } else {
      made.sources.push_back({format, std::move(text)});
    }
  });
}

}  // namespace hocket::detail

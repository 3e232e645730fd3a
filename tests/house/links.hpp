// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace house {

/// A link or a picture of a page in Markdown.
struct link {
  std::size_t line = 0;
  std::string target;
};

/// Returns a page with its code blanked out: blocks between fences, and spans between backticks.
std::string without_code(std::string_view page);

/// Returns the links of a page: `[text](target)`, `![text](target)`, `[name]: target` and
/// `<scheme://...>`.
std::vector<link> links(std::string_view page);

/// Returns the anchors of a page's headings: lower case, dashes for spaces, no punctuation, and -1
/// behind a repeated one.
std::set<std::string> anchors(std::string_view page);

}  // namespace house

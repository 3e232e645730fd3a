// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <boost/json/value.hpp>

#include "top_rates.hpp"

namespace tools {

/// How many characters fit in a line and how many lines on a page.
struct page_size {
  std::size_t columns = 0;
  std::size_t lines = 0;
};

/// A heading, and for each runtime a line with its process and one for each of its devices.
[[nodiscard]] std::vector<std::string> top_lines(const std::vector<runtime_rates>& all);

/// The lines as a page that replaces the one before, cut to the size of the terminal. Lines of
/// processes are green where colours are shown.
[[nodiscard]] std::string top_page(const std::string& title, const std::vector<std::string>& lines,
                                   page_size size);

[[nodiscard]] boost::json::value to_json(const std::vector<runtime_rates>& all);

}  // namespace tools

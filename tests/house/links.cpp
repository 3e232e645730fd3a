// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "links.hpp"

#include <algorithm>
#include <cctype>
#include <regex>

namespace house {
namespace {

/// Calls `see` with each line, without its end, and where it begins.
template <class See>
void for_each_line(std::string_view text, See see) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    see(text.substr(begin, end - begin), begin);
    begin = end + 1;
  }
}

bool is_fence(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return line.starts_with("```");
}

void blank_out(std::string& text, std::size_t begin, std::size_t end) {
  const auto blank = [](char c) { return c == '\n' ? c : ' '; };
  std::transform(text.begin() + static_cast<std::ptrdiff_t>(begin),
                 text.begin() + static_cast<std::ptrdiff_t>(end),
                 text.begin() + static_cast<std::ptrdiff_t>(begin), blank);
}

/// A span ends at as many backticks as it begins with, in the same paragraph.
void blank_out_spans(std::string& text) {
  for (std::size_t at = text.find('`'); at != text.npos; at = text.find('`', at)) {
    const std::size_t inside = std::min(text.find_first_not_of('`', at), text.size());
    const std::string ticks = text.substr(at, inside - at);
    const std::size_t end = text.find(ticks, inside);
    if (end < text.find("\n\n", inside)) {
      blank_out(text, at, end + ticks.size());
      at = end + ticks.size();
    } else {
      at = inside;
    }
  }
}

std::string anchor_of(std::string_view heading) {
  static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))");
  std::string anchor;
  for (const char c : std::regex_replace(std::string(heading), link, "$1")) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') anchor += '-';
    if (std::isalnum(byte) != 0 || c == '-' || c == '_' || byte >= 0x80U) {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

}  // namespace

std::string without_code(std::string_view page) {
  std::string text(page);
  bool is_inside = false;
  for_each_line(page, [&](std::string_view line, std::size_t begin) {
    if (is_inside || is_fence(line)) blank_out(text, begin, begin + line.size());
    if (is_fence(line)) is_inside = !is_inside;
  });
  blank_out_spans(text);
  return text;
}

std::vector<link> links(std::string_view page) {
  static const std::regex form(
      R"(\]\(<?([^)>\s]*)>?(?:\s+"[^"]*")?\)|^\[[^\]]+\]:\s*(\S+)|<(\w+:[^>\s]*)>)");
  std::vector<link> result;
  std::size_t number = 0;
  const std::string text = without_code(page);
  for_each_line(text, [&](std::string_view view, std::size_t) {
    const std::string line(view);
    ++number;
    for (std::sregex_iterator at(line.begin(), line.end(), form), end; at != end; ++at) {
      result.push_back({number, (*at)[1].str() + (*at)[2].str() + (*at)[3].str()});
    }
  });
  return result;
}

std::set<std::string> anchors(std::string_view page) {
  std::set<std::string> result;
  bool is_code = false;
  for_each_line(page, [&](std::string_view line, std::size_t) {
    if (is_fence(line)) is_code = !is_code;
    const std::size_t level = line.find_first_not_of('#');
    if (is_code || level == 0 || level > 6 || line[level] != ' ') return;
    const std::string anchor = anchor_of(line.substr(level + 1));
    std::string unique = anchor;
    for (int n = 1; !result.insert(unique).second; ++n) unique = anchor + '-' + std::to_string(n);
  });
  return result;
}

}  // namespace house

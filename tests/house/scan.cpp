// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "scan.hpp"

#include <algorithm>
#include <regex>

namespace house {
namespace {

/// Where the literal or comment that begins at `at` ends; `at` itself where none begins there.
std::size_t skip(std::string_view s, std::size_t at) {
  const auto until = [&](std::string_view end, std::size_t from) {
    const std::size_t found = s.find(end, from);
    return found == s.npos ? s.size() : found + end.size();
  };
  if (s.substr(at, 2) == "//") return std::min(s.size(), until("\n", at) - 1);
  if (s.substr(at, 2) == "/*") return until("*/", at + 2);
  if (s.substr(at, 2) == "R\"") {
    const std::size_t open = s.find('(', at);
    if (open == s.npos) return at;
    return until(")" + std::string(s.substr(at + 2, open - at - 2)) + "\"", open);
  }
  const char quote = s[at];
  const bool digit_separator =
      quote == '\'' && at > 0 && std::isxdigit(static_cast<unsigned char>(s[at - 1])) != 0;
  if ((quote != '"' && quote != '\'') || digit_separator) return at;
  for (++at; at < s.size() && s[at] != quote; ++at) {
    if (s[at] == '\\') ++at;
  }
  return std::min(s.size(), at + 1);
}

std::size_t skip_directive(std::string_view s, std::size_t at) {
  while (at < s.size() && s[at] != '\n') at += s[at] == '\\' ? 2U : 1U;
  return std::min(s.size(), at);
}

/// Whether the text before an opening brace begins a namespace or a type.
bool opens_scope(const std::string& head) {
  static const std::string access = R"((public|private|protected)\s*:)";
  static const std::string angles = R"(<([^<>]|<([^<>]|<[^<>]*>)*>)*>)";
  static const std::string parens = R"(\(([^()]|\([^()]*\))*\))";
  static const std::string constraint =
      "requires\\s*" + parens + R"(|requires\s+[\w:]+()" + angles + ")?";
  static const std::string words = R"((inline|export|typedef|static|const|constexpr|friend)\b)";
  static const std::regex prefix(R"(^(\s|\[\[[^\]]*\]\]|)" + access + R"(|template\s*)" + angles +
                                 "|" + constraint + "|" + words + ")+");
  static const std::regex scope(R"(^(class|struct|union|enum|namespace|extern)\b)");
  const std::string rest = std::regex_replace(head, prefix, "");
  return std::regex_search(rest, scope);
}

}  // namespace

std::string blank_out(std::string_view source) {
  std::string result(source);
  bool line_start = true;
  for (std::size_t i = 0; i < source.size();) {
    const bool directive = line_start && source[i] == '#';
    const std::size_t end = directive ? skip_directive(source, i) : skip(source, i);
    for (std::size_t j = i; j < end; ++j) {
      if (result[j] != '\n') result[j] = ' ';
    }
    if (end == i) {
      line_start = source[i] == '\n' || (line_start && (source[i] == ' ' || source[i] == '\t'));
      ++i;
    } else {
      line_start = false;
      i = end;
    }
  }
  return result;
}

std::vector<block> functions(std::string_view source) {
  const std::string text = blank_out(source);
  std::vector<block> result;
  std::string head;
  std::size_t line = 1, depth = 0, begin = 0;
  std::vector<bool> scopes;
  for (const char c : text) {
    if (c == '\n') ++line;
    if (c == '{') {
      const bool data =
          head.find_last_not_of(" \n") != head.npos && head[head.find_last_not_of(" \n")] == '=';
      const bool scope = opens_scope(head) || (data && depth == 0);
      scopes.push_back(scope);
      if (!scope && depth++ == 0) begin = line;
    } else if (c == '}' && !scopes.empty()) {
      if (!scopes.back() && --depth == 0) result.push_back({begin, line - begin + 1});
      scopes.pop_back();
    }
    if (c == '{' || c == '}' || c == ';') {
      head.clear();
    } else {
      head += c;
    }
  }
  return result;
}

}  // namespace house

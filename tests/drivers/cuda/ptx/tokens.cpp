// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "tokens.hpp"

#include <cctype>

namespace standin {

namespace {

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' ||
         c == '.';
}

/// A place in the text that counts lines.
class reader {
 public:
  explicit reader(std::string_view source) : source_(source) {}

  [[nodiscard]] bool at_end() const { return at_ >= source_.size(); }
  [[nodiscard]] unsigned line() const { return line_; }
  [[nodiscard]] bool sees(std::string_view text) const {
    return source_.substr(at_, text.size()) == text;
  }

  void skip(std::size_t count) {
    for (; count > 0 && !at_end(); --count) {
      if (source_[at_++] == '\n') ++line_;
    }
  }

  void skip_to(std::string_view end) {
    while (!at_end() && !sees(end)) skip(1);
  }

  /// Skips white space and comments.
  void skip_blanks() {
    while (!at_end()) {
      if (sees("//")) {
        skip_to("\n");
      } else if (sees("/*")) {
        skip_to("*/");
        skip(2);
      } else if (std::isspace(static_cast<unsigned char>(source_[at_])) != 0) {
        skip(1);
      } else {
        return;
      }
    }
  }

  std::string_view take() {
    const std::size_t begin = at_;
    if (source_[at_] == '"') {
      skip(1);
      skip_to("\"");
      skip(1);
    } else if (!in_word(source_[at_])) {
      skip(1);
    } else {
      // The words of declarations begin with a dot, and may follow one another: ".reg.b32".
      const bool declares = source_[at_] == '.';
      do {
        skip(sees("::") ? 2 : 1);
      } while (!at_end() && (in_word(source_[at_]) || sees("::")) && !(declares && sees(".")));
    }
    return source_.substr(begin, at_ - begin);
  }

 private:
  std::string_view source_;
  std::size_t at_ = 0;
  unsigned line_ = 1;
};

}  // namespace

std::vector<token> split_tokens(std::string_view source) {
  std::vector<token> result;
  reader from(source);
  for (from.skip_blanks(); !from.at_end(); from.skip_blanks()) {
    const unsigned line = from.line();
    result.push_back({from.take(), line});
  }
  result.push_back({"", from.line()});
  return result;
}

}  // namespace standin

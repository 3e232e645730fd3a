// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "../failure.hpp"
#include "syntax.hpp"
#include "tokens.hpp"

namespace standin {

std::size_t bytes_of_type(std::string_view type) {
  if (type.size() < 2) return 0;
  const std::string_view bits = type.substr(type.starts_with("bf") ? 2 : 1);
  if (bits == "8") return 1;
  if (bits == "16") return 2;
  if (bits == "32" || bits == "16x2") return 4;
  return bits == "64" ? 8 : 0;
}

namespace {

/// The words of a declaration before its name.
struct declaration {
  bool external = false;
  std::size_t alignment = 0;
  std::string type;
};

class parser {
 public:
  explicit parser(std::string_view source) : tokens_(split_tokens(source)) {}

  module_text run() {
    while (!at_end()) declare();
    return std::move(result_);
  }

 private:
  struct name_of {
    bool is_register;
    std::uint32_t index;
  };
  using scope = std::map<std::string, name_of, std::less<>>;

  [[nodiscard]] std::string_view next() const { return tokens_[at_].text; }
  [[nodiscard]] bool at_end() const { return at_ + 1 >= tokens_.size(); }
  [[nodiscard]] bool sees(std::string_view text) const { return next() == text; }

  std::string_view take() {
    if (at_end()) wrong("the text ends too early");
    return tokens_[at_++].text;
  }
  bool accept(std::string_view text) {
    if (!sees(text)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text)) wrong("'" + std::string(text) + "' is missing before '" + shown() + "'");
  }
  [[nodiscard]] std::string shown() const { return std::string(next()); }
  [[noreturn]] void wrong(const std::string& what) const {
    throw failure(invalid_ptx, "PTX, line " + std::to_string(tokens_[at_].line) + ": " + what);
  }

  void skip_statement() {
    while (!accept(";")) take();
  }
  void skip_line() {
    for (const unsigned line = tokens_[at_].line; !at_end() && tokens_[at_].line == line;) ++at_;
  }
  void skip_block() {
    expect("{");
    for (int depth = 1; depth > 0;) {
      const std::string_view word = take();
      if (word == "{") ++depth;
      if (word == "}") --depth;
    }
  }

  std::uint64_t number();
  void declare();
  declaration qualifiers();
  std::size_t extent(bool& dynamic);
  variable declare_variable(space where, const declaration& as);
  void initialise(variable& v);
  void declare_variables(space where, declaration as, std::vector<variable>& into);
  void declare_function(bool entry);
  std::vector<std::size_t> declare_parameters(function_text& into);
  function_text& function_named(const std::string& name);

  void read_body(function_text& into);
  void read_statement(function_text& into);
  void declare_in_body(function_text& into);
  void declare_registers(function_text& into);
  void read_label(function_text& into);
  void read_instruction(function_text& into);
  term read_term();
  term read_list(std::string_view end);
  term read_address();
  term read_name();
  void name_variable(const function_text& in) {
    const auto last = static_cast<std::uint32_t>(in.variables.size() - 1);
    scopes_.back()[in.variables.back().name] = {false, last};
  }
  [[nodiscard]] const name_of* find(std::string_view name) const {
    for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s) {
      if (const auto found = s->find(name); found != s->end()) return &found->second;
    }
    return nullptr;
  }

  std::vector<token> tokens_;
  std::size_t at_ = 0;
  std::vector<scope> scopes_;
  module_text result_;
};

std::uint64_t parser::number() {
  const bool minus = accept("-");
  const std::string word(take());
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(word.c_str(), &end, 0);
  if (end == word.c_str() || (*end != 0 && *end != 'U')) wrong("'" + word + "' is no number");
  return minus ? 0 - value : value;
}

space space_of(std::string_view word) {
  if (word == ".global") return space::global;
  if (word == ".const") return space::constant;
  if (word == ".shared") return space::shared;
  if (word == ".local") return space::local;
  return word == ".param" ? space::param : space::generic;
}

void parser::declare() {
  declaration as;
  for (;;) {
    const std::string_view word = take();
    if (word == ".visible" || word == ".weak" || word == ".common") continue;
    if (word == ".extern") {
      as.external = true;
    } else if (word == ".version" || word == ".address_size") {
      take();
      return;
    } else if (word == ".target") {
      const std::string_view target = take();
      if (target.starts_with("sm_")) {
        result_.target =
            static_cast<unsigned>(std::strtoul(std::string(target.substr(3)).c_str(), nullptr, 10));
      }
      while (accept(",")) take();
      return;
    } else if (word == ".file" || word == ".loc") {
      --at_;
      return skip_line();
    } else if (word == ".section") {
      take();
      return skip_block();
    } else if (word == ".pragma") {
      return skip_statement();
    } else if (word == ".entry" || word == ".func") {
      return declare_function(word == ".entry");
    } else if (const space where = space_of(word); where != space::generic) {
      return declare_variables(where, as, result_.variables);
    } else {
      --at_;
      wrong("'" + shown() + "' is no declaration that is understood");
    }
  }
}

/// Reads the alignment and the type of a variable or parameter.
declaration parser::qualifiers() {
  declaration as;
  while (sees(".align") || next().starts_with(".")) {
    const std::string_view word = take();
    if (word == ".align") {
      as.alignment = number();
    } else if (word == ".attribute") {
      while (!accept(")")) take();
    } else if (word == ".ptr") {
      while (next().starts_with(".")) {
        if (take() == ".align") number();
      }
    } else {
      as.type = word.substr(1);
    }
  }
  return as;
}

/// Reads the dimensions of an array, if any, and returns how many elements it has.
std::size_t parser::extent(bool& dynamic) {
  std::size_t count = 1;
  while (accept("[")) {
    if (accept("]")) {
      dynamic = true;
      continue;
    }
    count *= number();
    expect("]");
  }
  return count;
}

variable parser::declare_variable(space where, const declaration& as) {
  variable v;
  v.where = where;
  v.name = take();
  v.element = bytes_of_type(as.type);
  if (v.element == 0) wrong("'" + v.name + "' has the type '" + as.type + "', which has no size");
  v.alignment = std::max(as.alignment, v.element);
  v.bytes = v.element * extent(v.dynamic);
  if (v.dynamic) v.bytes = 0;
  if (accept("=")) initialise(v);
  return v;
}

void parser::initialise(variable& v) {
  const bool braces = accept("{");
  do {
    initial one;
    if (sees("generic")) {
      take();
      expect("(");
      one.symbol = take();
      expect(")");
      if (accept("+")) one.value = number();
    } else if (next().starts_with("0f") || next().starts_with("0d")) {
      one.value = std::strtoull(std::string(take().substr(2)).c_str(), nullptr, 16);
    } else if (sees("-") || (next()[0] >= '0' && next()[0] <= '9')) {
      one.value = number();
    } else {
      one.symbol = take();
      if (accept("+")) one.value = number();
    }
    v.content.push_back(one);
  } while (accept(","));
  if (braces) expect("}");
  if (v.dynamic && v.bytes == 0) {
    v.bytes = v.content.size() * v.element;
    v.dynamic = false;
  }
}

void parser::declare_variables(space where, declaration as, std::vector<variable>& into) {
  const bool external = as.external;
  as = qualifiers();
  do {
    into.push_back(declare_variable(where, as));
    if (external && where != space::shared) wrong("'" + into.back().name + "' is not defined");
  } while (accept(","));
  expect(";");
}

function_text& parser::function_named(const std::string& name) {
  for (function_text& f : result_.functions) {
    if (f.name == name) return f;
  }
  result_.functions.emplace_back().name = name;
  return result_.functions.back();
}

std::vector<std::size_t> parser::declare_parameters(function_text& into) {
  std::vector<std::size_t> numbers;
  if (accept(")")) return numbers;
  do {
    if (!accept(".param")) wrong("a parameter is no .param");
    const declaration as = qualifiers();
    numbers.push_back(into.variables.size());
    into.variables.push_back(declare_variable(space::param, as));
    name_variable(into);
  } while (accept(","));
  expect(")");
  return numbers;
}

void parser::declare_function(bool entry) {
  scopes_.assign(1, {});
  function_text f;
  f.entry = entry;
  if (accept("(")) f.results = declare_parameters(f);
  f.name = take();
  if (accept("(")) f.parameters = declare_parameters(f);
  while (!sees("{") && !sees(";")) take();  // hints about registers and sizes of blocks
  if (accept(";")) {
    function_named(f.name);
    return;
  }
  f.defined = true;
  read_body(f);
  function_named(f.name) = std::move(f);
}

void parser::read_body(function_text& into) {
  expect("{");
  for (int depth = 1; depth > 0;) {
    if (accept("{")) {
      ++depth;
      scopes_.emplace_back();
    } else if (accept("}")) {
      --depth;
      scopes_.pop_back();
      if (depth > 0 && scopes_.empty()) wrong("a block ends that has not begun");
    } else {
      read_statement(into);
    }
  }
}

void parser::read_statement(function_text& into) {
  if (accept(";")) return;
  if (tokens_[at_ + 1].text == ":") return read_label(into);
  if (!sees("@") && next().starts_with(".")) return declare_in_body(into);
  read_instruction(into);
}

void parser::declare_in_body(function_text& into) {
  if (sees(".loc") || sees(".file")) return skip_line();
  const std::string_view word = take();
  if (word == ".pragma") return skip_statement();
  if (word == ".reg") return declare_registers(into);
  const space where = space_of(word);
  if (where == space::generic) wrong("'" + std::string(word) + "' is not understood in a body");
  const declaration as = qualifiers();
  do {
    into.variables.push_back(declare_variable(where, as));
    name_variable(into);
  } while (accept(","));
  expect(";");
}

void parser::declare_registers(function_text& into) {
  qualifiers();
  do {
    const std::string name(take());
    std::uint64_t count = 1;
    const bool many = accept("<");
    if (many) {
      count = number();
      expect(">");
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      scopes_.back()[many ? name + std::to_string(i) : name] = {true, into.registers++};
    }
  } while (accept(","));
  expect(";");
}

void parser::read_label(function_text& into) {
  const std::string name(take());
  expect(":");
  if (accept(".callprototype")) return skip_statement();
  if (accept(".branchtargets")) {
    do {
      into.branch_tables[name].emplace_back(take());
    } while (accept(","));
    expect(";");
    return;
  }
  into.labels[name] = into.statements.size();
}

std::vector<std::string> parts_of(std::string_view opcode) {
  std::vector<std::string> parts(1);
  for (const char c : opcode) {
    if (c == '.') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

void parser::read_instruction(function_text& into) {
  statement s;
  s.line = tokens_[at_].line;
  if (accept("@")) {
    s.guard_negated = accept("!");
    const name_of* const guard = find(take());
    if (guard == nullptr || !guard->is_register) wrong("the guard is no register");
    s.guard = static_cast<int>(guard->index);
  }
  s.opcode = parts_of(take());
  while (!accept(";")) {
    s.operands.push_back(read_term());
    if (accept("|")) s.operands.push_back(read_term());
    if (!sees(";")) expect(",");
  }
  into.statements.push_back(std::move(s));
}

term parser::read_list(std::string_view end) {
  term list;
  list.kind = term_kind::list;
  while (!accept(end)) {
    list.parts.push_back(read_term());
    if (!sees(end)) expect(",");
  }
  return list;
}

term parser::read_address() {
  term address;
  address.kind = term_kind::address;
  address.parts.push_back(read_term());
  if (accept("+")) address.value = number();
  expect("]");
  return address;
}

term parser::read_term() {
  if (accept("{")) return read_list("}");
  if (accept("(")) return read_list(")");
  if (accept("[")) return read_address();
  term t;
  if (accept("_")) return t;
  if (accept("!")) {
    t = read_name();
    t.negated = true;
    return t;
  }
  const std::string_view word = next();
  if (word.starts_with("0f") || word.starts_with("0F") || word.starts_with("0d") ||
      word.starts_with("0D")) {
    t.kind = term_kind::real;
    t.bits = word[1] == 'f' || word[1] == 'F' ? 32 : 64;
    t.value = std::strtoull(std::string(take().substr(2)).c_str(), nullptr, 16);
  } else if (word == "-" || (!word.empty() && word[0] >= '0' && word[0] <= '9')) {
    t.kind = term_kind::integer;
    t.value = number();
  } else {
    t = read_name();
  }
  return t;
}

term parser::read_name() {
  term t;
  const std::string_view name = take();
  if (const name_of* const found = find(name)) {
    t.kind = found->is_register ? term_kind::reg : term_kind::variable;
    t.index = found->index;
  } else {
    t.kind = term_kind::symbol;
  }
  t.name = name;
  return t;
}

}  // namespace

module_text parse_ptx(std::string_view source) { return parser(source).run(); }

}  // namespace standin

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <set>

#include "decoder.hpp"

namespace standin {

void function_decoder::decode(const statement& s) {
  const modifiers m = read_modifiers(s.opcode);
  static const std::set<std::string> hints{"nanosleep", "prefetch",      "prefetchu",
                                           "discard",   "applypriority", "brkpt",
                                           "pmevent",   "griddepcontrol"};
  if (decode_flow(m) || decode_joint(m)) return;
  if (m.name == "ld" || m.name == "ldu" || m.name == "st") return decode_access(m);
  if (m.name == "atom" || m.name == "red") return decode_atomic(m);
  if (m.name == "cvta" || m.name == "isspacep") return decode_generic(m);
  if (m.name == "mov") return decode_move(m);
  if (m.name == "setp") return decode_comparison(m);
  if (m.name == "set") return decode_set(m);
  if (m.has("cc") || m.name == "addc" || m.name == "subc" || m.name == "madc") {
    return decode_carry(m);
  }
  if (m.name == "cp") return decode_async_copy(m);
  if (m.name == "membar" || m.name == "fence") return void(emit("fence", {}));
  if (hints.contains(m.name)) return void(emit("nothing", {}));
  operands with{result(term_at(0))};
  for (std::size_t k = 1; k < s.operands.size(); ++k) with.push_back(value(s.operands[k]));
  emit(m, m.name == "selp" ? "selp" : m.key(), with);
}

/// Decodes what changes the next instruction. False if the statement does not.
bool function_decoder::decode_flow(const modifiers& m) {
  if (m.name == "bra") {
    branches_.emplace_back(code_.code.size(), term_at(0).name);
    emit_step(step::branch, {});
  } else if (m.name == "brx") {
    const operand index = value(term_at(0));
    emit_step(step::table, {index}).target = static_cast<std::uint32_t>(tables_.size());
    tables_.push_back(term_at(1).name);
  } else if (m.name == "ret") {
    emit_step(step::leave, {});
  } else if (m.name == "exit") {
    emit_step(step::exit, {});
  } else if (m.name == "call") {
    decode_call();
  } else if (m.name == "trap") {
    emit("trap", {});
  } else {
    return false;
  }
  return true;
}

void function_decoder::decode_call() {
  std::size_t at = 0;
  call_site site;
  if (term_at(0).kind == term_kind::list) {
    for (const term& t : term_at(at++).parts) site.results.push_back(place_of(t));
  }
  const term& target = term_at(at++);
  if (at < now_->operands.size() && term_at(at).kind == term_kind::list) {
    for (const term& t : term_at(at).parts) site.arguments.push_back(place_of(t));
  }
  if (target.name == "__assertfail") return void(emit("assertion", {}));
  operands with;
  std::uint32_t number = 0;
  if (target.kind == term_kind::reg) {
    site.indirect = true;
    with.push_back(value(target));
  } else {
    const auto found = names_.functions.find(target.name);
    if (found == names_.functions.end()) wrong("the function " + target.name + " is not defined");
    number = static_cast<std::uint32_t>(found->second);
  }
  instruction& i = emit_step(step::call, with);
  i.target = number;
  i.call = static_cast<std::uint32_t>(code_.calls.size());
  code_.calls.push_back(site);
}

/// Decodes what several lanes execute together: barriers, exchanges and votes. False for anything
/// else.
bool function_decoder::decode_joint(const modifiers& m) {
  static const std::set<std::string> names{"shfl", "vote", "match", "redux"};
  if (m.name == "bar" || m.name == "barrier") {
    decode_barrier(m);
    return true;
  }
  if (m.name == "activemask") {
    emit(m.key(), {result(term_at(0))});
    return true;
  }
  if (!names.contains(m.name)) return false;
  const bool flag = m.name == "shfl" || (m.name == "match" && m.has("all"));
  const std::size_t inputs = m.name == "shfl" ? 4 : 2;
  operands with{result(term_at(0))};
  std::size_t at = 1;
  if (flag) with.push_back(now_->operands.size() > inputs + 1 ? result(term_at(at++)) : fresh());
  for (; at < now_->operands.size(); ++at) with.push_back(value(term_at(at)));
  emit(m.key(), with).then = step::collective;
  return true;
}

void function_decoder::decode_barrier(const modifiers& m) {
  const std::vector<term>& terms = now_->operands;
  if (m.has("warp")) {
    emit("bar.warp", {value(term_at(0))}).then = step::collective;
  } else if (m.has("red")) {
    const bool counts = terms.size() == 4;
    const operands with{result(term_at(0)), value(term_at(1)),
                        counts ? value(terms[2]) : constant(0), value(terms.back())};
    std::string key = "bar";
    for (const std::string& part : m.rest) key += "." + part;
    emit(key, with).then = step::barrier;
  } else if (!m.has("arrive") && !m.has("cluster")) {
    operands with{fresh(), terms.empty() ? constant(0) : value(terms[0])};
    if (terms.size() > 1) with.push_back(value(terms[1]));
    emit_step(step::barrier, with);
  } else {
    wrong("the stand-in does not know this barrier");
  }
}

void function_decoder::decode_access(const modifiers& m) {
  const bool loads = m.name != "st";
  const term& data = term_at(loads ? 0 : 1);
  const address a = address_of(term_at(loads ? 1 : 0), m.where);
  if (!loads && a.where == space::param) wrong("a store to the parameters of an entry");
  operands elements;
  if (data.kind == term_kind::list) {
    for (const term& t : data.parts) elements.push_back(loads ? result(t) : value(t));
  } else {
    elements.push_back(loads ? result(data) : value(data));
  }
  if (elements.size() != m.width) wrong("a vector has another number of elements");
  elements.insert(loads ? elements.end() : elements.begin(), a.base);
  const std::string type = m.type() == "bf16" ? "u16" : m.type();
  instruction& i = emit((loads ? "ld." : "st.") + type, elements);
  i.where = a.where;
  i.offset = a.offset;
  i.width = static_cast<std::uint8_t>(m.width);
}

void function_decoder::decode_atomic(const modifiers& m) {
  const std::size_t at = m.name == "atom" ? 1 : 0;
  const operand old = at == 1 ? result(term_at(0)) : fresh();
  const address a = address_of(term_at(at), m.where);
  operands with{old, a.base};
  for (std::size_t k = at + 1; k < now_->operands.size(); ++k) with.push_back(value(term_at(k)));
  if (with.size() < 3) wrong("an operand is missing");
  std::string key = "atom";
  for (const std::string& part : m.rest) key += "." + part;
  instruction& i = emit(key, with);
  i.where = a.where;
  i.offset = a.offset;
}

void function_decoder::decode_generic(const modifiers& m) {
  const term& of = term_at(1);
  space where = m.where;
  if (where == space::param && !text_.entry) where = space::local;
  const bool back = m.has("to");
  const operand from = value(of);
  emit(m.name == "isspacep" ? "isspacep"
       : back               ? "cvta.to"
                            : "cvta",
       {result(term_at(0)), from})
      .where = where;
}

void function_decoder::decode_async_copy(const modifiers& m) {
  if (m.rest.size() != 1 || m.rest[0] != "async") {
    const bool ends = m.has("commit_group") || m.has("wait_group") || m.has("wait_all");
    if (!ends) wrong("the stand-in does not know this copy");
    emit("nothing", {});
    return;
  }
  const operand to = with_offset(address_of(term_at(0), space::shared));
  const operand from = with_offset(address_of(term_at(1), space::global));
  const operand bytes = value(term_at(2));
  emit("cp.async", {to, from, bytes, now_->operands.size() > 3 ? value(term_at(3)) : bytes});
}

void function_decoder::decode_move(const modifiers& m) {
  const term& to = term_at(0);
  const term& from = term_at(1);
  if (from.kind == term_kind::list) {
    operands with{result(to)};
    for (const term& t : from.parts) with.push_back(value(t));
    emit("join" + std::to_string(from.parts.size()) + "." + m.type(), with);
  } else if (to.kind == term_kind::list) {
    const std::size_t bits = bytes_of_type(m.type()) * 8 / to.parts.size();
    const operand whole = value(from);
    for (std::size_t k = 0; k < to.parts.size(); ++k) {
      if (to.parts[k].kind == term_kind::none) continue;
      emit("part" + std::to_string(k) + ".u" + std::to_string(bits), {result(to.parts[k]), whole});
    }
  } else if (from.name == "%clock" || from.name == "%clock64" || from.name == "%globaltimer" ||
             from.name == "%clock_hi") {
    emit("clock", {result(to)});
  } else {
    emit("mov", {result(to), value(from)});
  }
}

/// Compares the low (0) or the high half (1) of two registers.
operand function_decoder::compared_half(const modifiers& m, unsigned which, const operand& a,
                                        const operand& b) {
  const operand x = fresh(), y = fresh(), holds = fresh();
  const std::string part = "part" + std::to_string(which) + ".u16";
  emit(part, {x, a});
  emit(part, {y, b});
  const std::string& type = m.type();
  emit(m, "setp." + m.rest.front() + "." + type.substr(0, type.size() - 2), {holds, x, y});
  return holds;
}

/// `set` gives one, or all ones as an integer, where the comparison holds; halves are compared each
/// for itself.
void function_decoder::decode_set(modifiers m) {
  if (m.rest.size() != 3) wrong("the stand-in does not know this comparison");
  const std::string to = m.rest[1];
  m.rest.erase(m.rest.begin() + 1);
  m.name = "setp";
  static const std::map<std::string, std::uint64_t> ones{{"f16", 0x3C00},
                                                         {"f16x2", 0x3C00},
                                                         {"bf16", 0x3F80},
                                                         {"bf16x2", 0x3F80},
                                                         {"f32", 0x3F800000}};
  const bool halves = m.type().ends_with("x2");
  const auto one = ones.find(to);
  const operand yes = constant(one != ones.end() ? one->second
                               : halves          ? 0xFFFF
                                                 : ~std::uint64_t{0});
  const operand a = value(term_at(1)), b = value(term_at(2)), no = constant(0);
  if (!halves) {
    const operand holds = fresh();
    emit(m, m.key(), {holds, a, b});
    emit("selp", {result(term_at(0)), yes, no, holds});
    return;
  }
  const operand low = fresh(), high = fresh();
  emit("selp", {low, yes, no, compared_half(m, 0, a, b)});
  emit("selp", {high, yes, no, compared_half(m, 1, a, b)});
  emit("join2.u32", {result(term_at(0)), low, high});
}

void function_decoder::decode_carry(const modifiers& m) {
  const bool carried = m.name.ends_with("c");
  std::string key = "carry." + m.name.substr(0, 3);
  for (const std::string& part : m.rest) {
    if (part != "cc") key += "." + (part.starts_with("s") ? "u" + part.substr(1) : part);
  }
  operands with{result(term_at(0))};
  for (std::size_t k = 1; k < now_->operands.size(); ++k) with.push_back(value(term_at(k)));
  with.push_back(carried ? carry() : constant(0));
  with.push_back(m.has("cc") ? carry() : fresh());
  emit(key, with);
}

/// `setp` may have a second result, the opposite, and join both with a third predicate.
void function_decoder::decode_comparison(modifiers m) {
  std::string joins;
  for (const char* const name : {"and", "or", "xor"}) {
    if (!m.has(name)) continue;
    joins = name;
    std::erase(m.rest, name);
  }
  if (joins.empty() && m.type().ends_with("x2")) {
    const operand low = compared_half(m, 0, value(term_at(2)), value(term_at(3)));
    const operand high = compared_half(m, 1, value(term_at(2)), value(term_at(3)));
    emit("mov", {result(term_at(0)), low});
    emit("mov", {result(term_at(1)), high});
    return;
  }
  const std::size_t inputs = joins.empty() ? 2 : 3;
  const bool opposite = now_->operands.size() > inputs + 1;
  const std::size_t first = opposite ? 2 : 1;
  const operand a = value(term_at(first)), b = value(term_at(first + 1));
  if (!opposite && joins.empty()) return void(emit(m, m.key(), {result(term_at(0)), a, b}));
  const operand third = joins.empty() ? operand() : value(term_at(first + 2));
  const operand holds = fresh(), fails = fresh();
  emit(m, m.key(), {holds, a, b});
  emit("not.pred", {fails, holds});
  const std::array sides{holds, fails};
  for (std::size_t k = 0; k < first; ++k) {
    if (joins.empty()) {
      emit("mov", {result(term_at(k)), sides[k]});
    } else {
      emit(joins + ".pred", {result(term_at(k)), sides[k], third});
    }
  }
}

}  // namespace standin

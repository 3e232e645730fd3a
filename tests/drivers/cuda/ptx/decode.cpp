// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>

#include "../failure.hpp"
#include "decoder.hpp"
#include "operations.hpp"

namespace standin {

namespace {

std::size_t placed(std::size_t& end, const variable& v) {
  end = (end + v.alignment - 1) / v.alignment * v.alignment;
  const std::size_t place = end;
  end += v.bytes;
  return place;
}

const std::map<std::string, special> special_names{
    {"%tid.x", special::tid_x},
    {"%tid.y", special::tid_y},
    {"%tid.z", special::tid_z},
    {"%ntid.x", special::ntid_x},
    {"%ntid.y", special::ntid_y},
    {"%ntid.z", special::ntid_z},
    {"%ctaid.x", special::ctaid_x},
    {"%ctaid.y", special::ctaid_y},
    {"%ctaid.z", special::ctaid_z},
    {"%nctaid.x", special::nctaid_x},
    {"%nctaid.y", special::nctaid_y},
    {"%nctaid.z", special::nctaid_z},
    {"%laneid", special::laneid},
    {"%warpid", special::warpid},
    {"%nwarpid", special::nwarpid},
    {"%lanemask_eq", special::lanemask_eq},
    {"%lanemask_le", special::lanemask_le},
    {"%lanemask_lt", special::lanemask_lt},
    {"%lanemask_ge", special::lanemask_ge},
    {"%lanemask_gt", special::lanemask_gt},
    {"%dynamic_smem_size", special::dynamic_smem_size},
    {"%total_smem_size", special::total_smem_size},
    {"%smid", special::smid},
    {"%nsmid", special::nsmid},
    {"%gridid", special::gridid},
};

}  // namespace

function_decoder::function_decoder(const function_text& text, const module_names& names)
    : text_(text), names_(names), registers_(text.registers + 1) {
  code_.name = text.name;
  code_.entry = text.entry;
}

void function_decoder::wrong(const std::string& what) const {
  const unsigned line = now_ != nullptr ? now_->line : 0;
  throw failure(invalid_ptx,
                "PTX, function " + text_.name + ", line " + std::to_string(line) + ": " + what);
}

/// True if the variable is a parameter of an entry, which lies in the block of the launch.
bool function_decoder::in_block(std::uint32_t variable) const {
  return text_.entry && std::find(text_.parameters.begin(), text_.parameters.end(), variable) !=
                            text_.parameters.end();
}

void function_decoder::lay_out() {
  std::size_t local = 0, block = 0, shared = names_.shared_bytes;
  for (std::uint32_t n = 0; n < text_.variables.size(); ++n) {
    const variable& v = text_.variables[n];
    std::size_t place = 0;
    if (in_block(n)) {
      place = placed(block, v);
    } else if (v.where == space::shared) {
      // A shared variable in a function that is called lies in the part of the module.
      place = text_.entry ? placed(shared, v) : names_.shared.at(text_.name + "/" + v.name);
    } else {
      place = placed(local, v);
    }
    places_.push_back(static_cast<std::uint32_t>(place));
  }
  const auto pass = [&](const std::vector<std::size_t>& variables, std::vector<passed>& to) {
    for (const std::size_t n : variables) {
      to.push_back({0, places_[n], static_cast<std::uint32_t>(text_.variables[n].bytes)});
    }
  };
  pass(text_.parameters, code_.parameters);
  pass(text_.results, code_.results);
  code_.local_bytes = (local + 15) / 16 * 16;
  code_.shared_bytes = (shared + 15) / 16 * 16;
  code_.parameter_bytes = block;
}

function_code function_decoder::run() {
  lay_out();
  for (const statement& s : text_.statements) {
    starts_.push_back(static_cast<std::uint32_t>(code_.code.size()));
    now_ = &s;
    decode(s);
  }
  starts_.push_back(static_cast<std::uint32_t>(code_.code.size()));
  now_ = nullptr;
  code_.code.emplace_back().then = step::leave;
  patch_branches();
  code_.registers = registers_;
  return std::move(code_);
}

void function_decoder::patch_branches() {
  const auto find = [&](const std::string& label) {
    const auto found = text_.labels.find(label);
    if (found == text_.labels.end()) wrong("the label " + label + " is not there");
    return starts_[found->second];
  };
  for (const auto& [at, label] : branches_) code_.code[at].target = find(label);
  for (const std::string& name : tables_) {
    const auto table = text_.branch_tables.find(name);
    if (table == text_.branch_tables.end()) wrong("the table " + name + " is not there");
    code_.tables.emplace_back();
    for (const std::string& label : table->second) code_.tables.back().push_back(find(label));
  }
}

const term& function_decoder::term_at(std::size_t n) const {
  if (n >= now_->operands.size()) wrong("an operand is missing");
  return now_->operands[n];
}

instruction& function_decoder::emit(const std::string& key, const operands& with) {
  const auto found = operations().find(key);
  if (found == operations().end()) wrong("the stand-in does not know the instruction " + key);
  instruction& i = emit_step(step::plain, with);
  i.run = found->second.run;
  return i;
}

instruction& function_decoder::emit(const modifiers& m, const std::string& key,
                                    const operands& with) {
  instruction& i = emit(key, with);
  i.round = m.round;
  i.integral = m.integral;
  i.flushes = m.flushes;
  i.saturates = m.saturates;
  i.where = m.where;
  const bool careful = m.round != rounding::nearest || m.flushes || m.saturates;
  const operation& o = operations().at(key);
  if (careful && o.careful != nullptr) i.run = o.careful;
  return i;
}

instruction& function_decoder::emit_step(step then, const operands& with) {
  instruction& i = code_.code.emplace_back();
  i.then = then;
  i.line = now_->line;
  i.guard = now_->guard < 0 ? -1 : now_->guard * static_cast<int>(warp_lanes);
  i.guard_negated = now_->guard_negated;
  if (with.size() > i.with.size()) wrong("too many operands");
  std::copy(with.begin(), with.end(), i.with.begin());
  i.operands = static_cast<std::uint8_t>(with.size());
  return i;
}

operand function_decoder::constant(std::uint64_t value) {
  const auto [found, added] =
      constants_.emplace(value, static_cast<std::uint32_t>(code_.constants.size()));
  if (added) code_.constants.insert(code_.constants.end(), warp_lanes, value);
  return {found->second, area::constants};
}

operand function_decoder::symbol(const std::string& name) {
  if (const auto s = special_names.find(name); s != special_names.end()) {
    return special_register(s->second);
  }
  if (name == "WARP_SZ") return constant(warp_lanes);
  if (names_.dynamic_shared.contains(name)) return special_register(special::dynamic_shared);
  if (const auto s = names_.shared.find(name); s != names_.shared.end()) return constant(s->second);
  if (const auto s = names_.symbols.find(name); s != names_.symbols.end()) {
    return constant(s->second);
  }
  if (const auto f = names_.functions.find(name); f != names_.functions.end()) {
    return constant(address_of_function(f->second));
  }
  wrong("the name " + name + " is not declared");
}

operand function_decoder::value(const term& t) {
  operand found;
  switch (t.kind) {
    case term_kind::reg:
      found = {t.index * warp_lanes, area::registers};
      break;
    case term_kind::integer:
    case term_kind::real:
      found = constant(t.value);
      break;
    case term_kind::symbol:
      found = symbol(t.name);
      break;
    case term_kind::variable:
      found = with_offset(address_of(t, space::generic));
      break;
    default:
      wrong("an operand is no value");
  }
  if (!t.negated) return found;
  const operand opposite = fresh();
  emit("not.pred", {opposite, found});
  return opposite;
}

operand function_decoder::result(const term& t) {
  if (t.kind == term_kind::none) return fresh();
  if (t.kind != term_kind::reg) wrong("a result is no register");
  return {t.index * warp_lanes, area::registers};
}

function_decoder::address function_decoder::address_of(const term& t, space where) {
  if (t.kind == term_kind::address) {
    address a = address_of(t.parts.at(0), where);
    a.offset += static_cast<std::int64_t>(t.value);
    return a;
  }
  if (t.kind == term_kind::variable) {
    const auto place = static_cast<std::int64_t>(places_[t.index]);
    if (in_block(t.index)) return {constant(0), place, space::param};
    if (text_.variables[t.index].where == space::shared) return {constant(0), place, space::shared};
    return {special_register(special::local_frame), place, space::local};
  }
  if (where == space::param && !text_.entry) where = space::local;
  return {value(t), 0, where};
}

operand function_decoder::with_offset(const address& a) {
  if (a.offset == 0) return a.base;
  const operand sum = fresh();
  emit("add.u64", {sum, a.base, constant(static_cast<std::uint64_t>(a.offset))});
  return sum;
}

/// The place in the frame of a variable that is passed to or from a function.
std::uint32_t function_decoder::place_of(const term& t) {
  if (t.kind != term_kind::variable) wrong("a call passes something else than a .param");
  return places_[t.index];
}

program decode(const module_text& text, const symbol_table& symbols) {
  program result;
  module_names names{symbols, {}, {}, {}, {}, 0};
  for (const variable& v : text.variables) {
    if (v.where != space::shared) continue;
    if (v.dynamic) {
      names.dynamic_shared.insert(v.name);
    } else {
      names.shared[v.name] = placed(names.shared_bytes, v);
    }
  }
  for (const function_text& f : text.functions) {
    if (!f.defined) {
      names.undefined.insert(f.name);
      continue;
    }
    const std::size_t number = names.functions.size();
    names.functions[f.name] = number;
    if (f.entry) continue;
    result.has_calls = true;
    for (const variable& v : f.variables) {
      if (v.where != space::shared) continue;
      names.shared[f.name + "/" + v.name] = placed(names.shared_bytes, v);
    }
  }
  for (const function_text& f : text.functions) {
    if (f.defined) result.functions.push_back(function_decoder(f, names).run());
  }
  return result;
}

}  // namespace standin

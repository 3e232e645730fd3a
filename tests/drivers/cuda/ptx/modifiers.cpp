// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "modifiers.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace standin {

namespace {

const std::map<std::string_view, rounding> roundings{{"rn", rounding::nearest},
                                                     {"rz", rounding::zero},
                                                     {"rm", rounding::down},
                                                     {"rp", rounding::up}};
const std::map<std::string_view, rounding> whole_roundings{{"rni", rounding::nearest},
                                                           {"rzi", rounding::zero},
                                                           {"rmi", rounding::down},
                                                           {"rpi", rounding::up}};
const std::map<std::string_view, space> spaces{
    {"global", space::global},      {"const", space::constant},   {"shared", space::shared},
    {"shared::cta", space::shared}, {"local", space::local},      {"param", space::param},
    {"param::entry", space::param}, {"param::func", space::param}};

/// Hints, and orders of memory that the host's are not weaker than.
const std::set<std::string_view> without_effect{
    "approx",  "full", "uni",     "volatile", "relaxed", "acquire",  "release",
    "acq_rel", "weak", "cta",     "gpu",      "sys",     "cluster",  "nc",
    "ca",      "cg",   "cs",      "lu",       "cv",      "wb",       "wt",
    "noftz",   "sync", "aligned", "mmio",     "L2::64B", "L2::128B", "L2::256B"};

std::string without_bits(const std::string& type) {
  static const std::set<std::string_view> plain{"b8", "b16", "b32", "b64"};
  return plain.contains(type) ? "u" + type.substr(1) : type;
}

/// The accesses among instructions: they alone have state spaces and vectors.
bool is_access(std::string_view name) {
  static const std::set<std::string_view> names{"ld",  "ldu",  "st",       "atom",
                                                "red", "cvta", "isspacep", "cp"};
  return names.contains(name);
}

}  // namespace

std::string modifiers::key() const {
  std::string result = name;
  for (const std::string& part : rest) result += "." + part;
  return result;
}

bool modifiers::has(const std::string& part) const {
  return std::find(rest.begin(), rest.end(), part) != rest.end();
}

modifiers read_modifiers(const std::vector<std::string>& opcode) {
  modifiers m;
  m.name = opcode.front();
  for (std::size_t k = 1; k < opcode.size(); ++k) {
    const std::string& part = opcode[k];
    if (const auto r = roundings.find(part); r != roundings.end()) {
      m.round = r->second;
    } else if (const auto w = whole_roundings.find(part); w != whole_roundings.end()) {
      m.round = w->second;
      m.integral = true;
    } else if (const auto s = spaces.find(part); s != spaces.end() && is_access(m.name)) {
      if (m.where == space::generic) m.where = s->second;
    } else if (part == "ftz") {
      m.flushes = true;
    } else if (part == "sat") {
      m.saturates = true;
    } else if ((part == "v2" || part == "v4") && is_access(m.name)) {
      m.width = part == "v2" ? 2 : 4;
    } else if (!without_effect.contains(part) && !part.starts_with("L1::")) {
      m.rest.push_back(without_bits(part));
    } else if (part == "uni" && m.name == "vote") {
      m.rest.push_back(part);
    }
  }
  if (m.saturates && m.name != "cvt" && !m.rest.empty() && m.type() == "s32") {
    m.rest.insert(m.rest.begin(), "sat");
    m.saturates = false;
  }
  return m;
}

}  // namespace standin

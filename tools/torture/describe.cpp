// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "program.hpp"

namespace hocket::seeded {

namespace {

const char* name_of(kind k) {
  constexpr const char* names[] = {
      "kernel", "host function", "value",       "reduction",  "plain",  "graph",      "view",
      "cancel", "pass time",     "lose device", "stop token", "choice", "open scope", "end scope"};
  return names[static_cast<std::size_t>(k)];
}

const char* name_of(rule r) {
  constexpr const char* names[] = {"if odd", "one of", "while odd", "until odd"};
  return names[static_cast<std::size_t>(r)];
}

std::string to_string(const use& u) {
  const part& p = u.where;
  const box where{{p.row, p.column}, {p.row + p.rows, p.column + p.columns}};
  return " " + std::string(to_string(u.mode)) + " b" + std::to_string(p.buffer) + to_string(where);
}

std::string to_string(const step& s) {
  std::string text = name_of(s.what);
  if (s.what == kind::choice) text += std::string(" ") + name_of(s.chooses);
  for (const use& u : s.uses) text += to_string(u);
  if (s.throws) text += " throws";
  if (s.takes_token) text += " token";
  if (s.stays_open) text += " stays open";
  if (s.priority != 0) text += " priority " + std::to_string(s.priority);
  if (s.device >= 0) text += " on " + std::to_string(s.device);
  for (const std::size_t other : s.after) text += " after " + std::to_string(other);
  if (s.number_from >= 0) text += " number from " + std::to_string(s.number_from);
  if (s.takes > 0) text += " takes " + std::to_string(s.takes);
  if (s.returns >= 0) text += " returns " + std::to_string(s.returns);
  if (s.what == kind::cancel || s.what == kind::lose_device) {
    text += " " + std::to_string(s.target);
  }
  if (s.in_order) text += " in order";
  if (s.timeout > 0) text += " within " + std::to_string(s.timeout) + " us";
  if (s.batched) text += " batched";
  if (s.one_by_one) text += " one by one";
  if (s.cancels) text += " cancelled";
  if (s.asks > 0) text += " asks " + std::to_string(s.asks);
  if (s.count != 1) text += " x " + std::to_string(s.count);
  return text;
}

void add_steps(std::string& text, const std::vector<step>& steps, const std::string& indent) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    text += indent + std::to_string(i) + ": " + to_string(steps[i]) + "\n";
    add_steps(text, steps[i].recorded, indent + "  ");
    for (std::size_t b = 0; b < steps[i].bodies.size(); ++b) {
      text += indent + "  body " + std::to_string(b) + "\n";
      add_steps(text, steps[i].bodies[b], indent + "    ");
    }
  }
}

}  // namespace

std::string to_string(const program& made) {
  std::string text = "sim: " + made.sim + (made.private_memory ? ", private memory" : "") +
                     ", budget " + std::to_string(made.budget) + ", pending " +
                     std::to_string(made.max_pending) + "\n";
  if (made.delay_probability > 0) text += "delays at random\n";
  if (!made.policy.empty()) text += "policy " + made.policy + "\n";
  for (const fault_rule& each : made.faults) text += "fault: " + to_string(each) + "\n";
  for (std::size_t i = 0; i < made.buffers.size(); ++i) {
    text += "b" + std::to_string(i) + ": " + std::to_string(made.buffers[i].rows) + " x " +
            std::to_string(made.buffers[i].columns) + "\n";
  }
  add_steps(text, made.steps, "");
  return text;
}

}  // namespace hocket::seeded

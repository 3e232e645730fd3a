// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "interpreter.hpp"

namespace hocket::seeded {

interpreter::interpreter(const program& made) : program_(made), done_(made.steps.size()) {
  for (const matrix_size& size : made.buffers) {
    cells_.emplace_back(size.rows * size.columns);
  }
}

template <class F>
void interpreter::for_each(const part& where, F&& f) {
  const std::size_t columns = program_.buffers[where.buffer].columns;
  for (std::size_t r = 0; r < where.rows; ++r) {
    for (std::size_t c = 0; c < where.columns; ++c) {
      f(cells_[where.buffer][(where.row + r) * columns + where.column + c], r * where.columns + c);
    }
  }
}

template <class F>
void interpreter::for_each(const part& where, F&& f) const {
  const_cast<interpreter*>(this)->for_each(
      where, [&](const cell& each, std::size_t index) { f(each, index); });
}

const cell& interpreter::at(std::size_t buffer, std::size_t row, std::size_t column) const {
  return cells_[buffer][row * program_.buffers[buffer].columns + column];
}

bool interpreter::good(const part& where) const {
  bool all = true;
  for_each(where, [&](const cell& each, std::size_t) { all = all && each.good; });
  return all;
}

bool interpreter::must_fail(std::size_t index) const {
  return must_fail(program_.steps[index], done_);
}

bool interpreter::must_fail(const step& s, const std::vector<outcome>& before) const {
  bool fails = s.throws;
  for (const use& u : s.uses) {
    // The task of a reduction has a partial of its own; only what combines it needs the target.
    const bool needed =
        s.what == kind::reduction ? u.mode == access_mode::read : reads_content(u.mode);
    if (needed && !good(u.where)) fails = true;
  }
  for (const std::size_t other : s.after) fails = fails || before[other].failed;
  if (s.number_from >= 0) {
    fails = fails || before[static_cast<std::size_t>(s.number_from)].failed;
  }
  return fails;
}

void interpreter::apply(std::size_t index, bool failed) {
  apply(program_.steps[index], failed, done_);
  done_[index] = done_.back();
  done_.pop_back();
}

void interpreter::write(const part& where, const mixer& m, bool updates) {
  for_each(where, [&](cell& each, std::size_t index) {
    each.value = m.write(index, updates ? each.value : 0);
    each.good = true;
  });
}

void interpreter::poison(const part& where) {
  for_each(where, [](cell& each, std::size_t) { each.good = false; });
}

void interpreter::change(const part& where, std::int64_t constant) {
  for_each(where, [&](cell& each, std::size_t) { each = {each.value + constant, true}; });
}

void interpreter::apply(const step& s, bool failed, std::vector<outcome>& outcomes) {
  outcome result{failed, 0};
  if (failed) {
    for (const use& u : s.uses) {
      if (writes_content(u.mode)) poison(u.where);
    }
  } else {
    std::int64_t constant = s.constant;
    if (s.number_from >= 0) constant += outcomes[static_cast<std::size_t>(s.number_from)].value;
    mixer m(constant);
    for (const use& u : s.uses) {
      if (u.mode != access_mode::read) continue;
      for_each(u.where, [&](const cell& each, std::size_t) { m.read(each.value); });
    }
    result.value = m.result();
    for (const use& u : s.uses) {
      if (!writes_content(u.mode)) continue;
      if (s.what == kind::reduction && !good(u.where)) {
        poison(u.where);
      } else if (s.what == kind::reduction) {
        for_each(u.where, [&](cell& each, std::size_t index) {
          each.value = static_cast<std::int64_t>(static_cast<std::uint64_t>(each.value) +
                                                 static_cast<std::uint64_t>(m.write(index, 0)));
        });
      } else {
        write(u.where, m, u.mode == access_mode::update);
      }
    }
  }
  outcomes.push_back(result);
}

bool interpreter::apply_graph(std::size_t index) {
  const step& s = program_.steps[index];
  bool some = false;
  for (std::size_t run = 0; run < s.count; ++run) some = apply_all(s.recorded) || some;
  done_[index].failed = some;
  return some;
}

bool interpreter::apply_choice(std::size_t index, bool failed) {
  const step& s = program_.steps[index];
  const bool fails = choose(s);
  if (failed) lose_outputs(s);
  done_[index].failed = fails || failed;
  return fails;
}

/// The tasks of one run of a graph, in order. Returns whether some fail.
bool interpreter::apply_all(const std::vector<step>& recorded) {
  std::vector<outcome> outcomes;
  bool some = false;
  for (const step& s : recorded) {
    if (s.what == kind::choice) {
      outcomes.push_back({choose(s), 0});
    } else {
      // What combines a partial is a task of the graph too.
      some = some || (s.what == kind::reduction && !good(s.uses.back().where));
      apply(s, must_fail(s, outcomes), outcomes);
    }
    some = some || outcomes.back().failed;
  }
  return some;
}

/// Returns whether it fails.
bool interpreter::choose(const step& s) {
  bool fails = false;
  for (std::size_t round = 0; !fails && round < s.count; ++round) {
    std::size_t answer = 0;
    if (round > 0 || s.chooses != rule::until_odd) {
      const part& asked = s.uses[0].where;
      fails = !good(asked);
      mixer m(s.constant);
      for_each(asked, [&](const cell& each, std::size_t) { m.read(each.value); });
      answer = s.answer(m);
    }
    if (fails || (s.chooses == rule::while_odd && answer == 0) ||
        (s.chooses == rule::until_odd && answer == 1)) {
      break;
    }
    const std::size_t body = s.body_of(answer);
    if (body < s.bodies.size()) {
      fails = apply_all(s.bodies[body]);
    } else {
      fails = s.chooses == rule::one_of;
    }
  }
  if (fails) lose_outputs(s);
  return fails;
}

/// A failed choice invalidates every buffer that one of its bodies writes, as a whole.
void interpreter::lose_outputs(const step& choice) {
  for (const std::vector<step>& body : choice.bodies) lose_outputs(body);
}

void interpreter::lose_outputs(const std::vector<step>& recorded) {
  for (const step& s : recorded) {
    if (s.what == kind::choice) lose_outputs(s);
    for (const use& u : s.uses) {
      if (!writes_content(u.mode)) continue;
      for (cell& each : cells_[u.where.buffer]) each.good = false;
    }
  }
}

}  // namespace hocket::seeded

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

void interpreter::spoil(const part& where) {
  for_each(where, [](cell& each, std::size_t) { each.good = false; });
}

void interpreter::change(const part& where, std::int64_t constant) {
  for_each(where, [&](cell& each, std::size_t) { each = {each.value + constant, true}; });
}

void interpreter::apply(const step& s, bool failed, std::vector<outcome>& outcomes) {
  outcome result{failed, 0};
  if (failed) {
    for (const use& u : s.uses) {
      if (writes_content(u.mode)) spoil(u.where);
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
        spoil(u.where);
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
  for (std::size_t run = 0; run < s.count; ++run) {
    std::vector<outcome> outcomes;
    for (const step& inner : s.recorded) {
      const bool fails = must_fail(inner, outcomes);
      // What combines a partial is a task of the graph too.
      const bool uncombined = inner.what == kind::reduction && !good(inner.uses.back().where);
      some = some || fails || uncombined;
      apply(inner, fails, outcomes);
    }
  }
  done_[index].failed = some;
  return some;
}

}  // namespace hocket::seeded

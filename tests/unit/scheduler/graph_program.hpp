// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <hocket/execution/seed.hpp>

namespace hocket::testing {

using number = std::int64_t;

enum class kind : std::uint8_t { task, value, part, condition, choice, before_loop, after_loop };
enum class asks : std::uint8_t { function, data, earlier };

struct item;
using list = std::vector<item>;

/// One call of a program that records a graph. A task reads some cells and updates one.
struct item {
  kind what = kind::task;
  std::size_t id = 0;
  std::size_t cell = 0;
  std::vector<std::size_t> reads;
  std::vector<std::size_t> after;  ///< earlier items of the same list
  number throws_at = 0;            ///< throws if this divides what it computes; 0: never
  asks how = asks::function;
  std::size_t earlier = 0;  ///< the value that answers
  std::uint64_t at_most = 1;
  std::vector<list> bodies;

  [[nodiscard]] bool is_loop() const {
    return what == kind::before_loop || what == kind::after_loop;
  }
};

/// What a task or a question computes; throws if it has no luck.
inline number computed(const item& i, number salt, number own, number first, number second) {
  std::uint64_t state = i.id;
  for (const number each : {salt, own, first, second}) {
    state += static_cast<std::uint64_t>(each);
    state = splitmix64(state);
  }
  const auto result = static_cast<number>(state >> 8U);
  if (i.throws_at != 0 && result % i.throws_at == 0) throw std::runtime_error("no luck");
  return result;
}

/// A value is small, so that it can be the number of a graph.
inline number small(number result) { return result & 3; }

/// The answer to a question that is no earlier value.
inline number answer_of(const item& i, number result) {
  if (i.what == kind::choice) return result % static_cast<number>(i.bodies.size());
  return static_cast<number>(result % 3 != 0);
}

/// A program in which everything comes from the seed. With data, its tasks share a few cells, which
/// order them. Without, each has a cell of its own, and reads those of others that it comes after.
/// The last cell is nobody's.
class program {
 public:
  program(std::uint64_t seed, bool data) : random_(seed), data_(data) {
    cells_ = data ? 1 + random_.below(6) : 0;
    throws_ = random_.chance(0.4);
    all_ = make_list(0, {});
  }

  [[nodiscard]] const list& all() const { return all_; }
  [[nodiscard]] std::size_t cells() const { return cells_ + 1; }
  [[nodiscard]] std::size_t items() const { return items_; }
  [[nodiscard]] bool has_data() const { return data_; }

  /// True if all questions are about data, so that runs may overlap.
  [[nodiscard]] bool asks_data_alone() const { return !asks_functions_; }

 private:
  list make_list(int depth, const std::vector<std::size_t>& around) {
    list made;
    const std::size_t length = random_.below(depth == 0 ? 9 : 5) + (depth == 0 ? 1 : 0);
    for (std::size_t at = 0; at < length; ++at) made.push_back(make(made, depth, around));
    return made;
  }

  item make(const list& before, int depth, const std::vector<std::size_t>& around) {
    item i;
    i.id = items_++;
    i.cell = data_ ? random_.below(cells_) : cells_++;
    const bool nests = depth < 3 && random_.chance(0.45);
    i.what = nests ? static_cast<kind>(2 + random_.below(5)) : static_cast<kind>(random_.below(2));
    for (std::uint64_t e = before.empty() ? 0 : random_.below(data_ ? 2 : 4); e > 0; --e) {
      i.after.push_back(random_.below(before.size()));
    }
    if (throws_ && random_.chance(0.5)) i.throws_at = static_cast<number>(2 + random_.below(12));
    if (nests) add_question(i, before);
    i.reads = data_ ? any_cells(i) : cells_before(i, before, around);
    if (nests) add_bodies(i, depth);
    return i;
  }

  std::vector<std::size_t> any_cells(const item& i) {
    std::vector<std::size_t> made;
    for (std::size_t c = 0; c < cells_; ++c) {
      if (c != i.cell && made.size() < 2 && random_.chance(0.3)) made.push_back(c);
    }
    return made;
  }

  static void add_cells(std::vector<std::size_t>& to, const item& i) {
    to.push_back(i.cell);
    for (const list& body : i.bodies) {
      for (const item& inner : body) add_cells(to, inner);
    }
  }
  static std::vector<std::size_t> cells_before(const item& i, const list& before,
                                               const std::vector<std::size_t>& around) {
    std::vector<std::size_t> made = around;
    for (const std::size_t a : i.after) add_cells(made, before[a]);
    return made;
  }

  void add_question(item& i, const list& before) {
    if (i.what == kind::part) return;
    i.how = data_ && random_.chance(0.6) ? asks::data : asks::function;
    for (std::size_t at = 0; at < before.size() && !i.is_loop(); ++at) {
      if (before[at].what != kind::value || !random_.chance(0.5)) continue;
      i.how = asks::earlier;
      i.earlier = at;
    }
    asks_functions_ = asks_functions_ || i.how == asks::function;
  }

  void add_bodies(item& i, int depth) {
    std::vector<std::size_t> around = i.reads;
    if (i.what != kind::part) around.push_back(i.cell);
    const bool one = i.is_loop() || i.what == kind::part;
    const std::size_t count = one ? 1 : 1 + random_.below(i.what == kind::choice ? 4 : 2);
    for (std::size_t b = 0; b < count; ++b) i.bodies.push_back(make_list(depth + 1, around));
    if (i.is_loop()) i.at_most = random_.below(4);
  }

  seeded_stream random_;
  bool data_;
  bool throws_ = false;
  bool asks_functions_ = false;
  std::size_t cells_ = 0;
  std::size_t items_ = 0;
  list all_;
};

/// What tasks read is told by two numbers, however many cells there are.
template <class Cells>
std::pair<number, number> read_from(const std::vector<std::size_t>& reads, const Cells& cells) {
  std::pair<number, number> made{0, 0};
  for (std::size_t at = 0; at < reads.size(); ++at) {
    number& into = at % 2 == 0 ? made.first : made.second;
    into = static_cast<number>(static_cast<std::uint64_t>(into) * 31U +
                               static_cast<std::uint64_t>(cells[reads[at]]));
  }
  return made;
}

/// Runs a program one item after the other, by the rules that users are told.
class reference {
 public:
  explicit reference(const program& made)
      : cells(made.cells(), 0),
        good(made.cells(), true),
        questions(made.items(), 0),
        data_(made.has_data()) {}

  /// Returns whether all went well.
  bool run(const list& all, number salt) {
    std::vector<bool> went_well;
    std::vector<number> values(all.size(), 0);
    for (std::size_t at = 0; at < all.size(); ++at) {
      const item& i = all[at];
      bool may =
          std::all_of(i.after.begin(), i.after.end(), [&](std::size_t a) { return went_well[a]; });
      if (i.how == asks::earlier) may = may && went_well[i.earlier];
      went_well.push_back(may && apply(i, salt, values[i.earlier], values[at]));
      if (!went_well.back() && !(may && i.what == kind::part)) poison(i);
    }
    return std::all_of(went_well.begin(), went_well.end(), [](bool well) { return well; });
  }

  std::vector<number> cells;
  std::vector<bool> good;
  std::vector<number> questions;  ///< how often each function was asked, with data

 private:
  bool apply(const item& i, number salt, number known, number& value) {
    if (i.what == kind::part) return run(i.bodies[0], salt);
    if (!i.bodies.empty()) return choose(i, salt, known);
    number result = 0;
    if (!compute(i, salt, i.what == kind::task || !data_, result)) return false;
    value = small(result);
    return true;
  }

  bool compute(const item& i, number salt, bool updates, number& result) {
    const auto bad = [&](std::size_t c) { return !good[c]; };
    if (std::any_of(i.reads.begin(), i.reads.end(), bad) || (updates && bad(i.cell))) return false;
    const auto [first, second] = read_from(i.reads, cells);
    try {
      result = computed(i, salt, updates ? cells[i.cell] : 0, first, second);
    } catch (const std::runtime_error&) {
      return false;
    }
    if (updates) cells[i.cell] = result;
    return true;
  }

  bool choose(const item& i, number salt, number known) {
    for (std::uint64_t round = 0; round < i.at_most; ++round) {
      number answer = known;
      if (round == 0 && i.what == kind::after_loop) {
        answer = 1;
      } else if (i.how != asks::earlier && !ask(i, salt, answer)) {
        return false;
      } else if (i.what == kind::after_loop) {
        answer = static_cast<number>(answer == 0);
      }
      std::size_t body = static_cast<std::size_t>(answer);
      if (i.what != kind::choice) body = answer != 0 ? 0 : 1;
      if (body >= i.bodies.size()) return i.what != kind::choice;
      if (!run(i.bodies[body], salt)) return false;
    }
    return true;
  }

  bool ask(const item& i, number salt, number& answer) {
    number result = 0;
    if (data_ && i.how == asks::function) {
      try {
        result = computed(i, ++questions[i.id], 0, 0, 0);
      } catch (const std::runtime_error&) {
        return false;
      }
    } else if (!compute(i, salt, !data_, result)) {
      return false;
    }
    answer = answer_of(i, result);
    return true;
  }

  /// What was to be written and was not; without data nobody sees it.
  void poison(const item& i) {
    if (data_ && i.what == kind::task) good[i.cell] = false;
    for (const list& body : i.bodies) {
      for (const item& inner : body) poison(inner);
    }
  }

  bool data_;
};

}  // namespace hocket::testing

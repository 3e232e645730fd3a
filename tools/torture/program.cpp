// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "program.hpp"

#include <algorithm>
#include <optional>

#include <hocket/execution/seed.hpp>
#include <hocket/memory/band.hpp>

namespace hocket::seeded {

namespace {

/// The bytes of the least bands that have what the step uses, and returns.
std::size_t least_bytes(const step& s, const std::vector<matrix_size>& buffers) {
  std::size_t bytes = s.what == kind::value ? sizeof(std::int64_t) : 0;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    std::optional<box> used;
    for (const use& u : s.uses) {
      const part& p = u.where;
      const box where{{p.row, p.column}, {p.row + p.rows, p.column + p.columns}};
      if (p.buffer != i || where.empty()) continue;
      used = used ? bounding_box(*used, where) : where;
    }
    if (!used) continue;
    bytes +=
        band_around(*used, {buffers[i].rows, buffers[i].columns}).elements() * sizeof(std::int64_t);
  }
  return bytes;
}

void unbind_from_small_devices(std::vector<step>& steps, const program& of) {
  for (step& each : steps) {
    const std::size_t device = each.device < 0 ? 0 : static_cast<std::size_t>(each.device);
    if (device > 0 && device <= of.memories.size() &&
        least_bytes(each, of.buffers) > of.memories[device - 1]) {
      each.device = -1;
      each.in_order = false;
    }
    unbind_from_small_devices(each.recorded, of);
    for (std::vector<step>& body : each.bodies) unbind_from_small_devices(body, of);
  }
}

class generator {
 public:
  generator(std::uint64_t seed, const program_shape& shape)
      : shape_(shape), random_(seed), asking_(seed, 3), narrow_(seed, 5) {
    made_.seed = seed;
  }

  program run() {
    made_.loses_devices = chance(15);
    if (shape_.loses_devices) made_.loses_devices = *shape_.loses_devices;
    add_machine();
    const std::size_t buffers = chance(50) ? between(6, 12) : between(1, 5);
    for (std::size_t i = 0; i < buffers; ++i) {
      made_.buffers.push_back({between(1, 6), between(1, 5)});
    }
    made_.budget = chance(50) ? static_cast<int>(between(1, 4)) : 0;
    if (chance(20)) made_.max_pending = between(2, 20);
    const std::size_t steps = chance(5) ? between(60, 150) : between(3, 40);
    while (shape_.tasks == 0 ? made_.steps.size() < steps : has_too_few()) add_step();
    if (in_scope_) end_scope();
    unbind_from_small_devices(made_.steps, made_);
    return std::move(made_);
  }

 private:
  std::uint64_t draw() { return random_.next(); }
  std::size_t between(std::size_t least, std::size_t most) {
    return least + draw() % (most - least + 1);
  }
  bool chance(unsigned percent) { return draw() % 100 < percent; }

  [[nodiscard]] bool has_too_few() const {
    const auto tasks = std::count_if(made_.steps.begin(), made_.steps.end(), is_task);
    return static_cast<std::size_t>(tasks) < shape_.tasks;
  }

  void add_machine() {
    const std::size_t sims = between(0, 3);
    for (std::size_t i = 0; i < sims; ++i) {
      // One task uses at most three buffers of 240 bytes: from just enough to plenty.
      std::size_t memory = chance(50) ? between(720, 1100) : 1U << 20U;
      // Less than all of the buffers of many tasks.
      if (narrow_.chance(0.2)) memory = 240 + narrow_.below(480);
      made_.memories.push_back(memory);
      made_.sim +=
          (i == 0 ? "1,memory=" : ";1,memory=") + std::to_string(memory) +
          ",lanes=" + std::to_string(between(1, 2)) + ",depth=" + std::to_string(between(1, 3)) +
          ",flops=" + std::to_string(between(1, 50)) + "M,link=" + std::to_string(between(1, 100)) +
          "M,latency=" + std::to_string(between(0, 9)) +
          "us,launch=" + std::to_string(between(0, 5)) + "us,peer=" + (chance(70) ? "yes" : "no");
    }
    made_.devices = 1 + sims;
    made_.private_memory = chance(30);
    made_.delay_probability = chance(50) ? 0.2 : 0.0;
  }

  part random_part() {
    part p;
    p.buffer = between(0, made_.buffers.size() - 1);
    const matrix_size& size = made_.buffers[p.buffer];
    if (chance(60)) {
      p.rows = size.rows;
      p.columns = size.columns;
      return p;
    }
    p.row = between(0, size.rows - 1);
    p.rows = between(chance(3) ? 0 : 1, size.rows - p.row);
    p.column = chance(50) ? 0 : between(0, size.columns - 1);
    p.columns = between(1, size.columns - p.column);
    return p;
  }

  static bool overlapping(const part& a, const part& b) {
    return a.buffer == b.buffer && a.row < b.row + b.rows && b.row < a.row + a.rows &&
           a.column < b.column + b.columns && b.column < a.column + a.columns;
  }

  bool add_use(step& s, access_mode mode) {
    for (int tries = 0; tries < 8; ++tries) {
      const part p = random_part();
      const bool clashes = std::any_of(s.uses.begin(), s.uses.end(), [&](const use& u) {
        return overlapping(u.where, p) && (writes_content(u.mode) || writes_content(mode));
      });
      if (clashes) continue;
      s.uses.push_back({p, mode});
      return true;
    }
    return false;
  }

  /// Reads first, then what is written: the order that the runner's kernels take.
  bool add_uses(step& s) {
    const std::size_t reads = between(0, 2);
    for (std::size_t i = 0; i < reads; ++i) {
      if (!add_use(s, access_mode::read)) return false;
    }
    return add_use(s, chance(50) ? access_mode::update : access_mode::write);
  }

  bool fill(step& s) {
    s.constant = static_cast<std::int64_t>(draw() % 1000);
    switch (s.what) {
      case kind::kernel:
      case kind::host_function:
        return add_uses(s);
      case kind::value:
        return add_use(s, access_mode::read);
      case kind::reduction:
        return add_use(s, access_mode::read) && add_use(s, access_mode::update);
      default:
        return true;
    }
  }

  kind draw_kind(bool recorded) {
    const std::size_t k = between(0, 99);
    if (k < 45) return kind::kernel;
    if (k < 57) return kind::host_function;
    if (k < 64) return kind::value;
    // A cancelled scope cancels the tasks that combine partials, which have no futures.
    if (k < 70) return cancels_scope_ ? kind::kernel : kind::reduction;
    if (k < 77 || recorded) return kind::plain;
    // The interpreter does not know the content after a run that was cancelled half-way.
    const bool whole = !made_.loses_devices && !cancels_scope_;
    if (k < 80) return whole ? kind::graph : kind::kernel;
    if (k < 83) return whole ? kind::choice : kind::kernel;
    if (k < 87) return kind::view;
    if (k < 90) return kind::cancel;
    if (k < 92) return in_scope_ ? kind::end_scope : kind::open_scope;
    if (k < 98) return kind::pass_time;
    if (k < 99) return kind::stop_token;
    return made_.loses_devices ? kind::lose_device : kind::pass_time;
  }

  static bool has_future(const step& s) { return s.what <= kind::plain; }

  /// Edges to earlier steps of the same list.
  void connect(step& s, const std::vector<step>& earlier, bool recorded) {
    if (earlier.empty()) return;
    if (chance(15)) {
      const std::size_t other = between(0, earlier.size() - 1);
      if (has_future(earlier[other])) s.after.push_back(other);
    }
    if (s.what != kind::kernel && s.what != kind::host_function) return;
    const std::size_t other = between(0, earlier.size() - 1);
    if (earlier[other].what == kind::value && chance(60)) s.number_from = static_cast<int>(other);
    if (made_.budget == 0 || recorded) return;
    if (chance(25)) {
      s.takes = static_cast<int>(between(1, static_cast<std::size_t>(made_.budget)));
      // Of equal priority they are served in order. A later one that is needed by an earlier one
      // does not exist, so that this cannot deadlock.
      s.priority = 0;
    }
  }

  /// Units that were taken have to come back, or later steps wait for ever.
  void add_returns() {
    const std::size_t taker = made_.steps.size() - 1;
    if (made_.steps[taker].takes == 0) return;
    step s;
    s.what = kind::kernel;
    if (!fill(s)) {
      made_.steps[taker].takes = 0;
      return;
    }
    s.returns = static_cast<int>(taker);
    s.after.push_back(taker);
    made_.steps.push_back(std::move(s));
  }

  void decorate(step& s) {
    s.throws = chance(4);
    s.takes_token = chance(5);
    s.priority = chance(30) ? static_cast<std::int64_t>(between(0, 6)) - 3 : 0;
    if (s.what == kind::host_function && asking_.chance(0.2)) {
      s.asks = 1 + static_cast<int>(asking_.below(2));
    }
    if (s.what == kind::kernel || s.what == kind::value) {
      s.device = chance(40) ? static_cast<int>(between(0, made_.devices - 1)) : -1;
    }
  }

  void open_scope() {
    step s;
    s.what = kind::open_scope;
    in_scope_ = true;
    cancels_scope_ = chance(30);
    made_.steps.push_back(std::move(s));
  }

  void end_scope() {
    step s;
    s.what = kind::end_scope;
    s.cancels = cancels_scope_;
    in_scope_ = cancels_scope_ = false;
    made_.steps.push_back(std::move(s));
  }

  /// Returns false if it found nothing to ask about.
  bool fill_choice(step& s, int depth) {
    s.constant = static_cast<std::int64_t>(draw() % 1000);
    s.chooses = static_cast<rule>(between(0, 3));
    s.count = repeats(s.chooses) ? between(1, 4) : 1;
    s.priority = chance(30) ? static_cast<std::int64_t>(between(0, 6)) - 3 : 0;
    std::size_t bodies = 1;
    if (s.chooses == rule::if_odd) bodies = between(1, 2);
    if (s.chooses == rule::one_of) bodies = between(1, 3);
    for (std::size_t i = 0; i < bodies; ++i) s.bodies.push_back(recording(depth + 1));
    return add_use(s, access_mode::read);
  }

  std::vector<step> recording(int depth) {
    std::vector<step> made;
    const std::size_t steps = between(1, 6);
    while (made.size() < steps) {
      step inner;
      inner.what = depth < 3 && !made_.loses_devices && chance(6) ? kind::choice : draw_kind(true);
      if (inner.what == kind::choice) {
        if (!fill_choice(inner, depth)) continue;
      } else {
        if (!fill(inner)) continue;
        decorate(inner);
        inner.takes_token = false;
        connect(inner, made, true);
      }
      made.push_back(std::move(inner));
    }
    return made;
  }

  /// A step waits for earlier steps, or for a step that returns an earlier step's units: these
  /// options cannot deadlock.
  void decorate_further(step& s) {
    if (s.device >= 0 && s.priority == 0 && s.takes == 0) s.in_order = chance(30);
    if (chance(4)) s.timeout = static_cast<int>(between(1, 100));
  }

  void add_step() {
    step s;
    s.what = draw_kind(false);
    switch (s.what) {
      case kind::graph:
        s.count = between(1, 3);
        s.batched = chance(30);
        if (chance(20)) {
          // So many that runs repeat a schedule.
          s.one_by_one = true;
          s.count = between(9, 12);
        }
        s.recorded = recording(0);
        break;
      case kind::choice:
        if (!fill_choice(s, 0)) return;
        break;
      case kind::open_scope:
        return open_scope();
      case kind::end_scope:
        return end_scope();
      case kind::view:
        if (!add_use(s, draw_mode())) return;
        s.constant = static_cast<std::int64_t>(draw() % 1000);
        // A submission over the limit waits for other tasks, which may wait for the view.
        s.stays_open = chance(60) && made_.max_pending == 0;
        break;
      case kind::cancel:
        if (made_.steps.empty()) return;
        s.target = between(0, made_.steps.size() - 1);
        break;
      case kind::lose_device:
        if (made_.devices == 1) return;
        s.target = between(1, made_.devices - 1);
        break;
      case kind::pass_time:
        s.count = between(1, 30);
        break;
      case kind::stop_token:
        break;
      default:
        if (!fill(s)) return;
        decorate(s);
        connect(s, made_.steps, false);
        decorate_further(s);
    }
    made_.steps.push_back(std::move(s));
    add_returns();
  }

  access_mode draw_mode() { return static_cast<access_mode>(between(0, 2)); }

  program made_;
  const program_shape shape_;
  seeded_stream random_;
  seeded_stream asking_;
  seeded_stream narrow_;
  bool in_scope_ = false;
  bool cancels_scope_ = false;
};

void fit(std::vector<step>& steps, std::size_t devices) {
  for (step& each : steps) {
    const bool is_launch =
        each.what == kind::kernel || each.what == kind::value || each.what == kind::reduction;
    if (is_launch) each.throws = false;
    if (each.device >= 0) each.device %= static_cast<int>(devices);
    const bool has_text = each.what != kind::kernel || each.uses.size() > 1;
    if (is_launch && !has_text) each.device = -1;
    fit(each.recorded, devices);
    for (std::vector<step>& body : each.bodies) fit(body, devices);
  }
}

}  // namespace

void unbind_from_small_devices(program& made) { unbind_from_small_devices(made.steps, made); }

void fit_to_devices(program& made, std::size_t devices) {
  made.devices = devices;
  fit(made.steps, devices);
}

program make_program(std::uint64_t seed, const program_shape& shape) {
  return generator(seed, shape).run();
}

std::optional<program> other_program(const program& made) {
  seeded_stream random(made.seed, 4);
  // Only the program that loses a device expects missing content.
  if (made.alone || made.loses_devices || !random.chance(0.25)) return std::nullopt;
  program other = make_program(random.next());
  if (other.loses_devices) return std::nullopt;
  other.memories = made.memories;
  unbind_from_small_devices(other.steps, other);
  // The limit is the runtime's.
  for (step& each : other.steps) each.stays_open = each.stays_open && made.max_pending == 0;
  return other;
}

}  // namespace hocket::seeded

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "subjects.hpp"
#include "timed.hpp"

namespace hocket::bench {

namespace {

constexpr std::size_t cells = 4;  // of a tile, along one side

const kernel<in_buffer<float, 2>, out_buffer<float, 2>> step{
    "step", host_body{[](buffer_view<const float, 2>, buffer_view<float, 2>) {}}};
const kernel<inout_buffer<float>> touch{"touch", host_body{[](buffer_view<float>) {}}};
const auto bent = elementwise("bent", [](auto& x) { x = x * x + x; });
const kernel<float, inout_buffer<float>> take{"take", host_body{[](float, buffer_view<float>) {}}};
const kernel<inout_buffer<float, 2>> touch_part{"touch_part",
                                                host_body{[](buffer_view<float, 2>) {}}};
const kernel<in_buffer<float, 2>, in_buffer<float, 2>, inout_buffer<float, 2>> update{
    "update", host_body{[](buffer_view<const float, 2>, buffer_view<const float, 2>,
                           buffer_view<float, 2>) {}}};

/// Eight runs are planned, and one makes the batches.
constexpr int runs_before_batches = 10;

runtime_options only_host(data_path by) { return {.devices = "NUMA0", .data_tasks = by}; }

struct grid_of_tiles {
  explicit grid_of_tiles(std::size_t tiles) : side(side_of(tiles)) {}

  void sweep() {
    const std::size_t end = side * cells;
    for (std::size_t i = 0; i < end; i += cells) {
      for (std::size_t j = 0; j < end; j += cells) {
        const auto around =
            from.tile({i - std::min<std::size_t>(i, 1), j - std::min<std::size_t>(j, 1)},
                      {std::min(i + cells + 1, end), std::min(j + cells + 1, end)});
        rt.submit(step, reads(around), writes(to.tile({i, j}, {i + cells, j + cells})));
      }
    }
    std::swap(from, to);
  }

  std::size_t side;
  runtime rt{only_host(data_path::placed)};
  buffer<float, 2> from{rt, {side * cells, side* cells}, 0.0F};
  buffer<float, 2> to{rt, {side * cells, side* cells}, 0.0F};
};

/// submit() is called while a task that writes all of the buffer runs.
template <class Submit>
void behind_a_writer(runtime& rt, const buffer<float, 2>& all, const Submit& submit) {
  std::atomic<bool> is_open = false;
  rt.submit([&](buffer_view<float, 2>) { is_open.wait(false); }, updates(all));
  submit();
  is_open = true;
  is_open.notify_all();
  rt.wait();
}

struct buffer_of_rows {
  buffer_of_rows(std::size_t count, data_path by) : rows(count), rt(only_host(by)) {}

  void update_each() const {
    for (std::size_t row = 0; row < rows; ++row)
      rt.submit(touch_part, updates(x.rows(row, row + 1)));
  }

  std::size_t rows;
  mutable runtime rt;
  buffer<float, 2> x{rt, {rows, cells}, 0.0F};
};

/// Each has at most an eighth of the square on a side.
struct random_boxes {
  random_boxes(std::size_t count, data_path by) : rt(only_host(by)) {
    std::mt19937 random(1);
    const auto below = [&](std::size_t bound) { return random() % bound; };
    for (std::size_t i = 0; i < count; ++i) {
      const shape<2> begin{below(side), below(side)};
      const auto end = [&](std::size_t from) { return std::min(from + 1 + below(side / 8), side); };
      all.push_back({begin, {end(begin[0]), end(begin[1])}});
    }
  }

  static constexpr std::size_t side = 1024;
  mutable runtime rt;
  buffer<float, 2> x{rt, {side, side}, 0.0F};
  std::vector<std::pair<shape<2>, shape<2>>> all;
};

struct square_to_factor {
  square_to_factor(std::size_t tasks, data_path by) : side(tasks / 2 + 1), rt(only_host(by)) {}

  void factor() const {
    for (std::size_t k = 0; k + 1 < side; ++k) {
      const auto rest = [&](std::size_t row, std::size_t column) {
        return x.tile({row, column}, {row == k ? k + 1 : side, column == k ? k + 1 : side});
      };
      rt.submit(touch_part, updates(x.tile({k, k}, {side, k + 1})));
      rt.submit(update, reads(rest(k + 1, k)), reads(rest(k, k + 1)), updates(rest(k + 1, k + 1)));
    }
    rt.wait();
  }

  std::size_t side;
  mutable runtime rt;
  buffer<float, 2> x{rt, {side, side}, 0.0F};
};

runtime_options memory_for(std::size_t buffers) {
  const std::size_t bytes = buffers * cells * sizeof(float);
  return {.devices = "Sim0", .backends = {{"sim", "1,memory=" + std::to_string(bytes)}}};
}

struct set_of_buffers {
  set_of_buffers(std::size_t count, data_path by) : set_of_buffers(count, only_host(by)) {}
  set_of_buffers(std::size_t count, runtime_options options) : rt(std::move(options)) {
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(rt, cells, 0.0F);
    rt.wait();
  }

  void update_each(submitter& s) const {
    for (const buffer<float>& each : all) s.submit(touch, updates(each));
  }

  runtime rt;
  std::vector<buffer<float>> all;
  std::optional<graph> recorded;
};

std::unique_ptr<set_of_buffers> set_with_graph(std::size_t count, data_path by, bool batch) {
  auto made = std::make_unique<set_of_buffers>(count, by);
  made->recorded = made->rt.record({.batch = batch}, [&](submitter& s) { made->update_each(s); });
  return made;
}

/// Adds one small buffer to each of the others, by the library's own kernel.
struct small_sums {
  small_sums(std::size_t count, bool records) : rt(only_host(data_path::automatic)) {
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(rt, small_vector_length, 0.0F);
    rt.wait();
    if (records) recorded = rt.record([&](submitter& s) { add_to_each(s); });
  }

  void add_to_each(submitter& s) const {
    for (const buffer<float>& each : all) s.submit(ops::axpy, 0.5F, reads(x), updates(each));
  }

  runtime rt;
  buffer<float> x{rt, small_vector_length, 1.0F};
  std::vector<buffer<float>> all;
  std::optional<graph> recorded;
};

std::unique_ptr<set_of_buffers> set_in_batches(std::size_t count) {
  auto made = set_with_graph(count, data_path::placed, true);
  for (int run = 0; run < runs_before_batches; ++run) made->rt.run(*made->recorded).get();
  return made;
}

}  // namespace

contender ours::stencil(std::size_t tiles) {
  return timed(
      "hocket", sweeps * tiles, [tiles] { return std::make_unique<grid_of_tiles>(tiles); },
      [](grid_of_tiles& home) {
        for (std::size_t i = 0; i < sweeps; ++i) home.sweep();
        home.rt.wait();
      });
}

contender ours::rows_and_view(std::size_t rows) {
  return timed(
      "hocket", rows, [rows] { return std::make_unique<buffer_of_rows>(rows, data_path::placed); },
      [](const buffer_of_rows& home) {
        home.update_each();
        (void)home.x.read();
      });
}

contender ours::rows_behind_a_writer(std::size_t rows) {
  return timed(
      "hocket", 2 * rows,
      [rows] { return std::make_unique<buffer_of_rows>(rows, data_path::automatic); },
      [](const buffer_of_rows& home) {
        behind_a_writer(home.rt, home.x, [&] {
          for (int layer = 0; layer < 2; ++layer) home.update_each();
        });
      });
}

contender ours::boxes_behind_a_writer(std::size_t boxes, data_path by) {
  return timed(
      "hocket", boxes, [=] { return std::make_unique<random_boxes>(boxes, by); },
      [](const random_boxes& home) {
        behind_a_writer(home.rt, home.x, [&] {
          for (const auto& [begin, end] : home.all) {
            home.rt.submit(touch_part, updates(home.x.tile(begin, end)));
          }
        });
      });
}

contender ours::factorization(std::size_t tasks, data_path by) {
  return timed(
      "hocket", tasks / 2 * 2, [=] { return std::make_unique<square_to_factor>(tasks, by); },
      [](const square_to_factor& home) { home.factor(); });
}

contender ours::many_buffers(std::size_t buffers) {
  return timed(
      "hocket", accesses_to_each * buffers,
      [buffers] { return std::make_unique<set_of_buffers>(buffers, data_path::placed); },
      [](set_of_buffers& home) {
        for (std::size_t i = 0; i < accesses_to_each; ++i) home.update_each(home.rt);
        home.rt.wait();
      });
}

contender ours::more_than_fits(std::size_t buffers) {
  return timed(
      "hocket", rounds_of_evictions * buffers,
      [buffers] { return std::make_unique<set_of_buffers>(buffers, memory_for(buffers / 2)); },
      [](set_of_buffers& home) {
        for (std::size_t i = 0; i < rounds_of_evictions; ++i) home.update_each(home.rt);
        home.rt.wait();
      });
}

contender ours::graph_again(std::size_t buffers, data_path by) {
  return timed(
      "hocket", buffers, [=] { return set_with_graph(buffers, by, false); },
      [](set_of_buffers& home) { home.rt.run(*home.recorded).get(); });
}

contender ours::graph_in_batches(std::size_t buffers) {
  return timed(
      "batches", buffers, [=] { return set_in_batches(buffers); },
      [](set_of_buffers& home) { home.rt.run(*home.recorded).get(); });
}

contender ours::submitted_anew(std::size_t buffers, data_path by) {
  return timed(
      "submitted", buffers, [=] { return std::make_unique<set_of_buffers>(buffers, by); },
      [](set_of_buffers& home) {
        home.update_each(home.rt);
        home.rt.wait();
      });
}

contender ours::kernels_again(std::size_t buffers) {
  return timed(
      "hocket", buffers, [=] { return std::make_unique<small_sums>(buffers, true); },
      [](small_sums& home) { home.rt.run(*home.recorded).get(); });
}

contender ours::kernels_anew(std::size_t buffers) {
  return timed(
      "submitted", buffers, [=] { return std::make_unique<small_sums>(buffers, false); },
      [](small_sums& home) {
        home.add_to_each(home.rt);
        home.rt.wait();
      });
}

contender ours::loop(std::size_t buffers) {
  const auto make = [buffers] {
    auto made = std::make_unique<set_of_buffers>(buffers, data_path::automatic);
    made->recorded = made->rt.record([&](submitter& s) {
      s.run_while([] { return true; }, [&](submitter& round) { made->update_each(round); },
                  rounds_of_loop);
    });
    return made;
  };
  return timed("hocket", rounds_of_loop * buffers, make,
               [](set_of_buffers& home) { home.rt.run(*home.recorded).get(); });
}

contender ours::parameters(std::size_t count) {
  struct graph_with_parameters : set_of_buffers {
    explicit graph_with_parameters(std::size_t of) : set_of_buffers(1, data_path::automatic) {
      for (std::size_t i = 0; i < of; ++i) values.emplace_back(0.0F);
      recorded = rt.record([&](submitter& s) {
        for (const run_parameter<float>& each : values) s.submit(take, each, updates(all.front()));
      });
      for (const run_parameter<float>& each : values) set.push_back(each = 1.0F);
    }

    std::vector<run_parameter<float>> values;
    hocket::settings set;
  };
  return timed(
      "hocket", count, [count] { return std::make_unique<graph_with_parameters>(count); },
      [](graph_with_parameters& home) { home.rt.run(*home.recorded, home.set).get(); });
}

contender ours::recording(std::size_t chains, bool fuse) {
  return timed(
      fuse ? "fused" : "hocket", steps_of_chain * chains,
      [chains] { return std::make_unique<set_of_buffers>(chains, data_path::automatic); },
      [fuse](set_of_buffers& home) {
        home.recorded = home.rt.record({.fuse = fuse}, [&](submitter& s) {
          for (const buffer<float>& each : home.all) {
            for (std::size_t i = 0; i < steps_of_chain; ++i) s.submit(bent, updates(each));
          }
        });
      });
}

contender ours::fan_out(std::size_t edges) {
  return timed(
      "hocket", edges, [] { return std::make_unique<runtime>(); },
      [edges](runtime& rt) {
        std::atomic<bool> is_open = false;
        const future<void> first = rt.async([&] { is_open.wait(false); });
        for (std::size_t i = 0; i < edges; ++i) rt.async(std::span(&first, 1), [] {});
        is_open = true;
        is_open.notify_all();
        rt.wait();
      });
}

contender ours::fan_in(std::size_t edges) {
  return timed(
      "hocket", edges, [] { return std::make_unique<runtime>(); },
      [edges](runtime& rt) {
        std::vector<future<void>> before;
        before.reserve(edges);
        for (std::size_t i = 0; i < edges; ++i) before.push_back(rt.async([] {}));
        rt.async(before, [] {}).get();
      });
}

}  // namespace hocket::bench

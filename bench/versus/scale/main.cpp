// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The cost of a task as the number of parts of a buffer, of buffers, parameters or edges grows.
// Each case is measured at several sizes; the cost for a task ought not to grow.

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// A case that is asked at several sizes. many: what there are so many of.
class scaled_case {
 public:
  scaled_case(std::vector<comparison>& to, const settings& wanted, std::string name,
              std::string many)
      : to_(to), wanted_(wanted), name_(std::move(name)), many_(std::move(many)) {}

  /// contenders_of(size) makes those that are asked; a sample has tasks_each times size tasks.
  template <class ContendersOf>
  void at(const std::vector<std::size_t>& sizes, std::size_t tasks_each,
          const ContendersOf& contenders_of) const {
    for (const std::size_t size : wanted_.quick ? std::vector<std::size_t>{64, 1'024} : sizes) {
      to_.push_back({name_, fmt::format("{}_{}", many_, size), "ns/task", wanted_.threads,
                     contenders_of(size), tasks_each * size, size});
    }
  }

 private:
  std::vector<comparison>& to_;
  const settings& wanted_;
  std::string name_;
  std::string many_;
};

void add_parts(std::vector<comparison>& all, const settings& wanted) {
  scaled_case(all, wanted, "placed_tiles", "tiles")
      .at({400, 1'600, 6'400, 14'400}, sweeps, [&](std::size_t tiles) {
        return std::vector<contender>{
            ours::stencil(tiles),
#ifdef HOCKET_BENCH_STARPU
            starpu::stencil(wanted, tiles),
#endif
#ifdef HOCKET_BENCH_OPENMP
            openmp::stencil(wanted, tiles),
#endif
        };
      });
  scaled_case(all, wanted, "placed_rows", "rows").at({100, 1'000, 4'000}, 1, [](std::size_t rows) {
    return std::vector<contender>{ours::rows_and_view(rows)};
  });
  scaled_case(all, wanted, "host_rows", "rows").at({100, 1'000, 10'000}, 2, [](std::size_t rows) {
    return std::vector<contender>{ours::rows_behind_a_writer(rows)};
  });
  for (const auto& [name, by] : {std::pair{"host_boxes", data_path::automatic},
                                 std::pair{"placed_boxes", data_path::placed}}) {
    scaled_case(all, wanted, name, "boxes").at({100, 1'000, 10'000}, 1, [by](std::size_t boxes) {
      return std::vector<contender>{ours::boxes_behind_a_writer(boxes, by)};
    });
  }
}

void add_factorizations(std::vector<comparison>& all, const settings& wanted) {
  for (const auto& [name, by] : {std::pair{"host_factorization", data_path::automatic},
                                 std::pair{"placed_factorization", data_path::placed}}) {
    scaled_case(all, wanted, name, "tasks").at({300, 1'000, 3'000}, 1, [by](std::size_t tasks) {
      return std::vector<contender>{ours::factorization(tasks, by)};
    });
  }
}

void add_buffers(std::vector<comparison>& all, const settings& wanted) {
  scaled_case(all, wanted, "placed_buffers", "buffers")
      .at({1'000, 10'000, 30'000}, accesses_to_each, [&](std::size_t buffers) {
        return std::vector<contender>{
            ours::many_buffers(buffers),
#ifdef HOCKET_BENCH_STARPU
            starpu::many_buffers(wanted, buffers),
#endif
#ifdef HOCKET_BENCH_OPENMP
            openmp::many_buffers(wanted, buffers),
#endif
        };
      });
}

void add_evictions(std::vector<comparison>& all, const settings& wanted) {
  scaled_case(all, wanted, "placed_evictions", "buffers")
      .at({300, 1'000, 3'000}, rounds_of_evictions, [](std::size_t buffers) {
        return std::vector<contender>{ours::more_than_fits(buffers)};
      });
}

void add_graphs(std::vector<comparison>& all, const settings& wanted) {
  for (const auto& [name, by] : {std::pair{"host_graph", data_path::automatic},
                                 std::pair{"placed_graph", data_path::placed}}) {
    scaled_case(all, wanted, name, "buffers")
        .at({100, 2'500, 10'000, 40'000}, 1, [&, by](std::size_t buffers) {
          std::vector<contender> made{
              ours::graph_again(buffers, by),
              ours::submitted_anew(buffers, by),
#ifdef HOCKET_BENCH_OPENMP
              openmp::submitted_anew(wanted, buffers),
#endif
          };
          if (by == data_path::placed) made.push_back(ours::graph_in_batches(buffers));
          return made;
        });
  }
  scaled_case(all, wanted, "host_kernels", "buffers")
      .at({100, 2'500, 10'000}, 1, [&](std::size_t buffers) {
        return std::vector<contender>{
            ours::kernels_again(buffers),
            ours::kernels_anew(buffers),
#ifdef HOCKET_BENCH_OPENMP
            openmp::kernels_anew(wanted, buffers),
#endif
        };
      });
  scaled_case(all, wanted, "host_loop", "buffers")
      .at({100, 1'000, 10'000}, rounds_of_loop,
          [](std::size_t buffers) { return std::vector<contender>{ours::loop(buffers)}; });
}

void add_parameters(std::vector<comparison>& all, const settings& wanted) {
  scaled_case(all, wanted, "host_parameters", "parameters")
      .at({100, 1'000, 16'000}, 1,
          [](std::size_t count) { return std::vector<contender>{ours::parameters(count)}; });
}

void add_recordings(std::vector<comparison>& all, const settings& wanted) {
  scaled_case(all, wanted, "host_fuse", "chains")
      .at({100, 1'000, 10'000}, steps_of_chain, [](std::size_t chains) {
        return std::vector<contender>{ours::recording(chains, true),
                                      ours::recording(chains, false)};
      });
}

/// Functions that come after others, or that functions submit.
void add_functions(std::vector<comparison>& all, const settings& wanted) {
  using peer = contender (*)(const settings&, std::size_t);
  struct function_case {
    const char* name;
    const char* many;
    std::vector<contender (*)(std::size_t)> subjects;
    std::vector<peer> peers;
  };
  std::vector<function_case> cases{
      {"fan_out", "edges", {ours::fan_out}, {onetbb::fan_out}},
      {"fan_in", "edges", {ours::fan_in}, {onetbb::fan_in}},
      {"tree", "tasks", {ours::tree}, {onetbb::tree}},
      {"recursion",
       "tasks",
       {ours::recursion_by_scopes, ours::recursion_by_get},
       {onetbb::recursion}},
      {"spawned_by_one", "tasks", {ours::spawned_by_one}, {onetbb::spawned_by_one}}};
#ifdef HOCKET_BENCH_OPENMP
  cases[0].peers.push_back(openmp::fan_out);
  cases[1].peers.push_back(openmp::fan_in);
  cases[2].peers.push_back(openmp::tree);
  cases[3].peers.push_back(openmp::recursion);
  cases[4].peers.push_back(openmp::spawned_by_one);
#endif
  for (const function_case& each : cases) {
    scaled_case(all, wanted, each.name, each.many)
        .at({1'000, 10'000, 100'000, 1'000'000}, 1, [&](std::size_t count) {
          std::vector<contender> made;
          for (const auto subject : each.subjects) made.push_back(subject(count));
          for (const peer other : each.peers) made.push_back(other(wanted, count));
          return made;
        });
  }
}

std::vector<comparison> comparisons_of(const settings& wanted) {
  std::vector<comparison> all;
  add_parts(all, wanted);
  add_factorizations(all, wanted);
  add_buffers(all, wanted);
  add_evictions(all, wanted);
  add_graphs(all, wanted);
  add_parameters(all, wanted);
  add_recordings(all, wanted);
  add_functions(all, wanted);
  return all;
}

}  // namespace

}  // namespace hocket::bench

int main(int argc, char** argv) {
  return hocket::bench::run_bench(argc, argv, "bench_scale",
                                  "How what a task costs grows with the number of tasks, parts, "
                                  "buffers and edges, beside other runtimes.",
                                  hocket::bench::comparisons_of);
}

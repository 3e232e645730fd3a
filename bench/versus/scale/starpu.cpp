// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include <raw/starpu.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// Many variables, and a codelet for tasks that use some of them.
struct home {
  home(std::size_t threads, std::size_t count)
      : session(threads), empty(starpu_codelet_of([](void**, void*) {})), all(count) {
    empty.nbuffers = STARPU_VARIABLE_NBUFFERS;
  }

  /// The last one is updated, the others are read.
  void submit(const std::vector<starpu_data_handle_t>& used) {
    starpu_task* const made = starpu_task_create();
    made->cl = &empty;
    made->nbuffers = static_cast<int>(used.size());
    for (std::size_t i = 0; i < used.size(); ++i) {
      made->handles[i] = used[i];
      made->modes[i] = i + 1 == used.size() ? STARPU_RW : STARPU_R;
    }
    starpu_submit(made);
  }

  starpu_session session;
  starpu_codelet empty;
  std::deque<starpu_variable> all;
};

template <class Work>
contender on_variables(std::size_t threads, std::size_t count, std::size_t tasks,
                       const Work& work) {
  return {"starpu", [=] {
            const auto here = std::make_shared<home>(threads, count);
            return [=] {
              const starpu_workers_awake workers;
              const auto all = [&] {
                work(*here);
                starpu_task_wait_for_all();
              };
              return nanoseconds_of(all) / static_cast<double>(tasks);
            };
          }};
}

/// The tiles of one array are the first variables, those of the other one the rest.
void sweep(home& here, std::size_t side, bool back) {
  const std::size_t from = back ? side * side : 0, to = side * side - from;
  std::vector<starpu_data_handle_t> used;
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t j = 0; j < side; ++j) {
      const auto add = [&](bool there, std::size_t k, std::size_t l) {
        if (there) used.push_back(here.all[from + k * side + l].handle());
      };
      used.clear();
      add(true, i, j);
      add(i > 0, i - 1, j);
      add(i + 1 < side, i + 1, j);
      add(j > 0, i, j - 1);
      add(j + 1 < side, i, j + 1);
      used.push_back(here.all[to + i * side + j].handle());
      here.submit(used);
    }
  }
}

}  // namespace

contender starpu::stencil(const settings& wanted, std::size_t tiles) {
  const std::size_t side = side_of(tiles);
  return on_variables(wanted.threads, 2 * side * side, sweeps * tiles, [side](home& here) {
    for (std::size_t i = 0; i < sweeps; ++i) sweep(here, side, i % 2 == 1);
  });
}

contender starpu::many_buffers(const settings& wanted, std::size_t buffers) {
  return on_variables(wanted.threads, buffers, accesses_to_each * buffers, [](home& here) {
    for (std::size_t i = 0; i < accesses_to_each; ++i) {
      for (const starpu_variable& each : here.all) here.submit({each.handle()});
    }
  });
}

}  // namespace hocket::bench

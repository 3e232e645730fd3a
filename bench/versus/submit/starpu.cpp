// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <array>
#include <memory>
#include <vector>

#include <raw/starpu.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// Empty tasks with as many accesses as there are modes, and a session for them.
struct home {
  home(const settings& wanted, const std::vector<starpu_data_access_mode>& modes)
      : session(wanted.threads), empty(starpu_codelet_of([](void**, void*) {})) {
    empty.nbuffers = static_cast<int>(modes.size());
    for (std::size_t i = 0; i < modes.size(); ++i) empty.modes[i] = modes[i];
  }

  template <class... Variables>
  starpu_task* task(const Variables&... accessed) {
    starpu_task* const made = starpu_task_create();
    made->cl = &empty;
    std::size_t next = 0;
    ((made->handles[next++] = accessed.handle()), ...);
    return made;
  }

  starpu_session session;
  starpu_codelet empty;
  starpu_variable a{};
  starpu_variable b{};
  std::array<starpu_variable, updated_buffers> c{};
};

/// Calls submit(home, i) for each task of a sample, and waits for them as the load says.
template <class Submit>
contender submitting(const settings& wanted, load tasks, std::vector<starpu_data_access_mode> modes,
                     Submit submit) {
  return {"starpu", [=] {
            const auto here = std::make_shared<home>(wanted, modes);
            return [=] {
              const starpu_workers_awake workers;
              const auto work = [&](std::size_t count) {
                for (std::size_t i = 0; i < count; ++i) submit(*here, i);
                starpu_task_wait_for_all();
              };
              return nanoseconds_of([&] { repeat(tasks, work); }) /
                     static_cast<double>(tasks.count);
            };
          }};
}

}  // namespace

contender starpu::tasks(const settings& wanted, load tasks) {
  return submitting(wanted, tasks, {}, [](home& here, std::size_t) { starpu_submit(here.task()); });
}

contender starpu::round_trip(const settings& wanted) {
  return submitting(wanted, all_at_once(counts_for(wanted).round_trips), {},
                    [](home& here, std::size_t) {
                      starpu_task* const made = here.task();
                      made->synchronous = 1;
                      starpu_submit(made);
                    });
}

contender starpu::chain(const settings& wanted, load tasks) {
  return submitting(wanted, tasks, {STARPU_RW},
                    [](home& here, std::size_t) { starpu_submit(here.task(here.a)); });
}

contender starpu::three_buffers(const settings& wanted, load tasks) {
  return submitting(wanted, tasks, {STARPU_R, STARPU_R, STARPU_RW}, [](home& here, std::size_t i) {
    starpu_submit(here.task(here.a, here.b, here.c[i % updated_buffers]));
  });
}

}  // namespace hocket::bench

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "subjects.hpp"

namespace hocket::bench {

contender onetbb::host_tasks(const settings& wanted) {
  return {"tbb", [count = counts_for(wanted).host, threads = static_cast<int>(wanted.threads)] {
            const auto arena = std::make_shared<tbb::task_arena>(threads);
            return [arena, count] {
              const auto work = [&] {
                arena->execute([&] {
                  tbb::task_group group;
                  for (std::size_t i = 0; i < count; ++i) group.run([] {});
                  group.wait();
                });
              };
              return nanoseconds_of(work) / static_cast<double>(count);
            };
          }};
}

contender onetbb::round_trip(const settings& wanted) {
  return {"tbb",
          [count = counts_for(wanted).round_trips, threads = static_cast<int>(wanted.threads)] {
            const auto arena = std::make_shared<tbb::task_arena>(threads);
            return [arena, count] {
              const auto work = [&] {
                arena->execute([&] {
                  tbb::task_group group;
                  for (std::size_t i = 0; i < count; ++i) {
                    group.run([] {});
                    group.wait();
                  }
                });
              };
              return nanoseconds_of(work) / static_cast<double>(count);
            };
          }};
}

}  // namespace hocket::bench

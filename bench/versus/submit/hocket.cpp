// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

const kernel<> nothing{"nothing", host_body{[] {}}};
const kernel<inout_buffer<float>> touch{"touch", host_body{[](buffer_view<float>) {}}};
const kernel<in_buffer<float>, in_buffer<float>, inout_buffer<float>> three{
    "three",
    host_body{[](buffer_view<const float>, buffer_view<const float>, buffer_view<float>) {}}};

constexpr std::size_t elements = 16;

/// A runtime that has one device. A simulated one takes no time of its own.
struct machine {
  explicit machine(const place& wanted)
      : rt({.devices = wanted.device,
            .backends = {{"sim", "1"}},
            .data_tasks = wanted.by == way::free ? data_path::automatic : data_path::placed}) {
    if (wanted.by == way::named) on.on = rt.device(wanted.device);
  }

  template <class... What>
  auto submit(const What&... what) {
    return on.on ? rt.submit(on, what...) : rt.submit(what...);
  }

  runtime rt;
  task_options on;
};

/// Calls one(runtime), which submits a task and waits for it, again and again.
template <class One>
contender waited_for(const char* name, const settings& wanted, One one) {
  return {name, [count = counts_for(wanted).round_trips, one] {
            const auto rt = std::make_shared<runtime>();
            return [rt, count, one] {
              const auto work = [&] {
                for (std::size_t i = 0; i < count; ++i) one(*rt);
              };
              return nanoseconds_of(work) / static_cast<double>(count);
            };
          }};
}

}  // namespace

contender ours::host_tasks(load tasks) {
  return {"hocket", [tasks] {
            const auto rt = std::make_shared<runtime>();
            return [rt, tasks] {
              const auto work = [&](std::size_t count) {
                for (std::size_t i = 0; i < count; ++i) rt->async([] {});
                rt->wait();
              };
              return nanoseconds_of([&] { repeat(tasks, work); }) /
                     static_cast<double>(tasks.count);
            };
          }};
}

contender ours::host_chain(load tasks) {
  return {"hocket", [tasks] {
            const auto rt = std::make_shared<runtime>();
            return [rt, tasks] {
              const auto work = [&](std::size_t count) {
                future<void> last = rt->async([] {});
                for (std::size_t i = 1; i < count; ++i) last = last.then([] {});
                rt->wait();
              };
              return nanoseconds_of([&] { repeat(tasks, work); }) /
                     static_cast<double>(tasks.count);
            };
          }};
}

contender ours::host_tasks_from(const settings& wanted, std::size_t submitters) {
  const std::string name = std::to_string(submitters) + (submitters == 1 ? " thread" : " threads");
  return {name, [count = counts_for(wanted).host, submitters] {
            const auto rt = std::make_shared<runtime>();
            return [rt, count, submitters] {
              const std::size_t own = (count + submitters - 1) / submitters;
              const auto work = [&] {
                const auto submit = [&] {
                  for (std::size_t i = 0; i < own; ++i) rt->async([] {});
                };
                std::vector<std::jthread> others;
                for (std::size_t i = 1; i < submitters; ++i) others.emplace_back(submit);
                submit();
                others.clear();
                rt->wait();
              };
              return nanoseconds_of(work) / static_cast<double>(own * submitters);
            };
          }};
}

contender ours::async_get(const settings& wanted) {
  return waited_for("hocket", wanted, [](runtime& rt) { rt.async([] {}).get(); });
}

contender ours::async_wait(const settings& wanted) {
  return waited_for("hocket-wait", wanted, [](runtime& rt) {
    rt.async([] {});
    rt.wait();
  });
}

contender ours::scope_of_one(const settings& wanted) {
  return waited_for("hocket-scope", wanted, [](runtime& rt) {
    task_scope all(rt);
    all.async([] {});
    all.wait();
  });
}

contender ours::run_of_one(const settings& wanted) {
  return {"hocket-run", [count = counts_for(wanted).round_trips] {
            const auto rt = std::make_shared<runtime>();
            const graph one = rt->record([](submitter& s) { s.async([] {}); });
            return [rt, one, count] {
              const auto work = [&] {
                for (std::size_t i = 0; i < count; ++i) rt->run(one).wait();
              };
              return nanoseconds_of(work) / static_cast<double>(count);
            };
          }};
}

contender ours::device_tasks(load tasks, place where) {
  return {"hocket", [tasks, where] {
            const auto home = std::make_shared<machine>(where);
            return [home, tasks] {
              const auto work = [&](std::size_t count) {
                for (std::size_t i = 0; i < count; ++i) home->submit(nothing);
                home->rt.wait();
              };
              return nanoseconds_of([&] { repeat(tasks, work); }) /
                     static_cast<double>(tasks.count);
            };
          }};
}

contender ours::device_round_trip(const settings& wanted, place where) {
  return {"hocket", [count = counts_for(wanted).round_trips, where] {
            const auto home = std::make_shared<machine>(where);
            return [home, count] {
              const auto work = [&] {
                for (std::size_t i = 0; i < count; ++i) home->submit(nothing).get();
              };
              return nanoseconds_of(work) / static_cast<double>(count);
            };
          }};
}

contender ours::device_chain(load tasks, place where) {
  return {"hocket", [tasks, where] {
            const auto home = std::make_shared<machine>(where);
            const buffer<float> x(home->rt, elements, 0.0F);
            return [home, x, tasks] {
              const auto work = [&](std::size_t count) {
                for (std::size_t i = 0; i < count; ++i) {
                  home->submit(touch, updates(x));
                }
                home->rt.wait();
              };
              return nanoseconds_of([&] { repeat(tasks, work); }) /
                     static_cast<double>(tasks.count);
            };
          }};
}

contender ours::three_buffers(load tasks, place where) {
  return {"hocket", [tasks, where] {
            const auto home = std::make_shared<machine>(where);
            const buffer<float> a(home->rt, elements, 1.0F);
            const buffer<float> b(home->rt, elements, 2.0F);
            std::vector<buffer<float>> c;
            for (std::size_t i = 0; i < updated_buffers; ++i)
              c.emplace_back(home->rt, elements, 0.0F);
            return [home, a, b, c, tasks] {
              const auto work = [&](std::size_t count) {
                for (std::size_t i = 0; i < count; ++i) {
                  home->submit(three, reads(a), reads(b), updates(c[i % updated_buffers]));
                }
                home->rt.wait();
              };
              return nanoseconds_of([&] { repeat(tasks, work); }) /
                     static_cast<double>(tasks.count);
            };
          }};
}

}  // namespace hocket::bench

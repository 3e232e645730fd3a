// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "run.hpp"

#include <unistd.h>

#include <algorithm>
#include <any>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#include <hocket/devices/sim.hpp>
#include <hocket/hocket.hpp>

namespace hocket::bench {

namespace {

constexpr std::size_t spans_of_task = 32;  // kernel, transfers and waits; a guess, which is checked

using buffer_list = std::vector<const buffer<float>*>;

/// The type itself, for every number: repeats a type in a pack.
template <class T, std::size_t>
using each = T;

/// The kernels of a problem: one for each name, work and number of parameters.
class kernel_table {
 public:
  template <class Kernel>
  const Kernel& of(const std::string& name, double flops) {
    std::any& kept = kernels_[{std::type_index(typeid(Kernel)), name, flops}];
    if (!kept.has_value()) {
      const auto cost = [flops](const launch_shape& /*shape*/) { return launch_work{flops, 0}; };
      kept = Kernel{name, host_body{[](const auto&...) {}}}.cost(cost);
    }
    return *std::any_cast<Kernel>(&kept);
  }

 private:
  std::map<std::tuple<std::type_index, std::string, double>, std::any> kernels_;
};

struct submission {
  submitter& target;
  const problem& what;
  const std::vector<buffer<float>>& buffers;
  kernel_table kernels{};
};

/// Submits a task with so many parameters of each kind.
template <std::size_t... In, std::size_t... Out, std::size_t... Inout>
void submit(submission& to, const problem::task& each_task, const buffer_list& in,
            const buffer_list& out, const buffer_list& inout, std::index_sequence<In...> /*in*/,
            std::index_sequence<Out...> /*out*/, std::index_sequence<Inout...> /*inout*/) {
  using type =
      kernel<each<hocket::in_buffer<float>, In>..., each<hocket::out_buffer<float>, Out>...,
             each<hocket::inout_buffer<float>, Inout>...>;
  const type& chosen = to.kernels.of<type>(to.what.kernels[each_task.kernel], each_task.flops);
  to.target.submit(chosen, reads(*in[In])..., writes(*out[Out])..., updates(*inout[Inout])...);
}

template <std::size_t In, std::size_t Out, std::size_t Inout>
bool submit_if(submission& to, const problem::task& each, const buffer_list& in,
               const buffer_list& out, const buffer_list& inout) {
  if (in.size() != In || out.size() != Out || inout.size() != Inout) return false;
  submit(to, each, in, out, inout, std::make_index_sequence<In>(), std::make_index_sequence<Out>(),
         std::make_index_sequence<Inout>());
  return true;
}

void submit_task(submission& to, const problem::task& each) {
  buffer_list in, out, inout;
  for (const problem::access& a : each.accesses) {
    (a.how == use::read ? in : a.how == use::write ? out : inout).push_back(&to.buffers[a.buffer]);
  }
  const bool done = submit_if<0, 0, 1>(to, each, in, out, inout) ||
                    submit_if<1, 0, 1>(to, each, in, out, inout) ||
                    submit_if<2, 0, 1>(to, each, in, out, inout) ||
                    submit_if<0, 0, 2>(to, each, in, out, inout) ||
                    submit_if<1, 0, 2>(to, each, in, out, inout) ||
                    submit_if<0, 1, 0>(to, each, in, out, inout) ||
                    submit_if<1, 1, 0>(to, each, in, out, inout) ||
                    submit_if<2, 1, 0>(to, each, in, out, inout) ||
                    submit_if<3, 1, 0>(to, each, in, out, inout) ||
                    submit_if<2, 2, 1>(to, each, in, out, inout) ||
                    submit_if<3, 3, 1>(to, each, in, out, inout) ||
                    submit_if<4, 4, 1>(to, each, in, out, inout) ||
                    submit_if<60, 1, 0>(to, each, in, out, inout);
  if (!done) throw std::logic_error("No kernel has these parameters.");
}

/// A file that is there as long as this is.
class machine_file {
 public:
  explicit machine_file(const sim_machine& machine)
      : path_(std::filesystem::temp_directory_path() /
              ("hocket_bench_" + std::to_string(getpid()) + ".json")) {
    std::ofstream(path_) << to_json(machine, "a benchmark");
  }
  machine_file(const machine_file&) = delete;
  machine_file& operator=(const machine_file&) = delete;
  ~machine_file() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

sim_machine with_rates(sim_machine machine, const problem& what) {
  for (sim_options& device : machine.devices) {
    for (std::size_t k = 0; k < what.rates_of_kernels.size(); ++k) {
      const problem::rates& each = what.rates_of_kernels[k];
      device.kernel_rates.push_back(
          {what.kernels[k], device.shares_host_memory ? each.cpu : each.gpu});
    }
  }
  return machine;
}

/// Which device has a buffer at first. The devices are a grid as well, as square as their number
/// and that of the rows allow.
class data_owners {
 public:
  data_owners(const problem& what, std::size_t devices) : dealt_(what.dealt) {
    for (const problem::data& each : what.buffers) {
      rows_ = std::max(rows_, each.row + 1);
      columns_ = std::max(columns_, each.column + 1);
    }
    for (std::size_t i = 1; i * i <= devices && i <= rows_; ++i) {
      if (devices % i == 0) down_ = i;
    }
    across_ = devices / down_;
  }

  [[nodiscard]] std::size_t of(const problem::data& which) const {
    if (dealt_ == problem::layout::cyclic) {
      return which.row % down_ * across_ + which.column % across_;
    }
    return which.row * down_ / rows_ * across_ + which.column * across_ / columns_;
  }

 private:
  problem::layout dealt_;
  std::size_t rows_ = 1, columns_ = 1;  // of the problem
  std::size_t down_ = 1, across_ = 1;   // devices
};

std::string names_of(std::size_t devices) {
  std::string names;
  for (std::size_t i = 0; i < devices; ++i) names += (i == 0 ? "Sim" : ",Sim") + std::to_string(i);
  return names;
}

/// Its content is there, without taking time to get there.
void fill_on(runtime& rt, const std::string& device, const buffer<float>& data) {
  static const kernel<out_buffer<float>> fill{"fill", host_body{[](buffer_view<float>) {}}};
  rt.submit({.on = rt.device(device)}, fill, writes(data));
}

}  // namespace

bool same_spans(const schedule& one, const schedule& other) {
  const auto key = [](const trace_record& span) {
    return std::tuple(span.kind, span.device.value, span.stream.value, span.task.value, span.bytes,
                      span.begin, span.end);
  };
  return std::ranges::equal(one.spans, other.spans, {}, key, key);
}

schedule run(const problem& what, const sim_machine& machine, const run_setup& how) {
  const machine_file file(with_rates(machine, what));
  runtime rt{{.devices = names_of(machine.devices.size()),
              .backends = {{"sim", "machine=" + file.path() + ",execute=no"}},
              .clock = clock_kind::simulated,
              .seed = how.seed,
              .policy = how.policy,
              .trace_capacity = how.keep_spans ? what.tasks.size() * spans_of_task : 0,
              .resilience = how.survive ? resilience_kind::survive : resilience_kind::none,
              .faults = how.faults}};
  schedule made;
  made.devices = rt.devices();
  const data_owners owners(what, how.from == data_start::host ? 1 : made.devices.size());
  std::vector<buffer<float>> buffers;
  for (const problem::data& each : what.buffers) {
    buffers.emplace_back(rt, static_cast<std::size_t>(each.bytes) / sizeof(float));
  }
  const auto put_data_back = [&] {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      fill_on(rt, made.devices[owners.of(what.buffers[i])].name, buffers[i]);
    }
    rt.wait();
  };
  const auto submit_all = [&](submitter& to) {
    submission all{to, what, buffers};
    for (const problem::task& each : what.tasks) submit_task(all, each);
  };
  std::optional<graph> recorded;
  if (how.earlier_runs > 0) recorded = rt.record(submit_all);
  for (std::size_t i = 0; i < how.earlier_runs; ++i) {
    put_data_back();
    rt.run(*recorded).get();
  }
  put_data_back();
  const time_stamp begin = rt.now();
  const auto real_begin = std::chrono::steady_clock::now();
  if (recorded) {
    rt.run(*recorded);
  } else {
    submit_all(rt);
  }
  rt.wait();
  const std::chrono::duration<double> real = std::chrono::steady_clock::now() - real_begin;
  made.makespan = std::chrono::duration<double>(rt.now() - begin).count();
  made.host_time = real.count() / static_cast<double>(what.tasks.size());
  trace_snapshot kept = rt.trace();
  if (kept.dropped > 0) throw std::runtime_error("The trace has no room for all spans.");
  made.spans = std::move(kept.records);
  made.given_up = rt.report().given_up;
  return made;
}

}  // namespace hocket::bench

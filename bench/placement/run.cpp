// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "run.hpp"

#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include <hocket/devices/sim.hpp>
#include <hocket/hocket.hpp>

namespace hocket::bench {

namespace {

using buffer_list = std::vector<const buffer<float>*>;

/// The type itself, for every number: repeats a type in a pack.
template <class T, std::size_t>
using each = T;

/// Submits a task with so many parameters of each kind.
template <std::size_t... In, std::size_t... Out, std::size_t... Inout>
void submit(runtime& rt, const std::string& name, double flops, const buffer_list& in,
            const buffer_list& out, const buffer_list& inout, std::index_sequence<In...> /*in*/,
            std::index_sequence<Out...> /*out*/, std::index_sequence<Inout...> /*inout*/) {
  using type = kernel<each<hocket::in<float>, In>..., each<hocket::out<float>, Out>...,
                      each<hocket::inout<float>, Inout>...>;
  const type chosen =
      type{name, host_body{[](const auto&...) {}}}.cost([flops](const launch_shape& /*shape*/) {
        return work{flops, 0};
      });
  rt.submit(chosen, reads(*in[In])..., writes(*out[Out])..., updates(*inout[Inout])...);
}

template <std::size_t In, std::size_t Out, std::size_t Inout>
bool submit_if(runtime& rt, const problem& what, const problem::task& each, const buffer_list& in,
               const buffer_list& out, const buffer_list& inout) {
  if (in.size() != In || out.size() != Out || inout.size() != Inout) return false;
  submit(rt, what.kernels[each.kernel], each.flops, in, out, inout, std::make_index_sequence<In>(),
         std::make_index_sequence<Out>(), std::make_index_sequence<Inout>());
  return true;
}

void submit_task(runtime& rt, const problem& what, const problem::task& each,
                 const std::vector<buffer<float>>& buffers) {
  buffer_list in, out, inout;
  for (const problem::access& a : each.accesses) {
    (a.how == use::read ? in : a.how == use::write ? out : inout).push_back(&buffers[a.buffer]);
  }
  const bool done = submit_if<0, 0, 1>(rt, what, each, in, out, inout) ||
                    submit_if<1, 0, 1>(rt, what, each, in, out, inout) ||
                    submit_if<2, 0, 1>(rt, what, each, in, out, inout) ||
                    submit_if<0, 0, 2>(rt, what, each, in, out, inout) ||
                    submit_if<1, 0, 2>(rt, what, each, in, out, inout) ||
                    submit_if<0, 1, 0>(rt, what, each, in, out, inout) ||
                    submit_if<1, 1, 0>(rt, what, each, in, out, inout) ||
                    submit_if<2, 1, 0>(rt, what, each, in, out, inout) ||
                    submit_if<3, 1, 0>(rt, what, each, in, out, inout) ||
                    submit_if<60, 1, 0>(rt, what, each, in, out, inout);
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

std::string names_of(std::size_t devices) {
  std::string names;
  for (std::size_t i = 0; i < devices; ++i) names += (i == 0 ? "Sim" : ",Sim") + std::to_string(i);
  return names;
}

}  // namespace

schedule run(const problem& what, const sim_machine& machine, const std::string& policy) {
  const machine_file file(with_rates(machine, what));
  runtime rt{{.devices = names_of(machine.devices.size()),
              .backends = {{"sim", "machine=" + file.path() + ",execute=no"}},
              .clock = clock_kind::simulated,
              .policy = policy}};
  const std::vector<device_info> devices = rt.devices();
  // All begins in the host's memory, and takes no time to get there.
  const auto fill = kernel<out<float>>{"fill", host_body{[](view<float>) {}}};
  std::vector<buffer<float>> buffers;
  for (const double bytes : what.bytes) {
    const auto& made = buffers.emplace_back(rt, static_cast<std::size_t>(bytes) / sizeof(float));
    rt.submit({.on = rt.device(devices.front().name)}, fill, writes(made));
  }
  rt.wait();
  const time_stamp begin = rt.now();
  const auto real_begin = std::chrono::steady_clock::now();
  for (const problem::task& each : what.tasks) submit_task(rt, what, each, buffers);
  rt.wait();
  const std::chrono::duration<double> real = std::chrono::steady_clock::now() - real_begin;
  schedule made;
  made.makespan = std::chrono::duration<double>(rt.now() - begin).count();
  made.bound = bounds_of(what, devices).larger();
  made.host_time = real.count() / static_cast<double>(what.tasks.size());
  return made;
}

}  // namespace hocket::bench

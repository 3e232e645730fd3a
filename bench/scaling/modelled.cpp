// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Equal devices on the virtual clock, and the time of the host that simulating many tasks takes.

#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <problems/bound.hpp>
#include <problems/run.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

/// A problem for so many devices.
using problem_maker = std::function<problem(std::size_t devices)>;

constexpr weights short_task{5e9};  // 75 us on a device

/// So many devices of the built-in machine 8xh100-nvlink, each with its own links to all others,
/// without its host.
sim_machine equal_gpus(std::size_t count) {
  sim_options device = find_machine("8xh100-nvlink").devices.back();
  // Shares of the peak rate: those of the built-in eight-gpus; a stencil is bound by its memory,
  // with 8 bytes for 6 flops.
  device.kernel_rates = {{"potrf", 0.05}, {"trsm", 0.4}, {"syrk", 0.8}, {"stencil", 0.0375}};
  return {"equal-gpus", {count, device}, {}};
}

/// Times of a problem on equal devices. The ideal time is that of one device, times the share of
/// its work that each device has: of the time that its kernels take.
class scaled_problem {
 public:
  scaled_problem(problem_maker make, bool check) : make_(std::move(make)), check_(check) {}

  /// The makespan on so many devices, as a multiple of the ideal.
  [[nodiscard]] double over_ideal(std::size_t devices) {
    const problem what = make_(devices);
    const double ratio = run_checked(what, devices) / ideal(what, devices);
    if (check_ && !(std::isfinite(ratio) && ratio >= least_ratio)) {
      throw std::runtime_error(
          fmt::format("{} on {} devices takes {} of the ideal time.", what.name, devices, ratio));
    }
    return ratio;
  }

  /// The larger of area and critical-path bound, as a multiple of the ideal.
  [[nodiscard]] double bound_over_ideal(std::size_t devices) {
    const problem what = make_(devices);
    return bounds_of(what, infos_of(devices)).larger() / ideal(what, devices);
  }

 private:
  static constexpr double least_ratio = 0.95;

  [[nodiscard]] double ideal(const problem& what, std::size_t devices) {
    if (over_kernels_ == 0) {
      const problem alone = make_(1);
      over_kernels_ = run_checked(alone, 1) / seconds_of_kernels(alone);
    }
    return over_kernels_ * seconds_of_kernels(what) / static_cast<double>(devices);
  }

  [[nodiscard]] static double seconds_of_kernels(const problem& what) {
    return bounds_of(what, infos_of(1)).area;
  }

  [[nodiscard]] static std::vector<device_info> infos_of(std::size_t devices) {
    return run({}, equal_gpus(devices)).devices;
  }

  [[nodiscard]] double run_checked(const problem& what, std::size_t devices) const {
    const run_setup how{.from = data_start::spread, .seed = 1, .keep_spans = check_};
    const schedule made = run(what, equal_gpus(devices), how);
    if (check_ && !same_spans(made, run(what, equal_gpus(devices), how))) {
      throw std::runtime_error(fmt::format(
          "{} on {} devices has another schedule when it is run again.", what.name, devices));
    }
    return made.makespan;
  }

  problem_maker make_;
  bool check_;               ///< each schedule is made twice and compared
  double over_kernels_ = 0;  ///< makespan on one device by the time of its kernels; 0: not known
};

void add_scaling(std::vector<comparison>& to, const std::string& name, const settings& wanted,
                 const problem_maker& make) {
  const auto home = std::make_shared<scaled_problem>(make, wanted.quick);
  const std::size_t most = wanted.quick ? 4 : 64;
  for (std::size_t devices = 1; devices <= most; devices *= 2) {
    comparison made{name, fmt::format("devices_{}", devices), "of the ideal", 1, {}};
    made.size = devices;
    made.once = true;  // the virtual clock gives the same answer every time
    made.contenders = {{"hocket", [=] { return [=] { return home->over_ideal(devices); }; }},
                       {"bound", [=] { return [=] { return home->bound_over_ideal(devices); }; }}};
    to.push_back(std::move(made));
  }
}

/// An edge of a cube whose volume grows as the number of devices does.
std::size_t grown(std::size_t edge, std::size_t devices) {
  return static_cast<std::size_t>(
      std::lround(static_cast<double>(edge) * std::cbrt(static_cast<double>(devices))));
}

/// 2 x 2 tiles for each device, as square as their number allows.
problem stencil_for(std::size_t devices, std::size_t steps) {
  std::size_t rows = 2, columns = 2;
  for (; rows * columns < 4 * devices;) (rows < columns ? rows : columns) *= 2;
  return stencil(rows, columns, steps);
}

void add_strong(std::vector<comparison>& to, const settings& wanted) {
  const auto add = [&](const problem& what) {
    add_scaling(to, "strong " + what.name, wanted, [what](std::size_t) { return what; });
  };
  const bool quick = wanted.quick;
  add(cholesky(quick ? 6 : 64));
  add(gemm(quick ? 5 : 24));
  add(stencil_for(quick ? 4 : 64, quick ? 4 : 40));
  add(equal_tasks(quick ? 100 : 6'400, short_task));
}

void add_weak(std::vector<comparison>& to, const settings& wanted) {
  const bool quick = wanted.quick;
  const std::size_t of_cholesky = quick ? 4 : 16, of_gemm = quick ? 3 : 6;
  add_scaling(to, "weak cholesky", wanted,
              [=](std::size_t devices) { return cholesky(grown(of_cholesky, devices)); });
  add_scaling(to, "weak gemm", wanted,
              [=](std::size_t devices) { return gemm(grown(of_gemm, devices)); });
  add_scaling(to, "weak stencil", wanted,
              [=](std::size_t devices) { return stencil_for(devices, quick ? 4 : 40); });
  add_scaling(to, "weak independent", wanted, [=](std::size_t devices) {
    return equal_tasks((quick ? 20 : 100) * devices, short_task);
  });
}

constexpr std::size_t fewest_of_long_cases = 20'000;  // tasks

/// Microseconds of the host for each task. make(tasks) is called when it is measured.
void add_simulation(std::vector<comparison>& to, const std::string& machine,
                    const std::string& name, std::size_t tasks,
                    const std::function<problem(std::size_t)>& make) {
  comparison made{fmt::format("{}, {} {}", machine, name, tasks), "host_time", "us/task", 1, {}};
  made.once = true;
  made.only_by_name = tasks >= fewest_of_long_cases;
  const auto sample = [=] {
    return run(make(tasks), find_machine(machine), {.from = data_start::spread}).host_time * 1e6;
  };
  made.contenders = {{"hocket", [=] { return sample; }}};
  to.push_back(std::move(made));
}

void add_simulations(std::vector<comparison>& to, bool quick) {
  using sizes = std::vector<std::size_t>;
  const auto independent = [](std::size_t tasks) { return equal_tasks(tasks, short_task); };
  const auto tiles = [](std::size_t tasks) {
    constexpr std::size_t side = 16;  // of the grid
    return stencil(side, side, tasks / (side * side));
  };
  for (const std::size_t tasks : quick ? sizes{1'024} : sizes{10'240, 102'400, 1'024'000}) {
    add_simulation(to, "64-gpus", "independent", tasks, independent);
    add_simulation(to, "64-gpus", "stencil", tasks, tiles);
  }
  for (const std::size_t tasks : quick ? sizes{1'000} : sizes{2'000, 20'000}) {
    add_simulation(to, "1024-gpus", "independent", tasks, independent);
  }
}

}  // namespace

std::vector<comparison> modelled_comparisons(const settings& wanted) {
  std::vector<comparison> all;
  add_strong(all, wanted);
  add_weak(all, wanted);
  add_simulations(all, wanted.quick);
  return all;
}

}  // namespace hocket::bench

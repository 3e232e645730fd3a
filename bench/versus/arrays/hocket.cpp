// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

struct device_arrays {
  device_arrays(const array_job& job, const std::string& device)
      : rt({.devices = device}),
        on{.on = rt.device(device)},
        x(rt, {job.edge, job.edge}),
        y(rt, {job.edge, job.edge}) {
    rt.submit(on, ops::random_uniform, 1U, 2U, writes(x)).get();
  }

  void call(operation what) {
    switch (what) {
      case operation::sum:
        return (void)rt.submit(on, ops::sum, reads(x)).get();
      case operation::norm:
        return (void)rt.submit(on, ops::norm, reads(x)).get();
      case operation::argmax:
        return (void)rt.submit(on, ops::argmax, reads(x)).get();
      case operation::inclusive_scan:
        return rt.submit(on, ops::inclusive_scan, reads(x), writes(y)).get();
      case operation::transpose:
        return rt.submit(on, ops::transpose, reads(x), writes(y)).get();
      case operation::random_uniform:
        return rt.submit(on, ops::random_uniform, 1U, 2U, writes(y)).get();
    }
  }

  runtime rt;
  task_options on;
  buffer<float, 2> x, y;
};

}  // namespace

contender hocket_arrays(const array_job& job, const std::string& device) {
  return {"hocket", [=] {
            const auto data = std::make_shared<device_arrays>(job, device);
            return [=] { return time_of_calls(job, [&] { data->call(job.what); }); };
          }};
}

}  // namespace hocket::bench

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

struct machine {
  explicit machine(const runtime_options& options) : rt(options) {
    on.on = rt.device(options.devices.text());
  }
  void fill(const buffer<float>& b) { rt.submit(on, ops::fill, 1.0F, writes(b)).get(); }

  runtime rt;
  task_options on;
};

}  // namespace

std::vector<contender> fresh_buffers(std::size_t bytes, std::size_t calls,
                                     const runtime_options& options) {
  const std::size_t elements = bytes / sizeof(float);
  const auto each = [calls](double nanoseconds) {
    return nanoseconds / 1e3 / static_cast<double>(calls);
  };
  const auto prepare_fresh = [=] {
    const auto home = std::make_shared<machine>(options);
    return [=] {
      return each(nanoseconds_of([&] {
        for (std::size_t i = 0; i < calls; ++i) home->fill(buffer<float>{home->rt, elements});
      }));
    };
  };
  const auto prepare_one = [=] {
    const auto home = std::make_shared<machine>(options);
    const auto one = std::make_shared<buffer<float>>(home->rt, elements);
    return [=] {
      return each(nanoseconds_of([&] {
        for (std::size_t i = 0; i < calls; ++i) home->fill(*one);
      }));
    };
  };
  return {{"hocket", prepare_fresh}, {"one buffer", prepare_one}};
}

}  // namespace hocket::bench

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

template <class T>
contender device_sort(std::size_t size, const std::string& device) {
  return {"hocket", [=] {
            const auto rt = std::make_shared<runtime>(runtime_options{.devices = device});
            const task_options on{.on = rt->device(device)};
            const buffer<T> x(*rt, size);
            return [=] {
              rt->submit(on, ops::random_uniform, 1U, 2U, writes(x)).get();
              return nanoseconds_of([&] { rt->submit(on, ops::sort, updates(x)).get(); }) / 1e6;
            };
          }};
}

template contender device_sort<float>(std::size_t, const std::string&);
template contender device_sort<std::uint32_t>(std::size_t, const std::string&);

}  // namespace hocket::bench

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <memory>

#include <harness/measure.hpp>

namespace hocket::bench {

/// A contender that needs what make() returns for its samples; work(*made) is timed.
template <class Make, class Work>
contender timed(const char* subject, std::size_t tasks, const Make& make, const Work& work) {
  return {subject, [=] {
            using made = decltype(make());
            const auto home = std::make_shared<made>(make());
            return
                [=] { return nanoseconds_of([&] { work(**home); }) / static_cast<double>(tasks); };
          }};
}

}  // namespace hocket::bench

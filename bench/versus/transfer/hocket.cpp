// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <memory>
#include <vector>

#include "kernels.hpp"
#include "subjects.hpp"

namespace hocket::bench {

namespace {

struct job {
  job(std::size_t bytes, const runtime_options& options)
      : rt(options), data(rt, {bytes / sizeof(float)}, content(bytes)) {
    rt.submit(look(), reads(data)).get();
  }

  /// Both memories are really there: pages that nobody wrote are one page of zeros.
  static std::vector<float> content(std::size_t bytes) {
    return std::vector<float>(bytes / sizeof(float), 1);
  }

  /// Nanoseconds.
  double copy(direction way) {
    if (way == direction::to_device) {
      (void)data.write();  // from now on only the host has the content
      return nanoseconds_of([&] { rt.submit(look(), reads(data)).get(); });
    }
    rt.submit(stamp(), writes(data)).get();
    return nanoseconds_of([&] { (void)data.read(); });
  }

  std::uint64_t bytes_moved() {
    const device_report seen = rt.report().devices.front();
    return seen.bytes_in + seen.bytes_out;
  }

  runtime rt;
  buffer<float> data;
};

}  // namespace

contender hocket_copy(const transfer& what, const runtime_options& options) {
  return {"hocket", [what, options] {
            const auto made = std::make_shared<job>(what.bytes, options);
            return [made, what] {
              double nanoseconds = 0;
              for (std::size_t i = 0; i < what.calls; ++i) nanoseconds += made->copy(what.way);
              return what.each(nanoseconds);
            };
          }};
}

contender hocket_bytes(const transfer& what, const runtime_options& options) {
  return {"hocket", [what, options] {
            const auto made = std::make_shared<job>(what.bytes, options);
            return [made, what] {
              const std::uint64_t before = made->bytes_moved();
              made->copy(what.way);
              return static_cast<double>(made->bytes_moved() - before);
            };
          }};
}

}  // namespace hocket::bench

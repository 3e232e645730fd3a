// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <hocket/streams/stream.hpp>

namespace hocket::testing {

using host_body = std::function<void(const host_launch&)>;

/// A launch of a kernel that has no name but "test" and no signature.
inline launch_command launch(host_body body, body_width width = body_width::serial,
                             launch_work cost = {}) {
  auto kernel = std::make_shared<kernel_definition>();
  kernel->name = "test";
  kernel->host = std::move(body);
  return {std::move(kernel), {}, {}, cost, width};
}

inline launch_command nothing() {
  return launch([](const host_launch&) {});
}

/// Numbers the commands of streams as the owner of the streams does.
class submitter {
 public:
  template <class What>
  timepoint operator()(stream& to, What what, std::initializer_list<timepoint> after = {}) {
    command made;
    made.value = ++values_[&to];
    made.after.assign(after.begin(), after.end());
    if constexpr (std::is_same_v<What, launch_command>) {
      made.what = launch_ref(new counted_launch(std::move(what)));
    } else {
      made.what = std::move(what);
    }
    const timepoint end{&to.time(), made.value};
    // Nothing of this object is touched afterwards: the sink may be the next to submit.
    to.submit(std::move(made));
    return end;
  }

 private:
  std::map<const stream*, std::uint64_t> values_;
};

}  // namespace hocket::testing

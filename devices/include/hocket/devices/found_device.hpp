// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <hocket/devices/backend.hpp>

namespace hocket {

/// A candidate that is connected by a function.
class found_device final : public device_candidate {
 public:
  using connector = std::function<result<std::unique_ptr<device>>(
      const device_numbers& numbers, executor& where, completion_sink& sink)>;

  found_device(device_info info, connector connect)
      : info_(std::move(info)), connect_(std::move(connect)) {}

  [[nodiscard]] const device_info& info() const noexcept override { return info_; }
  [[nodiscard]] result<std::unique_ptr<device>> connect(const device_numbers& numbers,
                                                        executor& where,
                                                        completion_sink& sink) const override {
    return connect_(numbers, where, sink);
  }

 private:
  device_info info_;
  connector connect_;
};

}  // namespace hocket

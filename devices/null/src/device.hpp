// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <hocket/devices/null.hpp>
#include <hocket/memory/host_resource.hpp>

#include "stream.hpp"

namespace hocket::null {

class connected final : public null_device {
 public:
  connected(std::shared_ptr<driver> of, device_info info, const device_numbers& numbers,
            executor& where, completion_sink& sink);
  ~connected() override;

  [[nodiscard]] const device_info& info() const noexcept override { return info_; }
  [[nodiscard]] memory_resource& memory() noexcept override { return memory_; }
  [[nodiscard]] stream& compute(std::size_t /*lane*/) noexcept override { return compute_; }
  [[nodiscard]] stream& inbound() noexcept override { return inbound_; }
  [[nodiscard]] stream& outbound() noexcept override { return outbound_; }
  void lose(const failure& why) override { compute_.lose(why); }

 private:
  std::shared_ptr<driver> driver_;
  device_info info_;
  host_resource memory_;
  std::shared_ptr<host_epoch> epoch_;
  queue_stream compute_;
  queue_stream inbound_;
  queue_stream outbound_;
};

}  // namespace hocket::null

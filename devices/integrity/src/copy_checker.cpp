// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/devices/copy_checker.hpp>

#include <utility>

#include "checked_device.hpp"

namespace hocket {

namespace {

std::unique_ptr<device_candidate> checked(std::unique_ptr<device_candidate> found,
                                          std::shared_ptr<integrity::tally> counts) {
  device_info info = found->info();
  info.copies_on_host = true;
  info.peer_copies = false;
  return std::make_unique<device_candidate>(
      info,
      [info, counts = std::move(counts),
       of = std::shared_ptr<const device_candidate>(std::move(found))](
          const device_numbers& numbers, executor& where,
          completion_sink& sink) -> result<std::unique_ptr<device>> {
        auto made = std::make_unique<integrity::checked_device>(
            integrity::checked_link::parts{info, counts, where, sink}, numbers);
        auto inner = of->connect(numbers, where, made->sink());
        if (!inner) return inner.error();
        made->open(std::move(inner).value());
        return std::unique_ptr<device>(std::move(made));
      });
}

}  // namespace

copy_checker::copy_checker() : tally_(std::make_shared<integrity::tally>()) {}

copy_checker::~copy_checker() = default;

candidate_list copy_checker::decorate(candidate_list devices) {
  for (auto& each : devices) {
    if (each->info().executes) each = checked(std::move(each), tally_);
  }
  return devices;
}

copy_check_counts copy_checker::counts() const { return tally_->counts(); }

}  // namespace hocket

// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Any two texts are states of a program's counters or are said to be none; the lines and the page
// that `hocket top` shows of them have no character that moves the cursor.

#include <cmath>
#include <string>

#include <boost/json.hpp>

#include "fuzz.hpp"
#include "top_rates.hpp"
#include "top_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::input_bytes in(data, size);
  tools::rate_meter meter;
  while (!in.empty()) {
    meter.add({{{1, 2, 1}, std::string(in.part('\n'))}});
    for (const std::string& each : meter.problems()) fuzz::require_good(each, "of process 1");
    const auto rates = meter.rates();
    for (const std::string& line : tools::top_lines(rates)) {
      const auto moves = [](char c) { return c < ' ' || c > '~'; };
      fuzz::require(std::ranges::none_of(line, moves), "a line does not move the cursor");
    }
    for (const tools::runtime_rates& each : rates) {
      for (const tools::device_rates& of : each.devices) {
        fuzz::require(of.busy >= 0 && of.busy <= 1, "a device is busy for a part of the time");
        fuzz::require(std::isfinite(of.bytes_in_per_second), "rates are finite");
      }
    }
    fuzz::require(!serialize(tools::to_json(rates)).empty(), "rates are told as JSON");
  }
  return 0;
}

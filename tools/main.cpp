// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <variant>

#include "calibrate.hpp"
#include "command_line.hpp"
#include "common/ending.hpp"
#include "common/standard_streams.hpp"
#include "devices.hpp"
#include "doctor.hpp"
#include "explain.hpp"
#include "output.hpp"
#include "simulate.hpp"
#include "top.hpp"
#include "torture.hpp"

namespace {

constexpr int failed = 1;

int carry_out(const tools::request& asked) {
  if (asked.what == tools::request::command::doctor) return tools::examine(asked) ? 0 : failed;
  if (asked.what == tools::request::command::calibrate) return tools::calibrate(asked);
  if (asked.what == tools::request::command::simulate) return tools::simulate(asked.simulated);
  if (asked.what == tools::request::command::top) return tools::top(asked.shown);
  if (asked.what == tools::request::command::torture) return tools::torture(asked.tried);
  if (asked.what == tools::request::command::explain) {
    tools::explain(asked.explained);
  } else {
    tools::list_devices(asked);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  examples::reserve_standard_streams();
  try {
    const auto said = tools::parse({argv + 1, argv + argc}, HOCKET_VERSION);
    if (const auto* text = std::get_if<tools::text_to_print>(&said)) {
      tools::print(text->text);
      return 0;
    }
    return carry_out(std::get<tools::request>(said));
  } catch (...) {
    return examples::end_of_program("hocket");
  }
}
